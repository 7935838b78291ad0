package interceptor

import (
	"reflect"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A finder tells whether a value may hold anything that a walk would act on. It
// builds no places and, where there is nothing, allocates nothing: most values
// hold nothing, and then the walk does not take place. It errs towards yes only:
// what it cannot tell, or would have to encode, the walk looks at.
type finder struct {
	guard bool // look for secrets.Values, manifests and run configs
	// refs leaves out the manifests that name no secret.
	refs bool
	// objects looks for maps that are read as manifests and run configs.
	objects bool
	text    *search // look at texts, unless nil
	// encoded looks at numbers as well, and finds each type of which only its
	// encoding shows what it writes.
	encoded bool
	// unsent looks at fields that JSON leaves out as well.
	unsent bool

	visited int
	gaveUp  bool // the value is deeper or larger than a finder looks
}

// A search says which texts a finder finds.
type search struct {
	hidden *redact.Set
	// literals finds text with the form of a credential; named also random text
	// that stands under the name of one.
	literals, named bool
	// destinations finds text under a name that chooses a destination.
	destinations bool
}

func (s *search) finds(key, text string) bool {
	switch {
	case text == "":
		return false
	case s.hidden.ContainsString(text):
		return true
	case s.destinations && validation.DestinationField(key):
		return true
	case !s.literals:
		return false
	case s.named:
		return credentialKind(key, text) != ""
	}
	return len(validation.DetectCredentials(text)) > 0
}

// findsBytes is finds for a text in bytes, and for archives and other binary data.
func (s *search) findsBytes(key string, data []byte) bool {
	if s.hidden.Contains(data) {
		return true
	}
	if len(data) == 0 || !(s.literals || s.destinations) || !utf8.Valid(data) {
		return false
	}
	return s.finds(key, string(data))
}

// any looks at a value. left is how many levels below it are looked at.
func (f *finder) any(v any, key string, left int) bool {
	switch x := v.(type) {
	case nil, bool:
		return false
	case string:
		return f.text != nil && f.text.finds(key, x)
	case float64:
		return f.encoded && f.float(x, 64)
	case map[string]any:
		return f.object(x, key, left)
	case []any:
		return f.list(x, key, left)
	case []byte:
		return f.text != nil && f.text.findsBytes(key, x)
	}
	return f.value(reflect.ValueOf(v), key, left)
}

// tooFar is true where a finder gives up.
func (f *finder) tooFar(left int) bool {
	f.visited++
	if left < 0 || f.visited > maxVisited {
		f.gaveUp = true
	}
	return f.gaveUp
}

func (f *finder) object(m map[string]any, key string, left int) bool {
	if m == nil {
		return false
	}
	if f.tooFar(left) || f.objects && namesGuardData(key) {
		return true
	}
	for k, v := range m {
		if f.text != nil && f.text.finds("", k) || f.any(v, k, left-1) {
			return true
		}
	}
	return false
}

func (f *finder) list(l []any, key string, left int) bool {
	if f.tooFar(left) {
		return true
	}
	if namesGuardData(key) {
		key = "" // a map in a list is not the map under the key
	}
	for _, v := range l {
		if f.any(v, key, left-1) {
			return true
		}
	}
	return false
}

// namesGuardData is true for the keys whose maps are read as run configs and
// manifests.
func namesGuardData(key string) bool { return key == "sandbox" || key == "manifest" }
