package sandbox

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// treer is implemented by the types of this package that are JSON objects. The
// tree of a value is its map form, one level deep: what is below it may still
// be typed.
type treer interface{ tree() map[string]any }

// failed is the shape of a value that has no JSON form. A fault about it has
// been reported, so whoever meets it says nothing more.
type failed struct{}

// shape reduces v to one of the forms that the decoders know, without looking
// below its first level: nil, bool, string, json.Number, int64, uint64,
// float64, []any, map[string]any, [secrets.Value], [secrets.Ref], [EnvValue], a treer (never a
// pointer to one) or failed. It never changes v.
func (d *decoder) shape(v any, at *place) any {
	switch v := v.(type) {
	case nil, bool, string, json.Number, int64, float64, failed, []any, map[string]any, secrets.Value, secrets.Ref, EnvValue:
		return v
	case treer:
		return deref(v)
	case int:
		return int64(v)
	case json.RawMessage:
		if v == nil {
			return nil
		}
		return d.parse(v, at)
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case map[string]Entry:
		return widen(v)
	case map[string]EnvValue:
		return widen(v)
	case map[string]string:
		return widen(v)
	case []string:
		return list(v)
	case []int:
		return list(v)
	case []User:
		return list(v)
	case []Group:
		return list(v)
	case []PathGrant:
		return list(v)
	default:
		return d.reflect(v, at)
	}
}

// deref returns what a pointer to one of our own types points to; the method
// set of a pointer includes tree, so such a pointer looks like a treer.
func deref(v any) any {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return nil
		}
		return rv.Elem().Interface()
	}
	return v
}

func widen[T any](m map[string]T) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func list[T any](s []T) []any {
	out := make([]any, len(s))
	for i, v := range s {
		out[i] = v
	}
	return out
}

// reflect is shape for the types that shape does not know by name.
func (d *decoder) reflect(v any, at *place) any {
	rv := reflect.ValueOf(v)
	for range maxDepth {
		if rv.Kind() != reflect.Pointer && rv.Kind() != reflect.Interface {
			break
		}
		if rv.IsNil() {
			return nil
		}
		rv = rv.Elem()
		switch rv.Interface().(type) {
		case secrets.Value, secrets.Ref, EnvValue, treer, json.RawMessage:
			return d.shape(rv.Interface(), at)
		}
	}
	if encodes(v) || encodes(rv.Interface()) {
		return d.encode(v, at)
	}
	switch rv.Kind() {
	case reflect.Bool:
		return rv.Bool()
	case reflect.String:
		return rv.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if u := rv.Uint(); u > math.MaxInt64 {
			return u
		} else {
			return int64(u)
		}
	case reflect.Float32:
		// The shortest text that reads back as the same float32, as encoding/json
		// writes it.
		f, err := strconv.ParseFloat(strconv.FormatFloat(rv.Float(), 'g', -1, 32), 64)
		if err != nil {
			return rv.Float()
		}
		return f
	case reflect.Float64:
		return rv.Float()
	case reflect.Slice, reflect.Array:
		if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(rv.Bytes())
		}
		if !d.spend(rv.Len()) {
			return failed{}
		}
		out := make([]any, rv.Len())
		for i := range out {
			out[i] = rv.Index(i).Interface()
		}
		return out
	case reflect.Map:
		return d.reflectMap(rv, at)
	case reflect.Struct:
		return d.encode(v, at)
	default:
		d.report(at, RuleNoJSONForm, "must have a JSON form")
		return failed{}
	}
}

// encodes reports whether v brings its own JSON form.
func encodes(v any) bool {
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	default:
		return false
	}
}

// reflectMap turns a map with any kind of string keys into one with strings.
func (d *decoder) reflectMap(rv reflect.Value, at *place) any {
	if rv.IsNil() {
		return map[string]any(nil)
	}
	if !d.spend(rv.Len()) {
		return failed{}
	}
	out := make(map[string]any, rv.Len())
	ok := true
	for it := rv.MapRange(); it.Next(); {
		k := it.Key()
		if k.Kind() == reflect.Interface {
			k = k.Elem()
		}
		if k.Kind() != reflect.String {
			d.report(at, RuleWrongType, "must have only strings as keys")
			ok = false
			continue
		}
		if _, dup := out[k.String()]; dup {
			// Which of the two would be read depends on chance, so neither is.
			d.report(at, RuleDuplicateKey, "must have every key only once")
			ok = false
		}
		out[k.String()] = it.Value().Interface()
	}
	if !ok {
		return failed{}
	}
	return out
}

// encode reads the JSON form that a foreign type gives itself.
func (d *decoder) encode(v any, at *place) any {
	data, err := json.Marshal(v)
	if err != nil {
		d.report(at, RuleNoJSONForm, "must have a JSON form")
		return failed{}
	}
	return d.parse(data, at)
}

// lift copies v with everything below it into plain maps, slices and scalars:
// the form in which raw objects are kept and maps are handed out. Integers stay
// exact. References are written as tagged maps where secretsAllowed, and are
// faults otherwise.
func (d *decoder) lift(v any, at *place, secretsAllowed bool) any {
	switch v := d.shape(v, at).(type) {
	case secrets.Ref:
		return d.lift(secrets.From(v), at, secretsAllowed)
	case secrets.Value:
		if !secretsAllowed {
			d.report(at, RuleSecretUntypedPlace, "must not stand here: only an environment variable of a manifest can hold a secret")
			return nil
		}
		return refMap(v)
	case EnvValue:
		return d.lift(v.node(), at, secretsAllowed)
	case treer:
		d.checkRaw(v, at)
		return d.lift(v.tree(), at, secretsAllowed)
	case failed:
		return nil
	case string:
		return d.text(v, at)
	case float64:
		return d.number(v, at)
	case json.Number:
		return d.number(v, at)
	case []any:
		if !d.enter(len(v), at) {
			return nil
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = d.lift(e, at.index(i), secretsAllowed)
		}
		return out
	case map[string]any:
		if !d.enter(len(v), at) {
			return nil
		}
		out := make(map[string]any, len(v))
		for i, k := range sortedKeys(v) {
			out[k] = d.lift(v[k], at.member(k, i), secretsAllowed)
			d.text(k, at.member(k, i))
		}
		return out
	default:
		return v
	}
}

// number gives a float the text that encoding/json would give it, and checks
// the text of a [json.Number] that a program made.
func (d *decoder) number(n any, at *place) any {
	data, err := json.Marshal(n)
	if err != nil {
		d.report(at, RuleInvalidValue, "must be a finite number")
		return nil
	}
	return json.Number(data)
}

// isNil reports whether v is what encoding/json writes as null because it is
// nil. A nil slice is not: it stands for an empty list here.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return rv.IsNil()
	default:
		return false
	}
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
