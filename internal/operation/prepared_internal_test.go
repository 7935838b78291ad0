package operation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnprepared: what is prepared is told apart from every other command.
func TestUnprepared(t *testing.T) {
	words, env := []string{"cat", "/workspace/f"}, []string{"A=b"}
	for _, c := range []struct {
		name          string
		command, left []string
		dir           string
	}{
		{"directory", Prepared("", "/workspace/d", nil, words), []string{"sh", "-c", call, "sh", "--", "cat", "/workspace/f"}, "/workspace/d"},
		{"all", Prepared("/workspace/in", "/workspace/d", env, words), []string{"sh", "-c", feed + call, "sh", "/workspace/in", "A=b", "--", "cat", "/workspace/f"}, "/workspace/d"},
		{"program", words, words, ""},
		{"nothing", nil, nil, ""},
		{"another script", []string{"sh", "-c", "x; " + enter + call, "sh", "/d"}, []string{"sh", "-c", "x; " + enter + call, "sh", "/d"}, ""},
		{"another name", []string{"sh", "-c", enter + call, "x", "/d"}, []string{"sh", "-c", enter + call, "x", "/d"}, ""},
		{"cut short", []string{"sh", "-c", feed + enter + call, "sh", "/in"}, []string{"sh", "-c", feed + enter + call, "sh", "/in"}, ""},
	} {
		left, dir := Unprepared(c.command)
		if diff := cmp.Diff(c.left, left); diff != "" || dir != c.dir {
			t.Errorf("%s: in %q\n%s", c.name, dir, diff)
		}
	}
}
