package validation_test

import (
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

// TestDetectAtEachPlace: texts are looked at several bytes at a time, and a
// credential may begin and end at any of them.
func TestDetectAtEachPlace(t *testing.T) {
	token := "npm" + "_" + expand("{base62:36}", 1)
	for before := range 13 {
		for after := range 13 {
			text := strings.Repeat(" ", before) + token + strings.Repeat(" ", after)
			found := validation.DetectCredentials(text)
			if len(found) != 1 || found[0].Start != before || found[0].End != before+len(token) {
				t.Errorf("%d bytes before and %d behind: found %v", before, after, found)
			}
		}
	}
}
