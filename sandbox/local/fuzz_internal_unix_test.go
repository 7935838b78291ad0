//go:build linux || darwin

package local

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// FuzzRecord reads records of running commands, and what commands put in their place: none is longer than records are,
// and no name stands for the worker's own group, for all processes or for the first one.
func FuzzRecord(f *testing.F) {
	f.Add("12", []byte("0b5c6a80-1111-2222-3333-444444444444/99"))
	f.Add("+12", []byte{})
	f.Add("-1", make([]byte, maxRecord))
	f.Add("1", make([]byte, maxRecord+1))
	f.Add("007", []byte("\x00"))
	dir := f.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = root.Close() })
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if pid, ok := recordedPID(name); ok && (pid <= 1 || strconv.Itoa(pid) != name) {
			t.Errorf("%q is the record of %d", name, pid)
		}
		if err := os.WriteFile(filepath.Join(dir, "12"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		want := string(data)
		if len(data) > maxRecord {
			want = ""
		}
		if got, err := recorded(root, "12"); err != nil || got != want {
			t.Errorf("a record of %d bytes was read as %q, %v", len(data), got, err)
		}
	})
}
