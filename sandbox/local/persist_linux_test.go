package local_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestPersistNames checks that names of any bytes, which a command can give, are in the archive and hold up nothing.
func TestPersistNames(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, `d=$(printf '\331'); mkdir "$d"; touch "$d/a"; ln -s "$d/a" l`)
	var out bytes.Buffer
	if err := s.Persist(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := []string{`5 "./" "" 0 700`, `2 "./l" "\xd9/a" 0 777`, `5 "./\xd9/" "" 0 755`, `0 "./\xd9/a" "" 0 644`}
	if diff := cmp.Diff(want, contents(t, &out)); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
}
