package integration_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// told is what a workflow has seen of a sandbox.
type told struct {
	Stdout, Stderr, File string
	// Archive is the type of the error that the archive of the workspace ended in, if it did.
	Archive string
}

// tells prints its variable and keeps it in a file, once it is let go on.
const tells = `mkfifo go && : >up && cat go && printf 'token=%s\n' "$API_TOKEN" && printf 'no %s\n' "$API_TOKEN" >&2 && printf 'kept %s\n' "$API_TOKEN" >kept`

// telling is a workflow that shows its token wherever it can. What is planted is in all that workflow code itself
// hands over.
func telling(token sandbox.EnvValue, planted string) func(workflow.Context) (told, error) {
	return func(ctx workflow.Context) (out told, err error) {
		workflow.GetLogger(ctx).Info("telling", "planted", planted)
		box, err := boxes.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &sandbox.Manifest{
			Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"API_TOKEN": token}},
			Entries:     map[string]sandbox.Entry{"note.txt": {Type: "file", Content: planted}},
		}}})
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, box.Close(ctx)) }()
		result, err := box.Exec(ctx, shell(tells, planted))
		if err != nil {
			return out, err
		}
		out.Stdout, out.Stderr = string(result.Stdout), string(result.Stderr)
		data, err := box.Read(ctx, "kept")
		out.File = string(data)
		if err != nil {
			return out, err
		}
		var app *temporal.ApplicationError
		if _, err = box.Persist(ctx); errors.As(err, &app) {
			out.Archive, err = app.Type(), nil
		}
		return out, err
	}
}

// watched runs the workflow telling and returns what it was told, with all that could be seen meanwhile and afterwards.
func watched(t *testing.T, l local.Launcher, r *rig, c client.Client, token sandbox.EnvValue, planted string) (told, []harness.Blob) {
	t.Helper()
	ctx := limited(t)
	h := hostsOf(t, l, c, r.queue, t.TempDir(), r.log, func(w worker.Registry) { named(w, "Telling", telling(token, planted)) })
	run := r.start(ctx, t, r.plain, "Telling")
	appears(ctx, t, run, filepath.Join(h.sandboxes, "*", "workspace", "up"))
	if len(harness.Search(r.secret, processes(t, "environ"))) == 0 {
		t.Error("no process has the token")
	}
	blobs := slices.Concat(files(t, h.sessions, "record"), files(t, h.sandboxes, "workspace"), processes(t, "cmdline"))
	if err := os.WriteFile(appears(ctx, t, run, filepath.Join(h.sandboxes, "*", "workspace", "go")), nil, 0); err != nil {
		t.Fatal(err)
	}
	var out told
	if err := run.Get(ctx, &out); err != nil {
		t.Fatal(err)
	}
	h.wantNothingLeft(ctx, t)
	if err := h.stop(); err != nil {
		t.Error(err)
	}
	visible, err := harness.VisibleFamily(ctx, r.plain, server.Namespace(), r.family(ctx, t))
	if err != nil {
		t.Fatal(err)
	}
	denied, err := json.Marshal(h.denied.all())
	if err != nil {
		t.Fatal(err)
	}
	return out, slices.Concat(blobs, visible, []harness.Blob{
		{Where: "log", Data: r.log.Bytes()}, {Where: "audit", Data: r.sink.json(t)}, {Where: "audit of the host", Data: denied},
	})
}

// TestSandboxKeepsItsSecret runs a session whose commands have a token and show it. The token is in no place that is
// kept, and in all of them if it is a literal and the guard is not there.
func TestSandboxKeepsItsSecret(t *testing.T) {
	t.Parallel()
	withLaunchers(t, keepsItsSecret)
}

func keepsItsSecret(t *testing.T, l local.Launcher) {
	t.Helper()
	t.Run("guarded", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, grantsToken)
		out, seen := watched(t, l, r, r.client, withToken().Sandbox.Manifest.Environment.Values["API_TOKEN"], "nothing")
		want := told{
			Stdout: "token=[redacted:deploy]\n", Stderr: "no [redacted:deploy]\n", File: "kept [redacted:deploy]\n",
			Archive: operation.OutputWithheld,
		}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		for _, hit := range harness.Search(r.secret, seen) {
			t.Errorf("the token stands in: %s", hit)
		}
		if n := len(r.sink.of("inject")); n != 1 {
			t.Errorf("%d records of values that a session was given, want 1", n)
		}
	})
	t.Run("not guarded", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, grantsToken)
		out, seen := watched(t, l, r, r.plain, sandbox.EnvLiteral(r.secret), r.secret)
		if want := "token=" + r.secret + "\n"; out.Stdout != want {
			t.Error("the command did not print the token")
		}
		found := map[string]bool{}
		for _, hit := range harness.Search(r.secret, seen) {
			place, _, _ := strings.Cut(strings.TrimPrefix(hit.Where, "run 1 Telling: "), " ")
			found[place] = true
		}
		for _, place := range []string{"history", "record", "workspace", "cmdline", "log"} {
			if !found[place] {
				t.Errorf("the token was not found in the %s: the search shows nothing", place)
			}
		}
	})
}
