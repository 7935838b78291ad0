package secrets

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// String returns secrets.Value(REF), secrets.Value(REF, resolved),
// secrets.Value(dropped literal), or secrets.Value() for the zero Value.
func (v Value) String() string {
	switch {
	case v.literal:
		return "secrets.Value(dropped literal)"
	case v.Resolved():
		return "secrets.Value(" + v.ref.String() + ", resolved)"
	default:
		return "secrets.Value(" + v.ref.String() + ")"
	}
}

// GoString returns the same text as [Value.String].
func (v Value) GoString() string { return v.String() }

// Format writes the text of [Value.String] for every verb and flag.
func (v Value) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, v.String()) // a failing writer is the caller's: there is nobody to tell
}

// LogValue returns the text of [Value.String] for package log/slog.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText returns the text of [Value.String]. It is what XML, YAML and keys
// of JSON objects show; it cannot be read back, see [Value.UnmarshalText].
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText drops the text, as [Value.UnmarshalJSON] does with a string:
// empty text gives the zero Value, all other a literal. It never fails.
func (v *Value) UnmarshalText(text []byte) error {
	*v = Value{literal: len(text) > 0}
	return nil
}

// MarshalJSON writes the reference as [Ref.ToMap] has it, whether or not v is
// resolved; null for the zero Value; and {"type":
// "sandboxguard.dropped_literal"} for a literal. It never fails, so that no
// recorded run depends on how a name is judged.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.literal:
		return json.Marshal(map[string]any{"type": tagDropped})
	default:
		return v.ref.MarshalJSON()
	}
}

// UnmarshalJSON reads what [Value.MarshalJSON] writes and the other objects of
// [RefFromMap]. It is tolerant where the field was once a plain string: null
// and "" give the zero Value, any other string gives a literal and is dropped
// at once; so is what stands in a tagged object and looks like a value instead
// of a name. Numbers, arrays and other objects are refused with [ErrInvalid];
// the error quotes nothing.
func (v *Value) UnmarshalJSON(data []byte) error {
	var in any
	if err := json.Unmarshal(data, &in); err != nil {
		return fail(Ref{}, ErrInvalid, "a secret must be a reference in JSON")
	}
	switch in := in.(type) {
	case nil:
		*v = Value{}
		return nil
	case string:
		*v = Value{literal: in != ""}
		return nil
	case map[string]any:
		if ref, ok := RefFromMap(in); ok {
			*v = From(ref)
			return nil
		}
		if isDropped(in) {
			*v = Value{literal: true}
			return nil
		}
	}
	return fail(Ref{}, ErrInvalid, "a secret must be an object that is tagged as a reference")
}

// isDropped reports whether m stands for text that is gone: the object that
// says so, or a reference that cannot be read as one.
func isDropped(m map[string]any) bool {
	if m["type"] == tagDropped {
		return len(m) == 1
	}
	_, isText := m["ref"].(string)
	return len(m) == 2 && m["type"] == tagRef && isText
}

// GobEncode writes what [Value.MarshalJSON] writes.
func (v Value) GobEncode() ([]byte, error) { return v.MarshalJSON() }

// GobDecode reads what [Value.GobEncode] writes.
func (v *Value) GobDecode(data []byte) error { return v.UnmarshalJSON(data) }
