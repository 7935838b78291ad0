package interceptor

import (
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

// TestEditBelowANamedInterface: a nil of an interface type with methods cannot
// become a map; it is no place, and no panic.
func TestEditBelowANamedInterface(t *testing.T) {
	for _, text := range []string{"/0/say/token", "/0/says/k/token", "/0/say", "/0/says/k"} {
		at, err := validation.ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: panic %v", text, p)
				}
			}()
			_, err := editArgs([]any{editShape{}}, at, write("new"))
			if !errors.Is(err, errNoPlace) && !errors.Is(err, errNotText) {
				t.Errorf("%s: %v", text, err)
			}
		}()
	}
}

// TestIndexesAreCanonical: RFC 6901 knows no sign and no leading zero, and grants
// are matched by the exact segment.
func TestIndexesAreCanonical(t *testing.T) {
	for _, seg := range []string{"+0", "00", "-0", " 0"} {
		if _, err := elements(seg, 1); !errors.Is(err, errNoPlace) {
			t.Errorf("%q: %v", seg, err)
		}
	}
}
