package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
)

// rawer is implemented by the typed values that keep an object, or a part of
// one, as JSON. Their tree is that object with their own fields over it.
type rawer interface {
	rawObject() json.RawMessage
	ownTree() map[string]any
}

func rawTree(v rawer) map[string]any {
	t := parseRaw(v.rawObject())
	if t == nil {
		return v.ownTree()
	}
	maps.Copy(t, v.ownTree())
	return t
}

// checkRaw checks the raw object of a value that Go code made: it must be one,
// and must not say something else than the fields do.
func (d *decoder) checkRaw(v any, at *place) {
	r, ok := v.(rawer)
	if !ok || len(r.rawObject()) == 0 {
		return
	}
	parsed := d.parse(r.rawObject(), at)
	raw, ok := parsed.(map[string]any)
	if !ok {
		d.wrongType(parsed, at, "an object")
		return
	}
	own := r.ownTree()
	for _, key := range sortedKeys(own) {
		if value, both := raw[key]; both && (key != "type" || value != own[key]) {
			d.report(at.key(key), RuleInvalidValue, "must not differ between the raw object and the fields")
		}
	}
}

// parseRaw returns the members of a raw object. What is wrong with it is for
// checkRaw to say.
func parseRaw(raw json.RawMessage) map[string]any {
	if len(raw) == 0 {
		return nil
	}
	d := &decoder{mode: Lenient}
	m, _ := d.parse(raw, nil).(map[string]any)
	return m
}

// rawKeys returns the pointers of the keys of a raw object.
func rawKeys(raw json.RawMessage) []string {
	var out []string
	var walk func(v any, at *place)
	walk = func(v any, at *place) {
		switch v := v.(type) {
		case map[string]any:
			for i, k := range sortedKeys(v) {
				if v[k] != nil {
					at := at.member(k, i)
					out = append(out, at.String())
					walk(v[k], at)
				}
			}
		case []any:
			for i, e := range v {
				walk(e, at.index(i))
			}
		}
	}
	walk(parseRaw(raw), nil)
	slices.Sort(out)
	return out
}
