package sandboxhost

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
)

func TestCommand(t *testing.T) {
	inDir, _ := operation.Unprepared(operation.Prepared("", "/workspace/d", nil, []string{"pwd"}))
	for _, c := range []struct {
		name, kind string
		args       operation.ExecArgs
		want       []string
		dir        string
	}{
		{"script", "unix_local", operation.ExecArgs{Command: []string{"ls -la | head"}}, []string{"sh", "-c", "ls -la | head"}, ""},
		{"script in a directory", "unix_local", operation.ExecArgs{Command: []string{"cd /workspace/a && ls"}}, []string{"sh", "-c", "cd ./a && ls"}, ""},
		{"no shell in a directory", "unix_local", operation.ExecArgs{Command: []string{"cd /workspace/a && ls"}, Shell: operation.Shell{Off: true}}, []string{"cd /workspace/a && ls"}, ""},
		{"login shell", "docker", operation.ExecArgs{Command: []string{"ls"}}, []string{"sh", "-lc", "ls"}, ""},
		{"joined", "unix_local", operation.ExecArgs{Command: []string{"echo", "a b", "it's", "", "$HOME", "x=1"}}, []string{"sh", "-c", `echo 'a b' 'it'"'"'s' '' '$HOME' x=1`}, ""},
		{"own shell", "unix_local", operation.ExecArgs{Command: []string{"a", "b"}, Shell: operation.Shell{Prefix: []string{"bash", "-lc"}}}, []string{"bash", "-lc", "a b"}, ""},
		{"no shell", "unix_local", operation.ExecArgs{Command: []string{"a b", "c"}, Shell: operation.Shell{Off: true}}, []string{"a b", "c"}, ""},
		{"in a directory", "unix_local", operation.ExecArgs{Command: operation.Prepared("", "/workspace/d", nil, []string{"pwd"}), Shell: operation.Shell{Off: true}}, inDir, "/workspace/d"},
	} {
		got, err := (&Host{kind: c.kind}).command(c.args)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got.Args); diff != "" || got.Dir != c.dir {
			t.Errorf("%s: in %q %s", c.name, got.Dir, diff)
		}
	}
}

// FuzzQuote holds that words survive, as a shell of POSIX has it: within quotes there is nothing special.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "a", "it's", "$(x) `y` \\", "\n", "'", "ü", "~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := unquoted(quote(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// unquoted reads a word that consists of quoted parts, or of harmless characters.
func unquoted(word string) string {
	var out strings.Builder
	for word != "" {
		if quote := word[0]; quote == '\'' || quote == '"' {
			inner, rest, _ := strings.Cut(word[1:], string(quote))
			out.WriteString(inner)
			word = rest
			continue
		}
		out.WriteByte(word[0])
		word = word[1:]
	}
	return out.String()
}
