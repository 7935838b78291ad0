package sandbox_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

func asError(t *testing.T, err error) *sandbox.Error {
	t.Helper()
	var e *sandbox.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *sandbox.Error", err)
	}
	return e
}

// wantFaults checks the faults of err, each written as "path rule".
func wantFaults(t *testing.T, name string, err error, want ...string) {
	t.Helper()
	var e *sandbox.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: got error %v, want %q", name, err, want)
		return
	}
	var got []string
	for _, f := range e.Faults {
		got = append(got, f.Path+" "+f.Rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: faults (-want +got):\n%s", name, diff)
	}
}

// wantRule checks that one of the faults of err is of the rule.
func wantRule(t *testing.T, name string, err error, rule string) {
	t.Helper()
	var e *sandbox.Error
	if !errors.As(err, &e) || !slices.ContainsFunc(e.Faults, func(f sandbox.Fault) bool { return f.Rule == rule }) {
		t.Errorf("%s: got error %.500v, want rule %s", name, err, rule)
	}
}
