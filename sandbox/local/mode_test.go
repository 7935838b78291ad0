package local_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestModes checks the modes of entries, and that none of them keeps the sandbox from being deleted.
func TestModes(t *testing.T) {
	perm := func(owner, group, other int) *sandbox.Permissions {
		return &sandbox.Permissions{Owner: owner, Group: group, Other: other}
	}
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"default":    {Type: sandbox.EntryFile},
		"private":    {Type: sandbox.EntryFile, Permissions: perm(6, 0, 0)},
		"read-only":  {Type: sandbox.EntryFile, Permissions: perm(4, 4, 4)},
		"nothing":    {Type: sandbox.EntryFile, Permissions: perm(0, 0, 0)},
		"closed":     {Type: sandbox.EntryDir, Permissions: perm(5, 0, 0), Children: map[string]sandbox.Entry{"deep": {Type: sandbox.EntryDir, Permissions: perm(5, 5, 5), Children: map[string]sandbox.Entry{"x": {Type: sandbox.EntryFile, Permissions: perm(7, 1, 0)}}}}},
		"default-in": {Type: sandbox.EntryDir},
	}}
	b := newBackend(t)
	s := started(t, b, m)
	want := "-rwxr-xr-x default\n-rw------- private\n-r--r--r-- read-only\n---------- nothing\ndr-x------ closed\n" +
		"dr-xr-xr-x closed/deep\n-rwx--x--- closed/deep/x\ndrwxr-xr-x default-in\n"
	got := sh(t, s, "for f in default private read-only nothing closed closed/deep closed/deep/x default-in; do ls -ld $f | cut -c 1-10 | tr '\\n' ' '; echo $f; done")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got)\n%s", diff)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Errorf("directories that let nobody write keep the sandbox from being deleted: %v", err)
	}
}
