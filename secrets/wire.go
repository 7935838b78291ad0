package secrets

import (
	"bytes"
	"encoding/json"
)

// Tags of the JSON objects that stand for a reference. The first is that of
// Temporal's Python plugin.
const (
	tagEnv     = "temporal.worker_env_value"
	tagRef     = "sandboxguard.secret_ref"
	tagKey     = "secret_ref"
	tagDropped = "sandboxguard.dropped_literal"
)

// ToMap returns r as the tagged object that stands for it in JSON:
// {"type": "temporal.worker_env_value", "name": NAME} for an environment
// variable, {"type": "sandboxguard.secret_ref", "ref": REF} for every other
// provider, and nil for the zero Ref. The map is the caller's.
func (r Ref) ToMap() map[string]any {
	switch {
	case r.IsZero():
		return nil
	case r == EnvRef(r.Name):
		return map[string]any{"type": tagEnv, "name": r.Name}
	default:
		return map[string]any{"type": tagRef, "ref": r.String()}
	}
}

// RefFromMap returns the reference for which m stands, and false if m is not
// exactly one of these objects, without any further key:
//
//	{"type": "temporal.worker_env_value", "name": "NAME"}
//	{"type": "sandboxguard.secret_ref", "ref": "vault:kv/app#token"}
//	{"type": "secret_ref", "key": "NAME"}
//
// The last is read as the environment variable NAME. The name of an environment
// variable is taken as it is, since foreign payloads may hold any;
// [Ref.Validate] judges it.
func RefFromMap(m map[string]any) (Ref, bool) {
	if len(m) != 2 {
		return Ref{}, false
	}
	switch m["type"] {
	case tagEnv:
		name, ok := m["name"].(string)
		return envRefIf(name, ok)
	case tagKey:
		name, ok := m["key"].(string)
		return envRefIf(name, ok)
	case tagRef:
		s, _ := m["ref"].(string)
		r, err := ParseRef(s)
		return r, err == nil
	default:
		return Ref{}, false
	}
}

func envRefIf(name string, ok bool) (Ref, bool) {
	if !ok {
		return Ref{}, false
	}
	return EnvRef(name), true
}

// MarshalJSON writes the object of [Ref.ToMap], and null for the zero Ref. A
// reference that looks like a pasted value is refused with [ErrInvalid], so
// that it is not written anywhere.
func (r Ref) MarshalJSON() ([]byte, error) {
	if r.IsZero() {
		return []byte("null"), nil
	}
	if r.unsafe() {
		return nil, r.Validate()
	}
	return json.Marshal(r.ToMap())
}

// UnmarshalJSON reads the objects of [RefFromMap], and null as the zero Ref.
// Everything else is refused with [ErrInvalid]; the error quotes nothing.
func (r *Ref) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		*r = Ref{}
		return nil
	}
	var m map[string]any
	if json.Unmarshal(data, &m) == nil {
		if ref, ok := RefFromMap(m); ok {
			*r = ref
			return nil
		}
	}
	return fail(Ref{}, ErrInvalid, "a reference must be an object that is tagged as one")
}

// unsafe reports whether r must not be written down, since what should be a
// name may be a value.
func (r Ref) unsafe() bool {
	return r.shown() != r
}

func isNull(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), []byte("null")) }
