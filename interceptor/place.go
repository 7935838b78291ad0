package interceptor

import (
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

// A step is one segment of the place where a walk stands.
type step struct {
	name string
	// keys is the map that the segment is a key of, or invalid when the segment
	// is a field or an index and so comes from code.
	keys reflect.Value
}

// place is a JSON pointer under construction. It is valid only during the call
// that it is handed to.
type place []step

// placeOf returns the place of a pointer from policy.
func placeOf(p validation.Pointer) place {
	out := make(place, len(p))
	for i, name := range p {
		out[i] = step{name: name}
	}
	return out
}

// matches reports whether a pointer of policy names the place. It compares with map
// keys, which are data, and shows none.
func (p place) matches(pointer validation.Pointer) bool {
	if len(p) != len(pointer) {
		return false
	}
	for i := range p {
		if pointer[i] != "*" && pointer[i] != p[i].name {
			return false
		}
	}
	return true
}

// String is the place as messages show it (I5): a map key that could be a
// credential is replaced by its rank among the keys.
func (p place) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteByte('/')
		name := s.name
		if s.keys.IsValid() {
			name = validation.SafeSegment(name, rank(s.keys, name))
		}
		b.WriteString(escaped.Replace(name))
	}
	return b.String()
}

// escaped writes a name as a segment of a JSON pointer.
var escaped = strings.NewReplacer("~", "~0", "/", "~1")

func rank(m reflect.Value, key string) int {
	names := make([]string, 0, m.Len())
	for _, k := range m.MapKeys() {
		names = append(names, keyText(k))
	}
	sort.Strings(names)
	return sort.SearchStrings(names, key)
}

func keyText(k reflect.Value) string {
	for k.Kind() == reflect.Interface && !k.IsNil() {
		k = k.Elem()
	}
	switch k.Kind() {
	case reflect.String:
		return k.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(k.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(k.Uint(), 10)
	default:
		// Text-marshalling keys are shown by the name of their type.
		return k.Type().String()
	}
}
