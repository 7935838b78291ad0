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

// TestMayHaveRun: which ends of an operation with one attempt leave open whether it ran.
func TestMayHaveRun(t *testing.T) {
	timeout := func(kind enumspb.TimeoutType) error { return temporal.NewTimeoutError(kind, nil) }
	class := func(kind string) error { return temporal.NewApplicationError("x", kind) }
	for _, c := range []struct {
		name string
		err  error
		// exec is true if a command may have run, write the same of a write and of an unpacking.
		exec, write bool
	}{
		{"start to close", timeout(enumspb.TIMEOUT_TYPE_START_TO_CLOSE), true, true},
		{"heartbeat", timeout(enumspb.TIMEOUT_TYPE_HEARTBEAT), true, true},
		{"schedule to close", timeout(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE), true, true},
		{"the host does not know", answer(operation.MayHaveRun), true, true},
		{"timeout of the command", answer("exec_timeout"), true, true},
		{"timeout of the command, as a class", answer("ExecTimeoutError"), true, true},
		{"output withheld", answer(operation.OutputWithheld), true, true},
		{"an error that says nothing", errors.New("a hiccup"), true, true},
		{"an error of Python", class("RuntimeError"), true, true},
		{"cancelled by the host", temporal.NewCanceledError(), true, true},
		{"output refused", answer("sandboxguard.PolicyViolation"), true, true},
		{"a refusal that is not known", answer("sandboxguard.Later"), true, true},
		{"the sandbox was lost", class("ExecTransportError"), true, true},
		{"the sandbox was lost, as a terminal class", answer("ExecTransportError"), true, true},
		{"a code that would be tried again", class("exec_transport_error"), true, true},
		{"not written", answer("workspace_archive_write_error"), true, true},
		{"not written, as a class", class("WorkspaceArchiveWriteError"), true, true},
		{"not found", answer("workspace_read_not_found"), true, true},
		{"the host is stopping", class("WorkspaceStartError"), true, true},
		{"around a command that was not started", temporal.NewNonRetryableApplicationError("x", "Outer", answer("exec_transport_error")), true, true},
		{"a command was not started", answer("exec_transport_error"), false, true},
		{"a path", answer("invalid_manifest_path"), false, false},
		{"gone", answer("workspace_root_not_found"), false, false},
		{"bad argument", answer(operation.InvalidArgument), false, false},
		{"not granted", answer("sandboxguard.SecretNotGranted"), false, false},
		{"no variable", answer("TemporalWorkerEnvValueUnresolved"), false, false},
		{"no secret", answer("sandboxguard.SecretUnresolved"), false, false},
		{"no provider", class("sandboxguard.SecretUnavailable"), false, false},
		{"no audit", class("sandboxguard.AuditUnavailable"), false, false},
		{"no guard", answer("sandboxguard.NoGuard"), false, false},
		{"interceptor inside", answer("sandboxguard.InterceptorInside"), false, false},
		{"output would have been withheld", operation.Unbegun(answer(operation.OutputWithheld), 1), false, false},
		{"arguments refused", operation.Unbegun(temporal.NewNonRetryableApplicationError("x", "sandboxguard.PolicyViolation", nil, "detail"), 1), false, false},
		{"not started, as a class", operation.Unbegun(class("ExecTransportError"), 1), false, false},
		{"not opened", operation.Unbegun(class("WorkspaceStartError"), 1), false, false},
		{"not started this time", operation.Unbegun(class("ExecTransportError"), 2), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			for _, op := range []operation.Name{operation.Exec, operation.Write, operation.Hydrate} {
				h.fails[op] = []error{c.err}
			}
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				_, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}})
				if err == nil || errors.Is(err, sandboxclient.ErrMayHaveRun) != c.exec {
					t.Errorf("exec: %v", err)
				}
				for name, err := range map[string]error{"write": box.Write(ctx, "a", nil), "hydrate": box.Hydrate(ctx, nil)} {
					if err == nil || errors.Is(err, sandboxclient.ErrMayHaveRun) != c.write {
						t.Errorf("%s: %v", name, err)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"exec", "write", "hydrate"}, h.seen()); diff != "" {
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
