package sandboxclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

var ending = []string{"stop", "shutdown", "delete"}

// TestEnds: a deferred Close leaves nothing, however the workflow ends, but for a panic: workflow code cannot call
// anything then, and what it says about itself must not be lost.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(ctx workflow.Context, box *sandboxclient.Sandbox) error
		seen []string
		want func(error) bool
	}{
		{"success", func(workflow.Context, *sandboxclient.Sandbox) error { return nil }, ending, func(err error) bool { return err == nil }},
		{"failure", func(workflow.Context, *sandboxclient.Sandbox) error { return errors.New("broken") }, ending, func(err error) bool { return err != nil }},
		{"panic", func(workflow.Context, *sandboxclient.Sandbox) error { panic("broken") }, nil, func(err error) bool { return err != nil && strings.Contains(err.Error(), "broken") }},
		{"continued as new", func(ctx workflow.Context, _ *sandboxclient.Sandbox) error {
			return workflow.NewContinueAsNewError(ctx, "Next")
		}, ending, workflow.IsContinueAsNewError},
		{"cancelled while it waits", func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			_, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"sleep"}})
			if !errors.Is(err, sandboxclient.ErrMayHaveRun) {
				t.Errorf("exec: %v", err)
			}
			if _, err := box.Read(ctx, "a"); !temporal.IsCanceledError(err) || errors.Is(err, sandboxclient.ErrMayHaveRun) {
				t.Errorf("read after cancellation: %v", err)
			}
			if _, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}}); !temporal.IsCanceledError(err) || errors.Is(err, sandboxclient.ErrMayHaveRun) {
				t.Errorf("exec after cancellation: %v", err)
			}
			return err
		}, append([]string{"exec"}, ending...), temporal.IsCanceledError},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			env := environment(h)
			stopped := make(chan struct{})
			h.exec = func(context.Context, operation.ExecArgs) (operation.ExecResult, error) {
				env.CancelWorkflow()
				<-stopped // as a host ends what runs when it is told to stop
				return operation.ExecResult{}, errors.New("ended")
			}
			env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
				if info.ActivityType.Name == operation.Stop.Activity(provider) {
					close(stopped)
				}
			})
			env.ExecuteWorkflow(func(ctx workflow.Context) error {
				box, err := client.Create(ctx, empty)
				if err != nil {
					return err
				}
				defer func() {
					if err := box.Close(ctx); (err != nil) != (c.seen == nil) {
						t.Errorf("close: %v", err)
					}
				}()
				return c.end(ctx, box)
			})
			if !env.IsWorkflowCompleted() || !c.want(env.GetWorkflowError()) {
				t.Errorf("the workflow ended with %v", env.GetWorkflowError())
			}
			if diff := cmp.Diff(c.seen, h.seen()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCloseAttemptsAll: the first error is returned and nothing is left out. A host that has no record is no error.
func TestCloseAttemptsAll(t *testing.T) {
	none, unreached := isErr(nil), isErr(sandboxclient.ErrUnreached)
	stopFailed := answer("workspace_stop_error")
	for _, c := range []struct {
		name  string
		fails map[operation.Name][]error
		want  []string
		is    func(error) bool
	}{
		{
			"stop fails",
			map[operation.Name][]error{operation.Stop: {stopFailed}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue},
			isType("workspace_stop_error"),
		},
		{
			"delete fails",
			map[operation.Name][]error{operation.Delete: {answer("x")}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue},
			isType("x"),
		},
		{
			"unknown",
			map[operation.Name][]error{operation.Stop: {notHere, notHere}},
			[]string{"stop@" + ownQueue, "stop@", "shutdown@" + ownQueue, "delete@" + ownQueue},
			none,
		},
		{
			"moved",
			map[operation.Name][]error{operation.Delete: {noHost}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue, "delete@"},
			none,
		},
		{
			"no host at all",
			map[operation.Name][]error{operation.Delete: {noHost, noHost}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue, "delete@"},
			unreached,
		},
		{
			"away, and no other host has it",
			map[operation.Name][]error{operation.Delete: {noHost, notHere}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue, "delete@"},
			unreached,
		},
		{
			"no longer its host's, and no other host is there",
			map[operation.Name][]error{operation.Delete: {notHere, noHost}},
			[]string{"stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue, "delete@"},
			unreached,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.fails = c.fails
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				if err := box.Close(ctx); !c.is(err) {
					t.Errorf("close: %v", err)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			want := []string{"create@" + baseQueue, "start@" + ownQueue}
			for _, call := range c.want {
				if call[len(call)-1] == '@' {
					call += baseQueue
				}
				want = append(want, call)
			}
			if diff := cmp.Diff(want, h.calls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCloseLost: closing a sandbox whose host is lost waits for it once, and leaves the rest to the base queue.
func TestCloseLost(t *testing.T) {
	for _, c := range []struct {
		name   string
		queues []string
		lost   []string
		fails  map[operation.Name][]error
		want   []string
		waits  time.Duration
		is     func(error) bool
	}{
		{"no other has it", []string{ownQueue}, []string{ownQueue}, map[operation.Name][]error{operation.Delete: {notHere}}, []string{"delete@" + baseQueue}, time.Minute, isErr(sandboxclient.ErrUnreached)},
		{"another has it", []string{ownQueue}, []string{ownQueue}, nil, []string{"delete@" + baseQueue}, time.Minute, isErr(nil)},
		{"no other host", []string{ownQueue}, []string{ownQueue, baseQueue}, nil, nil, 2 * time.Minute, isErr(sandboxclient.ErrUnreached)},
		{"host of the base queue", []string{""}, []string{baseQueue}, nil, nil, 2 * time.Minute, isErr(sandboxclient.ErrUnreached)},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.queues, h.fails = c.queues, c.fails
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				h.lost, h.calls = c.lost, nil
				began := workflow.Now(ctx)
				if err := box.Close(ctx); !c.is(err) {
					t.Errorf("close: %v", err)
				}
				if waited := workflow.Now(ctx).Sub(began); waited != c.waits {
					t.Errorf("closed after %v, want %v", waited, c.waits)
				}
				return nil
			})
			if diff := cmp.Diff(c.want, h.calls); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

// TestCloseLostLater: a host that is lost while the sandbox is closed does not hide what went wrong before.
func TestCloseLostLater(t *testing.T) {
	h := newHost()
	h.fails = map[operation.Name][]error{operation.Stop: {answer("workspace_stop_error")}, operation.Shut: {noHost}}
	err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		if err := box.Close(ctx); !isType("workspace_stop_error")(err) {
			t.Errorf("close: %v", err)
		}
		return box.Close(ctx) // does nothing: the sandbox was deleted
	})
	want := []string{"create@" + baseQueue, "start@" + ownQueue, "stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + baseQueue}
	if diff := cmp.Diff(want, h.calls); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestCloseRecovered: a sandbox is closed after a panic that was recovered, once, wherever Close stands.
func TestCloseRecovered(t *testing.T) {
	for _, c := range []struct {
		name string
		code func(workflow.Context, *sandboxclient.Sandbox) error
	}{
		{"deferred before", func(ctx workflow.Context, box *sandboxclient.Sandbox) (err error) {
			defer func() { err = box.Close(ctx) }()
			defer func() { _ = recover() }()
			panic("broken")
		}},
		{"by the function that recovers, and again", func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			func() {
				defer func() {
					_ = recover()
					for range 2 {
						if box.Close(ctx) == nil {
							t.Error("closed without waiting")
						}
					}
				}()
				panic("broken")
			}()
			return errors.Join(box.Close(ctx), box.Close(ctx))
		}},
		{"by the function that recovers, and the workflow goes on", func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			func() {
				defer func() {
					_ = recover()
					_ = box.Close(ctx)
				}()
				panic("broken")
			}()
			return workflow.Sleep(ctx, time.Hour)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			if err := within(t, h, c.code); err != nil {
				t.Errorf("the workflow ended with %v", err)
			}
			if diff := cmp.Diff(ending, h.seen()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCreateLeavesNothing: what a failed or cancelled Create has made is deleted.
func TestCreateLeavesNothing(t *testing.T) {
	refused := answer("sandboxguard.SecretNotGranted")
	for _, c := range []struct {
		name   string
		fails  map[operation.Name][]error
		cancel bool
		seen   []string
		is     func(error) bool
	}{
		{"not created", map[operation.Name][]error{operation.Create: {refused}}, false, nil, isType("sandboxguard.SecretNotGranted")},
		{"not started", map[operation.Name][]error{operation.Start: {refused}}, false, ending, isType("sandboxguard.SecretNotGranted")},
		{"cancelled after it was made", nil, true, ending, temporal.IsCanceledError},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.fails = c.fails
			err := run(t, h, func(ctx workflow.Context) error {
				ctx, cancel := workflow.WithCancel(ctx)
				if c.cancel {
					h.created = cancel
				}
				box, err := client.Create(ctx, empty)
				if box != nil || !c.is(err) {
					t.Errorf("create: %v, %v", box, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.seen, h.seen()); diff != "" {
				t.Error(diff)
			}
			if !h.options[operation.Create].WaitForCancellation {
				t.Error("the end of a cancelled create is not awaited")
			}
		})
	}
}

func isType(kind string) func(error) bool {
	return func(err error) bool {
		var app *temporal.ApplicationError
		return errors.As(err, &app) && app.Type() == kind
	}
}

func isErr(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}
