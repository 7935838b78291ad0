package operation

import (
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// decode reads an object into a plain struct. The required keys must be there and not be null. No error quotes the
// input.
func decode(data []byte, into any, required ...string) (f fault) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return fault{err: errors.New("the argument must be a JSON object")}
	}
	f.look(keys["state"])
	for _, key := range required {
		if v, ok := keys[key]; !ok || string(v) == "null" {
			f.err = errors.New(key + " is required")
			return f
		}
	}
	err := json.Unmarshal(data, into)
	var faults *sandbox.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &faults): // names places and quotes nothing
		f.err = faults
	case errors.As(err, &wrong) && isField(wrong.Field):
		f.err = errors.New(wrong.Field + " has the wrong type")
	default:
		f.err = errors.New("the argument has a field of the wrong type")
	}
	return f
}

// look takes from a state as it came what no decoder returns.
func (f *fault) look(state json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(state, &fields) != nil {
		return
	}
	var id, kind string
	_ = json.Unmarshal(fields["session_id"], &id) // empty if it is no text
	if _, err := uuid.Parse(id); err == nil {
		f.session = id
	}
	if json.Unmarshal(fields["type"], &kind) != nil || kind != sandbox.ClientUnixLocal {
		return
	}
	for _, key := range []string{"container_id", "image"} {
		if v, ok := fields[key]; ok && string(v) != "null" {
			f.foreign = key
			return
		}
	}
}

// isField reports whether a decoder's name of a place has only names of this package's fields in it.
func isField(name string) bool {
	for _, c := range name {
		if c != '_' && c != '.' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return name != ""
}
