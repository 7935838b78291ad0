package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
)

// FuzzLook looks for programs as commands name them: what is found can be executed, and is relative only to a directory
// that the command named itself.
func FuzzLook(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "program"), nil, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Add("program", "/none:"+dir)
	f.Add("./program", "")
	f.Add("program", ":.:..")
	f.Add("..", "/")
	f.Add("", dir)
	f.Add("a\x00b", dir)
	f.Fuzz(func(t *testing.T, name, list string) {
		got, err := program.Look(name, dir, []string{"A=b", "PATH=" + list, "PATHS=" + dir})
		if err != nil {
			return
		}
		at := got
		switch {
		case strings.Contains(name, "/") && got != name:
			t.Errorf("%q became %q", name, got)
		case !strings.Contains(name, "/") && (!filepath.IsAbs(got) || !strings.Contains(list, "/")):
			t.Errorf("%q in %q is %q", name, list, got)
		case !filepath.IsAbs(got):
			at = filepath.Join(dir, got)
		}
		if err := program.Executable(at); err != nil {
			t.Errorf("%q in %q is %q, which is no program: %v", name, list, got, err)
		}
	})
}
