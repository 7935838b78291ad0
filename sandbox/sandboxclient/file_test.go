package sandboxclient_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestMarkers: what was redacted is not written back, unless that is asked for.
func TestMarkers(t *testing.T) {
	for _, c := range []struct {
		data   string
		offset int // -1 if there is no marker
	}{
		{"token=[redacted:env:TOKEN]\n", 6},
		{"[redacted]", 0},
		{"[redacted", -1},
		{"the [redacted, and [redactedx]: ", -1},
		{"[redacted[redacted:a", 9},
		{"\xff[redacted:a]", 1},
		{"", -1},
	} {
		h := newHost()
		if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			stdin := sandboxclient.Command{Args: []string{"x"}, Stdin: []byte(c.data)}
			_, inputErr := box.Exec(ctx, stdin)
			for what, err := range map[string]error{
				"write": box.Write(ctx, "a", []byte(c.data)), "hydrate": box.Hydrate(ctx, []byte(c.data)), "input": inputErr,
			} {
				var marked *sandboxclient.MarkerError
				switch found := errors.As(err, &marked); {
				case found != (c.offset >= 0):
					t.Errorf("%s of %q: %v", what, c.data, err)
				case found && marked.Offset != c.offset:
					t.Errorf("%s of %q: at %d, want %d", what, c.data, marked.Offset, c.offset)
				}
			}
			if _, written := h.files["a"]; written != (c.offset < 0) || c.offset >= 0 && len(h.seen()) > 0 {
				t.Errorf("%q: the files are %q after %v", c.data, h.files, h.seen())
			}
			stdin.ForceStdin = true
			_, inputErr = box.Exec(ctx, stdin)
			return errors.Join(inputErr, box.Write(ctx, "b", []byte(c.data), sandboxclient.Force), box.Hydrate(ctx, []byte(c.data), sandboxclient.Force))
		}); err != nil {
			t.Fatal(err)
		}
		if h.files["b"] != c.data {
			t.Errorf("%q: the files are %q", c.data, h.files)
		}
	}
}

// TestInputRemoved: the input of a command that has not begun is removed, and no other.
func TestInputRemoved(t *testing.T) {
	for _, c := range []struct {
		name   string
		fails  map[operation.Name][]error
		cancel bool // when the input is written
		seen   []string
		drops  bool // the last command removes the input
	}{
		{"run", nil, false, []string{"write", "exec"}, false},
		{"not begun", map[operation.Name][]error{operation.Exec: {answer("exec_transport_error")}}, false, []string{"write", "exec", "exec"}, true},
		{"not granted", map[operation.Name][]error{operation.Exec: {answer("sandboxguard.SecretNotGranted")}}, false, []string{"write", "exec", "exec"}, true},
		{"written in part", map[operation.Name][]error{operation.Write: {answer("workspace_archive_write_error")}}, false, []string{"write", "exec"}, true},
		{"cancelled before", nil, true, []string{"write", "exec"}, true},
		{"perhaps run", map[operation.Name][]error{operation.Exec: {answer("ExecTransportError")}}, false, []string{"write", "exec"}, false},
		{"no sandbox", map[operation.Name][]error{operation.Exec: {notHere}, operation.Resume: {notHere}}, false, []string{"write", "exec", "resume"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			if c.fails != nil {
				h.fails = c.fails
			}
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				ctx, cancel := workflow.WithCancel(ctx)
				defer cancel()
				if c.cancel {
					h.written = cancel
				}
				if _, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}, Stdin: []byte("in")}); (err == nil) != (c.name == "run") {
					t.Errorf("exec: %v", err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.seen, h.seen()); diff != "" {
				t.Error(diff)
			}
			drops := false
			for _, args := range argsOf[operation.ExecArgs](h) {
				drops = args.Command[0] == "rm" && args.Command[3] == argsOf[operation.WriteArgs](h)[0].Path
			}
			if drops != c.drops {
				t.Errorf("the input was removed: %t", drops)
			}
		})
	}
}

// TestInputNames: no two inputs share a file, also if a workflow has two handles of one session, and the names are the
// same each time that the workflow's code runs.
func TestInputNames(t *testing.T) {
	names := func() []string {
		h := newHost()
		if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			state, command := box.State(), sandboxclient.Command{Args: []string{"x"}, Stdin: []byte("in")}
			other, otherErr := client.Attach(ctx, state)
			third, thirdErr := client.Resume(ctx, state)
			if err := errors.Join(otherErr, thirdErr); err != nil {
				return err
			}
			for range 2 {
				for _, box := range []*sandboxclient.Sandbox{box, other, third} {
					if _, err := box.Exec(ctx, command); err != nil {
						return err
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, args := range argsOf[operation.WriteArgs](h) {
			names = append(names, args.Path)
		}
		return names
	}
	first := names()
	if diff := cmp.Diff(first, names()); diff != "" {
		t.Error(diff)
	}
	slices.Sort(first)
	if len(slices.Compact(first)) != 6 {
		t.Errorf("the inputs are in %v", first)
	}
}

// TestDirectories: the commands behind the operations on directories, which no shell reads.
func TestDirectories(t *testing.T) {
	h := newHost()
	h.exec = h.programs
	h.files["/workspace/a/f"] = ""
	config := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Cwd: "a", Manifest: &sandbox.Manifest{
		ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}},
	}}}
	if err := run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, config)
		if err != nil {
			return err
		}
		for _, outside := range []string{"..", "/srv", "/srv/database", "/", "a\x00"} {
			if err := box.Mkdir(ctx, outside); sandboxclient.CodeOf(err) != backend.InvalidManifestPath {
				t.Errorf("mkdir %q: %v", outside, err)
			}
		}
		if box.Remove(ctx, ".") == nil || box.RemoveAll(ctx, "a/..") == nil {
			t.Error("the workspace was removed")
		}
		if err := box.Remove(ctx, "missing"); sandboxclient.CodeOf(err) != backend.ExecNonzero {
			t.Errorf("remove: %v", err)
		}
		if entries, err := box.List(ctx, "/srv/data"); err != nil || len(entries) != 0 {
			t.Errorf("list: %v, %v", entries, err)
		}
		return errors.Join(box.Mkdir(ctx, "a/./b"), box.Remove(ctx, "a/f"), box.RemoveAll(ctx, "-x y"))
	}); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, args := range argsOf[operation.ExecArgs](h) {
		if !args.Shell.Off {
			t.Errorf("%v is read by a shell", args.Command)
		}
		got = append(got, args.Command)
	}
	want := [][]string{
		{"rm", "--", "/workspace/missing"},
		{"ls", "-la", "--", "/srv/data"},
		{"mkdir", "-p", "/workspace/a/b"},
		{"rm", "--", "/workspace/a/f"},
		{"rm", "-rf", "--", "/workspace/-x y"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
