package redact

import (
	"html"
	"testing"
)

// TestShortNames checks the names of entities that are not looked up against those that there are.
func TestShortNames(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#"
	names := []string{""}
	for _, a := range letters {
		names = append(names, string(a))
		for _, b := range letters {
			names = append(names, string(a)+string(b))
		}
	}
	known := 0
	for _, name := range names {
		entity := "&" + name + ";"
		decoded := html.UnescapeString(entity)
		if want := decoded != entity && decoded[len(decoded)-1] != ';'; want {
			known++
			if !mayName(name) {
				t.Errorf("%s stands for %q, but is not looked up", entity, decoded)
			}
		}
	}
	if known < len(shortNames)/len("lt ") {
		t.Errorf("%d names, of which %d are listed", known, len(shortNames)/len("lt "))
	}
}
