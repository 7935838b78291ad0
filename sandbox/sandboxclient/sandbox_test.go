package sandboxclient_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
)

var (
	notHere = answer(operation.NotHere)
	noHost  = temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
)

// TestOrder: what is called on which queue, from the making of a sandbox to its end.
func TestOrder(t *testing.T) {
	h := newHost()
	h.files["a"] = "text"
	err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		if _, err := box.Running(ctx); err != nil {
			return err
		}
		got, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"go", "test"}})
		if err != nil || string(got.Stdout) != "out" || got.ExitCode != 3 {
			t.Errorf("exec = %v, %v", got, err)
		}
		if data, err := box.Read(ctx, "a"); err != nil || string(data) != "text" {
			t.Errorf("read = %s, %v", data, err)
		}
		if err := box.Write(ctx, "b", nil); err != nil {
			return err
		}
		if data, err := box.Persist(ctx); err != nil || string(data) != "archive" {
			t.Errorf("persist = %s, %v", data, err)
		}
		if err := box.Hydrate(ctx, nil); err != nil {
			return err
		}
		if err := errors.Join(box.Stop(ctx), box.Start(ctx), box.Close(ctx)); err != nil {
			return err
		}
		return box.Close(ctx) // does nothing
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"create@" + baseQueue}
	for _, op := range []string{"start", "running", "exec", "read", "write", "persist", "hydrate", "stop", "start", "stop", "shutdown", "delete"} {
		want = append(want, op+"@"+ownQueue)
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Error(diff)
	}
	if args := argsOf[operation.ExecArgs](h)[0]; *args.Timeout != 600 || !args.Shell.Off || !cmp.Equal(args.Command, []string{"go", "test"}) {
		t.Errorf("exec with %+v", args)
	}
}

// TestOptions: the timeouts and attempts of each operation, with the defaults and with others.
func TestOptions(t *testing.T) {
	const longest = 1_000_000 * time.Hour
	type limits struct {
		start, close, total, beat time.Duration
		attempts                  int32
	}
	for _, c := range []struct {
		name    string
		options sandboxclient.Options
		exec    time.Duration
		want    map[operation.Name]limits
	}{
		{"defaults", sandboxclient.Options{}, 0, map[operation.Name]limits{
			operation.Create:  {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, attempts: 3},
			operation.Start:   {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, attempts: 3},
			operation.Read:    {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, attempts: 3},
			operation.Write:   {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, attempts: 1},
			operation.Hydrate: {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, attempts: 1},
			operation.Exec:    {start: time.Minute, close: 15 * time.Minute, beat: 30 * time.Second, attempts: 1},
			operation.Stop:    {start: time.Minute, close: 5 * time.Minute, beat: 30 * time.Second, total: 2 * time.Minute, attempts: 3},
		}},
		{"longest", sandboxclient.Options{StartToCloseTimeout: longest}, longest, map[operation.Name]limits{
			operation.Exec: {start: time.Minute, close: 2 * longest, beat: 30 * time.Second, attempts: 1},
		}},
		{"others", sandboxclient.Options{
			ScheduleToStartTimeout: time.Second, StartToCloseTimeout: 2 * time.Second, ExecTimeout: time.Hour,
			HeartbeatTimeout: -1, CleanUpTimeout: time.Second, Attempts: 7, Queue: "q",
		}, time.Minute, map[operation.Name]limits{
			operation.Create:  {start: time.Second, close: 2 * time.Second, attempts: 7},
			operation.Read:    {start: time.Second, close: 2 * time.Second, attempts: 7},
			operation.Write:   {start: time.Second, close: 2 * time.Second, attempts: 1},
			operation.Exec:    {start: time.Second, close: 62 * time.Second, attempts: 1},
			operation.Delete:  {start: time.Second / 2, close: 2 * time.Second, total: time.Second, attempts: 7},
			operation.Shut:    {start: time.Second / 2, close: 2 * time.Second, total: time.Second, attempts: 7},
			operation.Persist: {start: time.Second, close: 2 * time.Second, attempts: 7},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.files["a"] = ""
			err := run(t, h, func(ctx workflow.Context) error {
				box, err := sandboxclient.New(provider, c.options).Create(ctx, empty)
				if err != nil {
					return err
				}
				_, execErr := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}, Timeout: c.exec})
				_, readErr := box.Read(ctx, "a")
				_, persistErr := box.Persist(ctx)
				return errors.Join(execErr, readErr, persistErr, box.Write(ctx, "a", nil), box.Hydrate(ctx, nil), box.Close(ctx))
			})
			if err != nil {
				t.Fatal(err)
			}
			for op, want := range c.want {
				o := h.options[op]
				got := limits{o.ScheduleToStartTimeout, o.StartToCloseTimeout, o.ScheduleToCloseTimeout, o.HeartbeatTimeout, o.RetryPolicy.MaximumAttempts}
				if got != want {
					t.Errorf("%s has %+v, want %+v", op, got, want)
				}
			}
			base := c.options.Queue
			if base == "" {
				base = baseQueue
			}
			if h.bases[operation.Create] != "" || h.bases[operation.Exec] != base || h.bases[operation.Delete] != base {
				t.Errorf("the guard is told the base queues %v, want %s for what goes to the host's own", h.bases, base)
			}
			if queue := h.options[operation.Create].TaskQueue; c.options.Queue != "" && queue != c.options.Queue {
				t.Errorf("created on %s", queue)
			}
		})
	}
}

