package sandbox

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxExactFloat is the bound below which every integer has a float64 of its
// own, so that a float64 says exactly which integer was meant.
const maxExactFloat = 1 << 53

// wrongType reports that the value at a place has another type, unless it has
// no form at all, which has been reported already.
func (d *decoder) wrongType(v any, at *place, want string) {
	if _, ok := v.(failed); !ok {
		d.report(at, RuleWrongType, "must be "+want)
	}
}

// fields returns the members of an object, which the caller must not change.
func (d *decoder) fields(v any, at *place) (map[string]any, bool) {
	v = d.shape(v, at)
	if t, ok := v.(treer); ok {
		d.checkRaw(t, at)
		v = t.tree()
	}
	m, ok := v.(map[string]any)
	if !ok {
		d.wrongType(v, at, "an object")
		return nil, false
	}
	return m, d.enter(len(m), at)
}

// elements returns the elements of an array.
func (d *decoder) elements(v any, at *place) ([]any, bool) {
	v = d.shape(v, at)
	s, ok := v.([]any)
	if !ok {
		d.wrongType(v, at, "an array")
		return nil, false
	}
	return s, d.enter(len(s), at)
}

// known reports the keys of m that are not in the format. Lenient mode drops
// them in silence, except in objects whose readers refuse them too.
func (d *decoder) known(m map[string]any, at *place, isKey func(string) bool, closed bool) {
	if !d.strict() && !closed {
		return
	}
	var keys []string
	for k := range m {
		if !isKey(k) {
			keys = sortedKeys(m)
			break
		}
	}
	for i, k := range keys {
		if !isKey(k) {
			d.report(at.member(k, i), RuleUnknownKey, "must not be present: the format has no such key here")
		}
	}
}

// null reports whether the member is absent or null.
func (d *decoder) null(m map[string]any, key string) bool {
	v, ok := m[key]
	if !ok || v == nil {
		return true
	}
	switch v := v.(type) {
	case bool, string, json.Number, []any:
		return false
	case map[string]any:
		return v == nil
	case json.RawMessage:
		return v == nil || string(bytes.TrimSpace(v)) == "null"
	}
	return isNil(v)
}

// required returns the member, and reports when it is absent.
func (d *decoder) required(m map[string]any, key string, at *place) (any, *place, bool) {
	v, ok := m[key]
	if !ok {
		d.report(at.key(key), RuleRequired, "must be present")
	}
	return v, at.key(key), ok
}

// text checks that s can be written as JSON and read back as it was.
func (d *decoder) text(s string, at *place) string {
	if d.strict() && !utf8.ValidString(s) {
		d.report(at, RuleInvalidText, "must be valid UTF-8")
		return ""
	}
	return s
}

// str reads a string.
func (d *decoder) str(v any, at *place) (string, bool) {
	v = d.shape(v, at)
	s, ok := v.(string)
	if !ok {
		d.wrongType(v, at, "a string")
		return "", false
	}
	return s, d.text(s, at) == s
}

// requiredStr reads a member that must be present, a string, and in strict mode
// not empty.
func (d *decoder) requiredStr(m map[string]any, key string, at *place) string {
	v, at, ok := d.required(m, key, at)
	if !ok {
		return ""
	}
	s, ok := d.str(v, at)
	if ok && s == "" && d.strict() {
		d.report(at, RuleRequired, "must not be empty")
	}
	return s
}

// nullStr reads a string member that may be absent or null.
func (d *decoder) nullStr(m map[string]any, key string, at *place) *string {
	if d.null(m, key) {
		return nil
	}
	s, ok := d.str(m[key], at.key(key))
	if !ok {
		return nil
	}
	return &s
}

// plainStr is nullStr for members where null and "" mean the same.
func (d *decoder) plainStr(m map[string]any, key string, at *place) string {
	if s := d.nullStr(m, key, at); s != nil {
		return *s
	}
	return ""
}

