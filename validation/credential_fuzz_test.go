package validation_test

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

// FuzzDetect checks on any text that findings are in order, do not overlap and lie within it, that their
// kinds are known, and that what was found is found again where it stands alone.
func FuzzDetect(f *testing.F) {
	for _, line := range readCorpus(f, "true.txt", 3) {
		text, _ := expectation(line, expand(line.text, 1))
		f.Add(line.key, text)
	}
	for _, line := range readCorpus(f, "lookalike.txt", 2) {
		f.Add(line.key, expand(line.text, 1))
	}
	kinds := map[string]bool{}
	for _, kind := range validation.CredentialKinds() {
		kinds[kind] = true
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		found := validation.DetectCredentials(text)
		for _, list := range [][]validation.Finding{found, validation.DetectNamed(key, text)} {
			end := 0
			for _, f := range list {
				if f.Start < end || f.End <= f.Start || f.End > len(text) {
					t.Fatalf("%v in %q", list, text)
				}
				if !kinds[f.Kind] {
					t.Errorf("%q is no listed kind", f.Kind)
				}
				end = f.End
			}
		}
		if found != nil && validation.DetectNamed(key, text) == nil {
			t.Errorf("%q hides what is in %q", key, text)
		}
	})
}
