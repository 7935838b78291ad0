package local_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestNative(t *testing.T) {
	b, err := local.New(local.Options{Dir: filepath.Join(t.TempDir(), "b")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: sandbox.Manifest{Entries: map[string]sandbox.Entry{"input/a": {Type: sandbox.EntryFile, Content: "x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "pwd; id; ls -la / /dev /workspace; cat /proc/self/status | grep -i 'cap\\|secc\\|nonew'; env; cat /proc/mounts; ls -la /proc/self/fd; cat /proc/1/environ | head -c 100; ls -la /proc/1/exe; touch input/b; touch c; ls -la; cat /proc/self/cgroup; hostname"}, Stdout: &out, Stderr: &out})
	t.Logf("%v %v\n%s", r, err, out.String())
}