// TestReached: an operation that reached no host with the session is sent once more after a resume, and no other is.
func TestReached(t *testing.T) {
	exec := func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		_, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}})
		return err
	}
	read := func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		_, err := box.Read(ctx, "a")
		return err
	}
	start := func(ctx workflow.Context, box *sandboxclient.Sandbox) error { return box.Start(ctx) }
	stopped := func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		return errors.Join(box.Stop(ctx), read(ctx, box))
	}
	twice := func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		if exec(ctx, box) == nil {
			t.Error("a command ran in a sandbox that was not started")
		}
		return exec(ctx, box)
	}
	const again = "host-8"
	for _, c := range []struct {
		name  string
		do    func(workflow.Context, *sandboxclient.Sandbox) error
		fails map[operation.Name][]error
		want  []string
		err   error
	}{
		{
			"exec, another host", exec,
			map[operation.Name][]error{operation.Exec: {notHere}},
			[]string{"exec@" + ownQueue, "resume@" + baseQueue, "start@" + again, "exec@" + again},
			nil,
		},
		{
			"exec, no host", exec,
			map[operation.Name][]error{operation.Exec: {noHost}},
			[]string{"exec@" + ownQueue, "resume@" + baseQueue, "start@" + again, "exec@" + again},
			nil,
		},
		{
			"once only", exec,
			map[operation.Name][]error{operation.Exec: {notHere, notHere}},
			[]string{"exec@" + ownQueue, "resume@" + baseQueue, "start@" + again, "exec@" + again},
			sandboxclient.ErrNotFound,
		},
		{
			"not resumed", exec,
			map[operation.Name][]error{operation.Exec: {notHere}, operation.Resume: {notHere}},
			[]string{"exec@" + ownQueue, "resume@" + baseQueue},
			sandboxclient.ErrNotFound,
		},
		{
			"read", read,
			map[operation.Name][]error{operation.Read: {noHost}},
			[]string{"read@" + ownQueue, "resume@" + baseQueue, "start@" + again, "read@" + again},
			nil,
		},
		{
			"start", start,
			map[operation.Name][]error{operation.Start: {nil, notHere}},
			[]string{"start@" + ownQueue, "resume@" + baseQueue, "start@" + again},
			nil,
		},
		{
			"lost before it was started", twice,
			map[operation.Name][]error{operation.Exec: {notHere, notHere}, operation.Start: {nil, noHost}},
			[]string{
				"exec@" + ownQueue, "resume@" + baseQueue, "start@" + again,
				"exec@" + again, "resume@" + baseQueue, "start@" + again, "exec@" + again,
			},
			nil,
		},
		{
			"stays stopped", stopped,
			map[operation.Name][]error{operation.Read: {notHere}},
			[]string{"stop@" + ownQueue, "read@" + ownQueue, "resume@" + baseQueue, "read@" + again},
			nil,
		},
		{
			"ran too long", exec,
			map[operation.Name][]error{operation.Exec: {temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil)}},
			[]string{"exec@" + ownQueue},
			sandboxclient.ErrMayHaveRun,
		},
		{
			"tried again", read,
			map[operation.Name][]error{operation.Read: {errors.New("a hiccup"), errors.New("another")}},
			[]string{"read@" + ownQueue, "read@" + ownQueue, "read@" + ownQueue},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.fails, h.queues, h.files["a"] = c.fails, []string{ownQueue, again}, ""
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				if err := c.do(ctx, box); !errors.Is(err, c.err) {
					t.Errorf("error = %v, want %v", err, c.err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{"create@" + baseQueue, "start@" + ownQueue}, c.want...), h.calls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOneResume: commands that find their host gone at the same time resume once. A second resume would have the new
// host end what the first one began.
func TestOneResume(t *testing.T) {
	h := newHost()
	h.queues = []string{ownQueue, "host-8"}
	h.exec = func(ctx context.Context, _ operation.ExecArgs) (operation.ExecResult, error) {
		if activity.GetInfo(ctx).TaskQueue == ownQueue {
			return operation.ExecResult{}, notHere
		}
		return operation.ExecResult{Stdout: []byte{}, Stderr: []byte{}, ExitCode: 3}, nil
	}
	err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		var futures []sandboxclient.ExecFuture
		for range 3 {
			futures = append(futures, box.ExecAsync(ctx, sandboxclient.Command{Args: []string{"x"}}))
		}
		chosen := 0
		selector := workflow.NewSelector(ctx)
		for _, f := range futures {
			selector.AddFuture(f.Future(), func(workflow.Future) { chosen++ })
		}
		for range futures {
			selector.Select(ctx)
		}
		for _, f := range futures {
			if result, err := f.Get(ctx); err != nil || result.ExitCode != 3 || !f.IsReady() {
				t.Errorf("got %v, %v", result, err)
			}
		}
		if chosen != 3 {
			t.Errorf("%d commands chosen", chosen)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(argsOf[operation.ExecArgs](h)); n != 6 {
		t.Errorf("%d commands", n)
	}
	resumes := 0
	for _, c := range h.calls {
		if c == "resume@"+baseQueue {
			resumes++
		}
	}
	if resumes != 1 {
		t.Errorf("%d resumes", resumes)
	}
}

// TestWaitsForStart: what begins while another operation resumes the session waits until its new host has started it,
// and is refused by no host that has not.
func TestWaitsForStart(t *testing.T) {
	const again, ready = "host-8", "the client knows of the start"
	command := sandboxclient.Command{Args: []string{"x"}}
	for name, first := range map[string]struct {
		do  func(workflow.Context, *sandboxclient.Sandbox) error
		err map[operation.Name][]error
		op  string
	}{
		"command": {func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			_, err := box.Exec(ctx, command)
			return err
		}, map[operation.Name][]error{operation.Exec: {noHost}}, "exec"},
		"start": {func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			return box.Start(ctx)
		}, map[operation.Name][]error{operation.Start: {nil, noHost}}, "start"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.queues, h.fails = []string{ownQueue, again}, first.err
			err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				var second sandboxclient.ExecFuture
				h.started = func(ctx workflow.Context) {
					if !slices.Contains(h.calls, "start@"+again) {
						return // the one that reached no host
					}
					second = box.ExecAsync(ctx, command)
					if err := workflow.Sleep(ctx, time.Minute); err != nil {
						t.Error(err)
					}
					h.calls = append(h.calls, ready)
				}
				if err := first.do(ctx, box); err != nil {
					t.Errorf("first: %v", err)
				}
				_, err := second.Get(ctx)
				return err
			})
			want := []string{"create@" + baseQueue, "start@" + ownQueue, first.op + "@" + ownQueue, "resume@" + baseQueue, "start@" + again, ready, "exec@" + again}
			if first.op == "exec" {
				want = append(want, "exec@"+again)
			}
			if diff := cmp.Diff(want, h.calls); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

// TestReduced: what ends a sandbox is told nothing that could be refused.
func TestReduced(t *testing.T) {
	h := newHost()
	config := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &sandbox.Manifest{
		Entries:         map[string]sandbox.Entry{"task.md": {Type: sandbox.EntryFile, Content: "x"}},
		Environment:     sandbox.Environment{Values: map[string]sandbox.EnvValue{"TOKEN": sandbox.EnvSecret(secrets.Env("REVOKED"))}},
		ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}},
	}}}
	if err := run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, config)
		if err != nil {
			return err
		}
		return box.Close(ctx)
	}); err != nil {
		t.Fatal(err)
	}
	got := argsOf[operation.StopArgs](h)
	if len(got) != 3 {
		t.Fatalf("%d operations", len(got))
	}
	want := sandbox.SessionState{
		Type: sandbox.ClientUnixLocal, SessionID: sessionID, WorkspaceRootOwned: true,
		Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: sessionID},
		Manifest: sandbox.Manifest{Root: "/workspace"},
	}
	for _, args := range got {
		if diff := cmp.Diff(want.ToMap(), args.State.ToMap()); diff != "" {
			t.Error(diff)
		}
	}
	if started := argsOf[operation.StateArgs](h)[0].State.Manifest; len(started.Entries) != 1 || !started.Environment.Values["TOKEN"].IsSecret() {
		t.Errorf("started with %+v", started)
	}
}
