package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// TestCheck shows candidates that save themselves a part of the work to the step that comes before all measuring.
func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		do   func(measured) attempt
		want string
	}{
		{"parts of the guard", func(m measured) attempt { return m.parted }, ""},
		{"all of the guard", func(m measured) attempt { return m.whole }, ""},
		{"nothing", func(measured) attempt {
			return func(args []any, result any) ([]any, any, error) { return args, result, nil }
		}, "a planted value came back"},
		{"an empty result", func(measured) attempt {
			return func(args []any, _ any) ([]any, any, error) { return args, "", nil }
		}, "a planted value came back"},
		{"no references", func(m measured) attempt {
			return func(args []any, result any) ([]any, any, error) {
				_, out, err := m.parted(args, result)
				return args, out, err
			}
		}, "0 of 1 references were injected"},
		{"in place", func(m measured) attempt {
			return func(args []any, result any) ([]any, any, error) {
				got, out, err := m.parted(args, result)
				args[0].(sandbox.Manifest).Entries["one more"] = sandbox.Entry{Type: sandbox.EntryFile}
				return got, out, err
			}
		}, "the arguments were changed in place"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := shapes()[0].prepare("off", audit.Discard(), func(m measured) error { return m.check(tt.do(m)) })
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestYardsticks checks that the other side does its work, too: all data is what it was made of.
func TestYardsticks(t *testing.T) {
	s, err := newSealer()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(manifest(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	if s.open(s.seal(data)); string(s.opened) != string(data) {
		t.Errorf("%q was sealed, and %q opened", data, s.opened)
	}
}
