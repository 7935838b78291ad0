package sandboxclient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// patch is a patch with these lines.
func patch(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// TestApplyPatch: files are added, changed, moved and removed, after all of them were read.
func TestApplyPatch(t *testing.T) {
	h := newHost()
	h.exec = h.programs
	h.files = map[string]string{"/workspace/a": "1\n2\n", "/workspace/old": "x\ny\n", "/workspace/gone": "z"}
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		return box.ApplyPatch(ctx, patch(
			"*** Update File: a", "@@", "-2", "+3",
			"*** Add File: sub/new", "+n",
			"*** Update File: old", "*** Move to: sub/moved", "-x", "+w",
			"*** Delete File: ./gone",
		))
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"/workspace/a": "1\n3\n", "/workspace/sub/new": "n\n", "/workspace/sub/moved": "w\ny\n"}
	if diff := cmp.Diff(want, h.files); diff != "" {
		t.Error(diff)
	}
	order := []string{
		"read", "exec", "read", "exec", "exec", // a; test new; old, test moved; test gone
		"write",         // a
		"exec", "write", // mkdir, new
		"exec", "write", "exec", // mkdir, moved, rm old
		"exec", // rm gone
	}
	if diff := cmp.Diff(order, h.seen()); diff != "" {
		t.Error(diff)
	}
	var commands []string
	for _, args := range argsOf[operation.ExecArgs](h) {
		commands = append(commands, strings.Join(args.Command, " "))
	}
	want2 := []string{
		"test -f /workspace/sub/new", "test -f /workspace/sub/moved", "test -f /workspace/gone",
		"mkdir -p /workspace/sub", "mkdir -p /workspace/sub", "rm -- /workspace/old", "rm -- /workspace/gone",
	}
	if diff := cmp.Diff(want2, commands); diff != "" {
		t.Error(diff)
	}
}

// TestApplyPatchRefused: a patch that does not fit changes nothing, also where its first part does.
func TestApplyPatchRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		code  backend.Code
		says  string
	}{
		{"malformed", []string{"hello"}, sandboxclient.PatchInvalidDiff, "line 5"},
		{"escape", []string{"*** Add File: ../hunter2", "+x"}, sandboxclient.PatchInvalidPath, "file 2"},
		{"outside", []string{"*** Add File: /etc/hunter2", "+x"}, sandboxclient.PatchInvalidPath, "file 2"},
		{"the root", []string{"*** Delete File: ."}, sandboxclient.PatchInvalidPath, "file 2"},
		{"moved outside", []string{"*** Update File: b", "*** Move to: ../b"}, sandboxclient.PatchInvalidPath, "file 2"},
		{"named twice", []string{"*** Delete File: sub/../a"}, sandboxclient.PatchInvalidPath, "twice"},
		{"moved onto itself", []string{"*** Update File: b", "*** Move to: b"}, sandboxclient.PatchInvalidPath, "twice"},
		{"there already", []string{"*** Add File: b", "+x"}, sandboxclient.PatchInvalidPath, "there already"},
		{"moved to what is there", []string{"*** Update File: b", "*** Move to: bin"}, sandboxclient.PatchInvalidPath, "there already"},
		{"nothing to update", []string{"*** Update File: missing", "-x", "+y"}, sandboxclient.PatchFileNotFound, "file 2"},
		{"nothing to delete", []string{"*** Delete File: missing"}, sandboxclient.PatchFileNotFound, "file 2"},
		{"binary", []string{"*** Update File: bin", "-x", "+y"}, sandboxclient.PatchDecode, "file 2"},
		{"other text", []string{"*** Update File: b", "-hunter2", "+y"}, sandboxclient.PatchInvalidDiff, "change 1"},
		{"redacted", []string{"*** Update File: env", "-B=1", "+B=2"}, "", "marker"},
		{"marker added", []string{"*** Add File: new", "+[redacted:env:A]"}, "", "marker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.exec = h.programs
			h.files = map[string]string{"/workspace/a": "1\n", "/workspace/b": "1\n", "/workspace/bin": "x\xff\n", "/workspace/env": "A=[redacted:env:A]\nB=1\n"}
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				err := box.ApplyPatch(ctx, patch(append([]string{"*** Update File: a", "-1", "+2"}, c.lines...)...))
				var marked *sandboxclient.MarkerError
				if err == nil || sandboxclient.CodeOf(err) != c.code || errors.As(err, &marked) != (c.code == "") || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error = %v, want %s, %q", err, c.code, c.says)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, op := range h.seen() {
				if op == "write" {
					t.Error("a file was written")
				}
			}
		})
	}
}

// TestApplyPatchForced: with Force a file that has a marker is changed around it.
func TestApplyPatchForced(t *testing.T) {
	h := newHost()
	h.files = map[string]string{"/workspace/env": "A=[redacted:env:A]\nB=1\n"}
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		return box.ApplyPatch(ctx, patch("*** Update File: env", "-B=1", "+B=2"), sandboxclient.Force)
	}); err != nil {
		t.Fatal(err)
	}
	if got := h.files["/workspace/env"]; got != "A=[redacted:env:A]\nB=2\n" {
		t.Errorf("got %q", got)
	}
}

// TestApplyPatchCannotLook: a file that cannot be looked for is neither there nor missing.
func TestApplyPatchCannotLook(t *testing.T) {
	h := newHost() // whose commands end with code 3
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		for _, lines := range [][]string{{"*** Add File: a", "+x"}, {"*** Delete File: a"}} {
			if err := box.ApplyPatch(ctx, patch(lines...)); sandboxclient.CodeOf(err) != backend.ExecNonzero {
				t.Errorf("error = %v", err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"exec", "exec"}, h.seen()); diff != "" {
		t.Error(diff)
	}
}

// TestApplyPatchFails: what a host answers keeps its meaning.
func TestApplyPatchFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		fails map[operation.Name][]error
		is    func(error) bool
	}{
		{"read", map[operation.Name][]error{operation.Read: {answer("workspace_archive_read_error")}}, func(err error) bool {
			return sandboxclient.CodeOf(err) == backend.ArchiveRead
		}},
		{"write", map[operation.Name][]error{operation.Write: {errors.New("a hiccup")}}, func(err error) bool {
			return errors.Is(err, sandboxclient.ErrMayHaveRun)
		}},
		{"refused", map[operation.Name][]error{operation.Write: {answer("sandboxguard.PolicyViolation")}}, isType("sandboxguard.PolicyViolation")},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.fails, h.files["/workspace/a"] = c.fails, "1\n"
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				if err := box.ApplyPatch(ctx, patch("*** Update File: a", "-1", "+2")); !c.is(err) || !strings.Contains(err.Error(), "file 1") {
					t.Errorf("error = %v", err)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
