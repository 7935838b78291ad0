package integration_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// survived is what a session puts out before and after its worker was killed: text, or the type of an error.
type survived struct{ Before, Read, Exec string }

// surviving goes on with a session whose worker was killed.
func surviving(ctx workflow.Context) (out survived, err error) {
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	before, err := box.Exec(ctx, shell(`printf 'token=%s\n' "$API_TOKEN" | tee kept`))
	out.Before = cmp.Or(typeOf(err), string(before.Stdout))
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	read, err := box.Read(ctx, "kept")
	out.Read = cmp.Or(typeOf(err), string(read))
	again, err := box.Exec(ctx, shell("cat kept"))
	if errors.Is(err, sandboxclient.ErrMayHaveRun) && typeOf(err) != sandboxhost.ErrorTypeOutputWithheld {
		return out, err
	}
	out.Exec = cmp.Or(typeOf(err), string(again.Stdout))
	return out, nil
}

// typeOf is the type of the error of an application in the chain of err, empty if there is no error.
func typeOf(err error) string {
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &app):
		return app.Type()
	}
	return "another error: " + err.Error()
}

// completes waits for the end of the n-th activity of a run.
func (r *rig) completes(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	_, err := harness.AwaitEvent(ctx, r.plain, r.queue, "", func(e *historypb.HistoryEvent) bool {
		if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			n--
		}
		return n == 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKilledWorkerSessionsEnd: the workflow of a session ends while nobody is there. The next worker removes it.
// Isolated, it has left no process.
func TestKilledWorkerSessionsEnd(t *testing.T) {
	t.Parallel()
	withLaunchers(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		ctx := limited(t)
		r := newRig(t, grantsToken, func(r *rig) { r.handedOver = true })
		dir := t.TempDir()
		left := hosting{sandboxes: filepath.Join(dir, "sandboxes"), sessions: filepath.Join(dir, "sessions")}
		at := pidFileFor(t, l, left.sandboxes)
		what := r.task(l, dir, map[string]string{ref: r.secret}, true)
		first := r.process(t, what)
		run := r.start(ctx, t, r.plain, "Lingering", at.inside)
		pids := at.processesOf(ctx, t, run, l, left.sandboxes)
		first.kill()
		if l.Isolated() {
			wantEnded(ctx, t, pids)
		} else {
			wantEnded(ctx, t, pids[:1])
		}
		if err := r.plain.TerminateWorkflow(ctx, run.GetID(), "", "on purpose"); err != nil {
			t.Fatal(err)
		}
		if len(ids(t, left.sandboxes)) != 1 || len(ids(t, left.sessions)) != 1 || (len(alive(pids)) == 0) != l.Isolated() {
			t.Fatal("the killed worker left no sandbox, record or process behind: the test shows nothing")
		}
		r.process(t, what)
		left.wantNothingLeft(ctx, t, pids...)
	})
}

// TestKilledWorkerSessionsGoOn: the session of a workflow that runs on is taken over by the next worker, which hides
// what the session was given before, or puts nothing out.
func TestKilledWorkerSessionsGoOn(t *testing.T) {
	t.Parallel()
	withLaunchers(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for _, tc := range []struct {
			name string
			next func(t *testing.T, secret string) map[string]string // secrets of the next worker
			want survived
		}{
			{"secret is there", func(_ *testing.T, secret string) map[string]string { return map[string]string{ref: secret} }, survived{"token=[redacted:deploy]\n", "token=[redacted:deploy]\n", "token=[redacted:deploy]\n"}},
			{"secret was rotated", func(t *testing.T, _ string) map[string]string {
				t.Helper()
				return map[string]string{ref: secretstest.Canary(t)}
			}, survived{"token=[redacted:deploy]\n", sandboxhost.ErrorTypeOutputWithheld, sandboxhost.ErrorTypeOutputWithheld}},
			{"secret is gone", func(*testing.T, string) map[string]string { return nil }, survived{"token=[redacted:deploy]\n", sandboxhost.ErrorTypeOutputWithheld, guard.ErrorTypeSecretUnresolved}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				survives(t, l, tc.next, tc.want)
			})
		}
	})
}

// survives has a session outlive its worker, whose next one has other secrets.
func survives(t *testing.T, l local.Launcher, next func(t *testing.T, secret string) map[string]string, want survived) {
	t.Helper()
	ctx := limited(t)
	r := newRig(t, grantsToken, func(r *rig) { r.handedOver = true })
	dir := t.TempDir()
	first := r.process(t, r.task(l, dir, map[string]string{ref: r.secret}, true))
	run := r.start(ctx, t, r.plain, "Surviving")
	r.completes(ctx, t, 3) // create, start, exec
	first.kill()
	r.process(t, r.task(l, dir, next(t, r.secret), true))
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
		t.Fatal(err)
	}
	var out survived
	if err := run.Get(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, out); diff != "" {
		t.Errorf("put out (-want +got):\n%s", diff)
	}
	left := hosting{sandboxes: filepath.Join(dir, "sandboxes"), sessions: filepath.Join(dir, "sessions")}
	left.wantNothingLeft(ctx, t)
	r.absent(ctx, t, r.secret)
}
