package validation

import (
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestPanicOfTheLibrary shows that a defect of the YAML library is a problem of
// the file and not the end of the process.
func TestPanicOfTheLibrary(t *testing.T) {
	var n yaml.Node
	err := decodeNode(nil, &n) // a decoder that panics
	if err == nil {
		t.Fatal("a panic gives no error")
	}
	ps := &problems{}
	addSyntaxProblem([]byte("version: 1\n"), err, ps)
	if len(ps.list) != 1 || ps.list[0].Text != "is not valid YAML" {
		t.Errorf("a panic is reported as %v", ps.list)
	}
}

// TestUnknownTextsOfTheLibrary shows that a text that may quote the file is not
// passed on.
func TestUnknownTextsOfTheLibrary(t *testing.T) {
	for _, text := range []string{
		"yaml: line 1: cannot decode !!str hunter2 as a !!int",
		"yaml: line 99: found unknown escape character hunter2",
		"yaml: unknown anchor 'hunter2' referenced",
		"hunter2",
	} {
		ps := &problems{}
		addSyntaxProblem([]byte("a: *hunter2\n"), errorText(text), ps)
		if len(ps.list) != 1 || strings.Contains(ps.list[0].Text, "hunter2") || ps.list[0].Line > 2 {
			t.Errorf("%q is reported as %+v", text, ps.list)
		}
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }

// TestLongLinesAreLinear reads a large file of one line. Counting the characters
// of the line again for every node would take minutes.
func TestLongLinesAreLinear(t *testing.T) {
	src := "{version: 1, default: {mode: report, workflows: [" + strings.Repeat("ä!b, ", 100_000) + "x]}}"
	done := make(chan error, 1)
	go func() {
		_, err := ParsePolicies("policy.yaml", []byte(src))
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("repeated elements load")
		}
	case <-time.After(time.Minute):
		t.Fatal("the file is not read within a minute")
	}
}
