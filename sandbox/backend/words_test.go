package backend_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

func TestFileNotFound(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.txt":                     "a/b.txt",
		"/workspace/a":                "/workspace/a",
		"./a//../b/":                  "./a//../b/",
		"a/two words":                 "a/1",
		"key\nfile not found":         "0",
		"AKIA" + "QYLPMN5HFIQR7XYA/x": "0/x",
	} {
		if diff := cmp.Diff(&backend.Error{Code: "workspace_read_not_found", Message: "file not found: " + want}, backend.FileNotFound(path)); diff != "" {
			t.Error(diff)
		}
	}
}
