//go:build !linux

package cgroup_test

import (
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

var parts map[string]func()

func TestNothingElsewhere(t *testing.T) {
	tree := cgroup.Find(cgroup.Options{})
	for what, m := range tree.Support() {
		if m.Mechanism != "" || m.Reason == "" {
			t.Errorf("%s: got %+v, want a reason alone", what, m)
		}
	}
	if _, err := tree.New(cgroup.Limits{}); !errors.Is(err, cgroup.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}
