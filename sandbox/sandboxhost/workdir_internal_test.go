package sandboxhost

import "testing"

func TestWorkdir(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"cd /workspace && ls", "cd . && ls"},
		{"cd /workspace/ && ls", "cd . && ls"},
		{"cd /workspace/a/b && make | tail; x || y", "cd ./a/b && make | tail; x || y"},
		{"cd /workspace/a/../b && ls", "cd ./b && ls"},
		{"cd '/workspace/a b' && ls", "cd './a b' && ls"},
		{`cd '/workspace/it'"'"'s' && ls`, `cd './it'"'"'s' && ls`},
		{`cd '/workspace/$HOME' && ls`, `cd './$HOME' && ls`},
		{"cd /workspace/a && cd /workspace/b && ls", "cd ./a && cd /workspace/b && ls"}, // only the first is a caller's
		{"cd /workspace/a &&\nls", ""},
		{"cd /workspace/a && ", ""},
		{"cd /workspace/a &&", ""},
		{"cd /workspace/a ; ls", ""},
		{"cd /workspace/a  && ls", ""},
		{"cd  /workspace/a && ls", ""},
		{" cd /workspace/a && ls", ""},
		{"cd /workspace/a b && ls", ""},
		{"cd -P /workspace/a && ls", ""},
		{"cd /workspace/*/a && ls", ""},
		{"cd /workspace/$A && ls", ""},
		{`cd "/workspace/$A" && ls`, ""},
		{"cd /workspace/$(a) && ls", ""},
		{`cd /workspace/a\ b && ls`, ""},
		{"cd '/workspace/a && ls", ""},
		{"cd /workspace/../etc && ls", ""},
		{"cd /workspaces && ls", ""},
		{"cd /etc && ls", ""},
		{"cd a && ls", ""},
		{"cd  && ls", ""},
		{"cd '' && ls", ""},
		{"ls /workspace", ""},
		{"", ""},
	} {
		if c.want == "" {
			c.want = c.script
		}
		if got := inWorkdir(c.script); got != c.want {
			t.Errorf("%q became %q, want %q", c.script, got, c.want)
		}
	}
}
