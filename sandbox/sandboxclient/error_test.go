package sandboxclient_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestErrors: both spellings of a code, and what is told of it.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err       error
		code      backend.Code
		retryable bool
	}{
		{answer("workspace_archive_read_error"), backend.ArchiveRead, false},
		{temporal.NewApplicationError("x", "WorkspaceArchiveReadError"), backend.ArchiveRead, true},
		{temporal.NewApplicationError("x", "MountToolMissingError"), "mount_missing_tool", true},
		{temporal.NewApplicationError("x", "ValueError"), "", false},
		{temporal.NewNonRetryableApplicationError("x", "Outer", answer("git_clone_error")), backend.GitClone, false},
	} {
		h := newHost()
		h.fails[operation.Persist] = []error{c.err, c.err, c.err}
		err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			_, err := box.Persist(ctx)
			var e *sandboxclient.Error
			var called *temporal.ActivityError
			if !errors.As(err, &called) || sandboxclient.CodeOf(err) != c.code {
				t.Errorf("%v: error = %v", c.err, err)
			}
			if errors.As(err, &e) && (e.Op != "persist" || e.Retryable != c.retryable) {
				t.Errorf("%v: error = %+v", c.err, e)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMayHaveRun: which ends of a command leave open whether it ran.
func TestMayHaveRun(t *testing.T) {
	timeout := func(kind enumspb.TimeoutType) error { return temporal.NewTimeoutError(kind, nil) }
	for _, c := range []struct {
		name string
		err  error
		open bool
	}{
		{"start to close", timeout(enumspb.TIMEOUT_TYPE_START_TO_CLOSE), true},
		{"heartbeat", timeout(enumspb.TIMEOUT_TYPE_HEARTBEAT), true},
		{"schedule to close", timeout(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE), true},
		{"the host does not know", answer(operation.MayHaveRun), true},
		{"timeout of the command", answer("exec_timeout"), true},
		{"timeout of the command, as a class", answer("ExecTimeoutError"), true},
		{"output withheld", answer(operation.OutputWithheld), true},
		{"an error that says nothing", errors.New("a hiccup"), true},
		{"cancelled by the host", temporal.NewCanceledError(), true},
		{"not started", answer("exec_transport_error"), false},
		{"not started, as a class", temporal.NewApplicationError("x", "ExecTransportError"), false},
		{"output refused", answer("sandboxguard.PolicyViolation"), true},
		{"not granted", answer("sandboxguard.SecretNotGranted"), false},
		{"no secret", answer("TemporalWorkerEnvValueUnresolved"), false},
		{"bad argument", answer(operation.InvalidArgument), false},
		{"gone", answer("workspace_root_not_found"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.fails[operation.Exec] = []error{c.err}
			h.fails[operation.Write] = []error{c.err}
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				_, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}})
				if err == nil || errors.Is(err, sandboxclient.ErrMayHaveRun) != c.open {
					t.Errorf("exec: %v", err)
				}
				if err := box.Write(ctx, "a", nil); err == nil || errors.Is(err, sandboxclient.ErrMayHaveRun) != c.open {
					t.Errorf("write: %v", err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"exec", "write"}, h.seen()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefusedUnscheduled: what the guard refuses in workflow code is returned as it is, and did not run.
func TestRefusedUnscheduled(t *testing.T) {
	refused := answer("sandboxguard.PolicyViolation")
	h := newHost()
	h.refuse = map[operation.Name]error{operation.Exec: refused, operation.Read: refused}
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		if _, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}}); err != refused { //nolint:errorlint // the same error is wanted
			t.Errorf("exec: %v", err)
		}
		if _, err := box.Read(ctx, "a"); err != refused { //nolint:errorlint // the same error is wanted
			t.Errorf("read: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
