package interceptor_test

import (
	"fmt"
	"reflect"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// A planter fills a struct of the SDK's and puts a value into one of its texts: a
// field that a newer SDK adds is found without anybody knowing of it.
type planter struct {
	skip  int    // texts before the one that gets the value
	value string // what that text gets; the others get "x"
	at    string // where that text is
	odd   []string
}

// planted returns a pointer to a struct of type t for each text in it, by where the
// text is, and the interfaces below t that it can put nothing into.
func planted(t reflect.Type, value string) (all map[string]reflect.Value, odd []string) {
	all = map[string]reflect.Value{}
	for skip := 0; ; skip++ {
		p := &planter{skip: skip, value: value}
		in := reflect.New(t)
		p.fill(in.Elem(), "")
		if p.at == "" {
			return all, p.odd
		}
		all[p.at] = in
	}
}

func (p *planter) text(at string) string {
	if p.skip--; p.skip == -1 {
		p.at = at
		return p.value
	}
	return "x"
}

// choices are what the SDK's closed interfaces may hold.
var choices = map[reflect.Type][]any{
	reflect.TypeFor[client.VersioningOverride](): {&client.PinnedVersioningOverride{}, &client.OneTimeVersioningOverride{}},
	reflect.TypeFor[client.ScheduleAction]():     {&client.ScheduleWorkflowAction{}},
}

func (p *planter) fill(v reflect.Value, at string) {
	switch t := v.Type(); t {
	case reflect.TypeFor[time.Time]():
		return
	case reflect.TypeFor[temporal.SearchAttributes]():
		key := temporal.NewSearchAttributeKeyString(p.text(at + " key"))
		v.Set(reflect.ValueOf(temporal.NewSearchAttributes(key.ValueSet(p.text(at)))))
		return
	case reflect.TypeFor[*commonpb.Payload]():
		v.Set(reflect.ValueOf(&commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte("json/plain")}, Data: []byte(`"` + p.text(at) + `"`),
		}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(p.text(at))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.fill(v.Elem(), at)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		p.fill(v.Index(0), at+"[]")
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		p.fill(key, at+" key")
		p.fill(elem, at+"{}")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Interface:
		p.choose(v, at)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				p.fill(v.Field(i), at+"."+f.Name)
			}
		}
	}
}

func (p *planter) choose(v reflect.Value, at string) {
	if v.NumMethod() == 0 {
		v.Set(reflect.ValueOf(p.text(at)))
		return
	}
	if choices[v.Type()] == nil {
		p.odd = append(p.odd, fmt.Sprintf("%s %v", at, v.Type()))
	}
	for _, choice := range choices[v.Type()] {
		open := p.at == ""
		held := reflect.New(reflect.TypeOf(choice).Elem())
		p.fill(held.Elem(), fmt.Sprintf("%s(%v)", at, held.Type().Elem().Name()))
		if v.Set(held); open && p.at != "" {
			return
		}
	}
}
