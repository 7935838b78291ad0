package harness

import (
	"bytes"
	"fmt"
	"regexp"

	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// placeholder stands where the name of the recording machine stood.
const placeholder = "recorder"

// Anonymise takes out of a history what tells of the machine that it was
// recorded on and what no replay looks at: stack traces, which hold paths, and
// the host's name in task queues and in what sessions keep. It changes h.
func Anonymise(h *historypb.History, host string) error {
	name := regexp.QuoteMeta(host)
	a := anonymiser{
		// The SDK writes "<host>:<uuid>" for a sticky queue, "<id>@<host>" for
		// a session's, and a field HostName into a session's own record.
		patterns: []*regexp.Regexp{
			regexp.MustCompile(`^()` + name + `(:)`),
			regexp.MustCompile(`(@)` + name + `("|@|$)`),
			regexp.MustCompile(`("HostName":")` + name + `(")`),
		},
	}
	a.message(h.ProtoReflect())
	data, err := proto.Marshal(h)
	if err != nil {
		return fmt.Errorf("harness: encode history: %w", err)
	}
	// A short name is found in every other word.
	if len(host) > 6 && bytes.Contains(data, []byte(host)) {
		return fmt.Errorf("harness: the machine's name is left in a history, which must not be kept")
	}
	return nil
}

type anonymiser struct{ patterns []*regexp.Regexp }

func (a anonymiser) message(m protoreflect.Message) {
	if failure, ok := m.Interface().(*failurepb.Failure); ok {
		failure.StackTrace = ""
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			value.Map().Range(func(key protoreflect.MapKey, element protoreflect.Value) bool {
				a.element(field.MapValue(), element, func(changed protoreflect.Value) { value.Map().Set(key, changed) })
				return true
			})
		case field.IsList():
			for i := range value.List().Len() {
				a.element(field, value.List().Get(i), func(changed protoreflect.Value) { value.List().Set(i, changed) })
			}
		default:
			a.element(field, value, func(changed protoreflect.Value) { m.Set(field, changed) })
		}
		return true
	})
}

// element handles one message, string or run of bytes. Numbers stay.
func (a anonymiser) element(field protoreflect.FieldDescriptor, value protoreflect.Value, set func(protoreflect.Value)) {
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		a.message(value.Message())
	case protoreflect.StringKind:
		set(protoreflect.ValueOfString(string(a.replace([]byte(value.String())))))
	case protoreflect.BytesKind:
		set(protoreflect.ValueOfBytes(a.replace(value.Bytes())))
	default:
	}
}

func (a anonymiser) replace(text []byte) []byte {
	for _, p := range a.patterns {
		text = p.ReplaceAll(text, []byte("${1}"+placeholder+"${2}"))
	}
	return text
}