// oneOf is plainStr for a member that has a closed set of values.
func (d *decoder) oneOf(m map[string]any, key string, at *place, values ...string) string {
	s := d.plainStr(m, key, at)
	if s != "" && !slices.Contains(values, s) {
		d.report(at.key(key), RuleInvalidValue, "must be one of "+strings.Join(values, ", "))
	}
	return s
}

// boolean reads a member that may be absent but not null.
func (d *decoder) boolean(m map[string]any, key string, at *place) bool {
	v, ok := m[key]
	if !ok {
		return false
	}
	return d.bool(v, at.key(key))
}

// nullBool reads a boolean member that may be absent or null.
func (d *decoder) nullBool(m map[string]any, key string, at *place) *bool {
	if d.null(m, key) {
		return nil
	}
	b := d.bool(m[key], at.key(key))
	return &b
}

func (d *decoder) bool(v any, at *place) bool {
	v = d.shape(v, at)
	if b, ok := v.(bool); ok {
		return b
	}
	if !d.strict() {
		if b, ok := laxBool(v); ok {
			return b
		}
	}
	d.wrongType(v, at, "a boolean")
	return false
}

// laxBool reads the spellings that the Python models take for booleans.
func laxBool(v any) (b, ok bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = strings.ToLower(v)
	case json.Number:
		s = v.String()
	}
	switch s {
	case "1", "1.0", "true", "t", "yes", "y", "on":
		return true, true
	case "0", "0.0", "false", "f", "no", "n", "off":
		return false, true
	default:
		return false, false
	}
}

// integer reads an integer exactly. Lenient mode also takes "5" and 5.0 unless
// exact is set.
func (d *decoder) integer(v any, at *place, exact bool) (int64, bool) {
	v = d.shape(v, at)
	switch n := v.(type) {
	case int64:
		return n, true
	case float64:
		// A Go float64 has no spelling: a map that was decoded without
		// json.Decoder.UseNumber holds every number like this.
		if n == math.Trunc(n) && math.Abs(n) <= maxExactFloat {
			return int64(n), true
		}
	case json.Number:
		if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return i, true
		}
		if digits(n.String()) {
			d.report(at, RuleInvalidValue, "must be an integer of at most 64 bits")
			return 0, false
		}
		if i, ok := laxInt(n.String()); ok && !exact && !d.strict() {
			return i, true
		}
	case uint64:
		d.report(at, RuleInvalidValue, "must be an integer of at most 64 bits")
		return 0, false
	case string:
		if i, ok := laxInt(strings.TrimSpace(n)); ok && !exact && !d.strict() {
			return i, true
		}
	}
	d.wrongType(v, at, "an integer")
	return 0, false
}

func digits(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// laxInt reads the spellings of integers that the Python models take.
func laxInt(s string) (int64, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	whole, fraction, ok := strings.Cut(s, ".")
	if !ok || strings.Trim(fraction, "0") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(whole, 10, 64)
	return i, err == nil
}

// strs reads an array of strings.
func (d *decoder) strs(v any, at *place) []string {
	elems, ok := d.elements(v, at)
	if !ok {
		return nil
	}
	out := make([]string, 0, len(elems))
	for i, e := range elems {
		s, _ := d.str(e, at.index(i))
		out = append(out, s)
	}
	return out
}

// object reads a member that is a free-form object or null, and returns its
// canonical JSON.
func (d *decoder) object(m map[string]any, key string, at *place) json.RawMessage {
	if d.null(m, key) {
		return nil
	}
	at = at.key(key)
	fields, ok := d.fields(m[key], at)
	if !ok {
		return nil
	}
	return d.raw(fields, at)
}

// raw returns the canonical JSON of an object: sorted keys, no blanks, exact
// numbers.
func (d *decoder) raw(m map[string]any, at *place) json.RawMessage {
	data, err := canonical(d.lift(m, at, false))
	if err != nil {
		d.report(at, RuleNoJSONForm, "must have a JSON form")
		return nil
	}
	return data
}

// canonical encodes a lifted tree.
func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
