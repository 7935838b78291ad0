package interceptortest

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
)

// A Finder looks for values in protobuf messages. It never changes after
// [NewFinder], so it may be used by several goroutines at once, and looking for
// many values takes as long as looking for one.
type Finder struct {
	needles
	codecs []converter.PayloadCodec
}

// NewFinder returns a finder of values. Empty values are not looked for. codecs,
// which may be none, are those of the client's data converter or connection in the
// client's order: a payload that they change when decoding is looked at in both
// forms.
func NewFinder(values []string, codecs ...converter.PayloadCodec) *Finder {
	return &Finder{needles: newNeedles(values), codecs: slices.Clone(codecs)}
}

// A Place is where something of a value was found.
type Place struct {
	// Path names the field, such as "input.payloads[0].data".
	Path string
	// Form says how it stood there, from the outside in, such as "raw" or
	// "base64, escaped".
	Form string
	// Value is the index of the value in the list that [NewFinder] got.
	Value int
}

// String reads "input.payloads[0].data (base64)".
func (p Place) String() string { return p.Path + " (" + p.Form + ")" }

// Message returns every field of m, at any depth, that holds something of a
// value: strings, bytes, map keys, unknown fields, and what is packed in an Any.
// The answer is sorted by path and holds each field once for each value and form.
func (f *Finder) Message(m proto.Message) []Place {
	var found []Place
	f.message("", m.ProtoReflect(), &found)
	return sorted(found)
}

// Bytes returns the forms in which something of a value stands in data. The
// places have no path.
func (f *Finder) Bytes(data []byte) []Place {
	var found []Place
	f.bytes("", data, &found)
	return sorted(found)
}

// in is Message below a path.
func (f *Finder) in(path string, m proto.Message) []Place { return within(path, f.Message(m)) }

func within(path string, places []Place) []Place {
	for i, p := range places {
		places[i].Path = strings.TrimSuffix(path+": "+p.Path, ": ")
	}
	return places
}

func sorted(places []Place) []Place {
	slices.SortFunc(places, func(a, b Place) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Form, b.Form), a.Value-b.Value)
	})
	return slices.Compact(places)
}

func (f *Finder) message(path string, m protoreflect.Message, found *[]Place) {
	switch x := m.Interface().(type) {
	case *commonpb.Payload:
		f.payload(path, x, found)
	case *anypb.Any:
		if inner, err := x.UnmarshalNew(); err == nil {
			f.message(join(path, string(inner.ProtoReflect().Descriptor().Name())), inner.ProtoReflect(), found)
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := join(path, string(fd.Name()))
		switch {
		case fd.IsMap():
			f.mapping(at, fd, v.Map(), found)
		case fd.IsList():
			for i := range v.List().Len() {
				f.value(fmt.Sprintf("%s[%d]", at, i), fd, v.List().Get(i), found)
			}
		default:
			f.value(at, fd, v, found)
		}
		return true
	})
	f.bytes(join(path, "(unknown fields)"), m.GetUnknown(), found)
}

func (f *Finder) mapping(path string, fd protoreflect.FieldDescriptor, m protoreflect.Map, found *[]Place) {
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		at := path + "[" + f.show(k.String()) + "]"
		f.bytes(at+" (key)", []byte(k.String()), found)
		f.value(at, fd.MapValue(), v, found)
		return true
	})
}

func (f *Finder) value(path string, fd protoreflect.FieldDescriptor, v protoreflect.Value, found *[]Place) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		f.bytes(path, []byte(v.String()), found)
	case protoreflect.BytesKind:
		f.bytes(path, v.Bytes(), found)
	case protoreflect.MessageKind, protoreflect.GroupKind:
		f.message(path, v.Message(), found)
	default: // numbers and enums
	}
}

// payload looks at the payloads that stand in the data of p, as those of a
// MutableSideEffect do, and at what the codecs make of p. What another codec wrote
// is nothing that they can decode.
func (f *Finder) payload(path string, p *commonpb.Payload, found *[]Place) {
	if len(f.codecs) == 0 {
		return // payloads within payloads are found by their encodings
	}
	nested := &commonpb.Payloads{}
	if bytes.Contains(p.GetData(), []byte(`"payloads"`)) && protojson.Unmarshal(p.GetData(), nested) == nil {
		f.message(join(path, "data"), nested.ProtoReflect(), found)
	}
	opened := []*commonpb.Payload{proto.Clone(p).(*commonpb.Payload)}
	for _, codec := range f.codecs {
		var err error
		if opened, err = codec.Decode(opened); err != nil {
			return
		}
	}
	for _, o := range opened {
		if !proto.Equal(o, p) {
			f.message(join(path, "(decoded)"), o.ProtoReflect(), found)
		}
	}
}

func (f *Finder) bytes(path string, data []byte, found *[]Place) {
	f.search(data, func(value int, form string) {
		*found = append(*found, Place{Path: path, Form: form, Value: value})
	})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// showable is what a map key may look like to be shown in a path.
var showable = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// show returns a name for a message, unless it is a value or may be one.
func (f *Finder) show(name string) string {
	if !showable.MatchString(name) || len(f.Bytes([]byte(name))) > 0 {
		return "?"
	}
	return name
}
