package interceptor

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// A plan says once per Go type what a walk can meet below it, so that a walk
// never enters a place that cannot hold what it looks for: a thousand typed
// manifest entries or two megabytes of bytes cost nothing when nobody asked for
// text.
type plan struct {
	// guard is true when a secrets.Value, a manifest, a run config, a map or any
	// interface can be met: the static test of design.md 5 for "could hold guard
	// data".
	guard bool
	// text is true when a string or bytes can be met.
	text bool
	// opaque is true for types whose encoding is not their exported fields: they
	// are read through their own JSON.
	opaque bool
	// fields of a struct, in order, embedded ones flattened the way
	// encoding/json does it.
	fields []planField
}

type planField struct {
	index []int
	name  string
	guard bool
	text  bool
}

var (
	typeValue        = reflect.TypeFor[secrets.Value]()
	typeManifest     = reflect.TypeFor[sandbox.Manifest]()
	typeRunConfig    = reflect.TypeFor[sandbox.RunConfig]()
	typeTime         = reflect.TypeFor[time.Time]()
	typeRawJSON      = reflect.TypeFor[json.RawMessage]()
	typeRawValue     = reflect.TypeFor[converter.RawValue]()
	typePayloads     = reflect.TypeFor[*commonpb.Payloads]()
	typeProto        = reflect.TypeFor[proto.Message]()
	typeJSONMarshal  = reflect.TypeFor[json.Marshaler]()
	typeTextMarshal  = reflect.TypeFor[encoding.TextMarshaler]()
	typeEncodedValue = reflect.TypeFor[converter.EncodedValues]()

	plans sync.Map // reflect.Type -> *plan
)

// planOf returns the plan of t. It is safe for concurrent use.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{opaque: isOpaque(t)}
	p.guard, p.text = reach(t, map[reflect.Type]bool{})
	if t.Kind() == reflect.Struct && !isLeafType(t) && !p.opaque {
		for _, f := range jsonFields(t, nil, map[reflect.Type]bool{}) {
			ft := t.FieldByIndex(f.index).Type
			f.guard, f.text = reach(ft, map[reflect.Type]bool{})
			p.fields = append(p.fields, f)
		}
	}
	actual, _ := plans.LoadOrStore(t, p)
	return actual.(*plan)
}

func isLeafType(t reflect.Type) bool { return t == typeValue || t == typeTime }

// isOpaque reports whether a value of t encodes as something else than its
// exported fields.
func isOpaque(t reflect.Type) bool {
	switch t {
	case typeValue, typeManifest, typeRunConfig, typeTime, typeRawJSON, typeRawValue:
		return false
	}
	if t.Kind() == reflect.Interface || strings.HasPrefix(t.PkgPath(), "github.com/sandboxguard/sandboxguard/") {
		return false
	}
	base := t
	if t.Kind() != reflect.Pointer {
		base = reflect.PointerTo(t)
	}
	return base.Implements(typeProto) || base.Implements(typeJSONMarshal) || base.Implements(typeTextMarshal)
}

// reach collects what can be met from t. seen breaks recursive types; since the
// answer is an OR over everything reachable, a type in progress adds nothing.
func reach(t reflect.Type, seen map[reflect.Type]bool) (guard, text bool) {
	if seen[t] {
		return false, false
	}
	seen[t] = true
	switch t {
	case typeValue:
		return true, false
	case typeManifest, typeRunConfig:
		return true, true
	case typeTime:
		return false, false
	case typeRawJSON, typeRawValue, typePayloads, typeEncodedValue:
		return true, true
	}
	if isOpaque(t) {
		text = true
		// A custom marshaler may still show typed places in exported fields.
	}
	switch t.Kind() {
	case reflect.Interface:
		return true, true
	case reflect.String:
		return guard, true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		g, x := reach(t.Elem(), seen)
		return guard || g, text || x || t.Elem().Kind() == reflect.Uint8
	case reflect.Map:
		kg, kx := reach(t.Key(), seen)
		g, x := reach(t.Elem(), seen)
		return guard || g || kg, text || x || kx
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && !f.Anonymous {
				continue
			}
			g, x := reach(f.Type, seen)
			guard, text = guard || g, text || x
		}
	}
	return guard, text
}

// jsonFields lists the fields that encoding/json would write, with the names it
// would use. Conflicting embedded names are rare enough that the first one, the
// shallowest, stands for all.
func jsonFields(t reflect.Type, prefix []int, seen map[reflect.Type]bool) []planField {
	if seen[t] {
		return nil
	}
	seen[t] = true
	defer delete(seen, t)
	var out, embedded []planField
	taken := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		index := append(append([]int(nil), prefix...), i)
		if f.Anonymous && name == "" {
			et := f.Type
			if et.Kind() == reflect.Pointer {
				et = et.Elem()
			}
			if et.Kind() == reflect.Struct && !isLeafType(et) && et != typeManifest && et != typeRunConfig {
				if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
					continue
				}
				embedded = append(embedded, jsonFields(et, index, seen)...)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		taken[name] = true
		out = append(out, planField{index: index, name: name})
	}
	for _, f := range embedded {
		if !taken[f.name] {
			taken[f.name] = true
			out = append(out, f)
		}
	}
	return out
}
