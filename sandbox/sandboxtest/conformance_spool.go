package sandboxtest

import (
	"bytes"
	"io"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// spool is for sandboxes that keep large output.
func (c Conformance) spool(t *testing.T) {
	s, ok := c.started(t, sandbox.Manifest{}).(backend.Spooler)
	if !ok {
		return
	}
	at := backend.SpoolDir + "/a.stdout"
	w, err := s.Spool(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := io.WriteString(w, "part\xff"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, at); got != "part\xffpart\xffpart\xff" {
		t.Errorf("spooled %q", got)
	}
	for _, name := range []string{"../outside", "/etc/outside"} {
		if w, err := s.Spool(t.Context(), name); err == nil && w.Close() == nil {
			t.Errorf("%s was made", name)
		}
	}
	var archive bytes.Buffer
	if err := s.Persist(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(archive.Bytes(), []byte("a.stdout")) {
		t.Error("what was spooled is in an archive")
	}
}
