package sandboxclient

import (
	"cmp"
	"errors"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Sandbox is one sandbox of a workflow. Its methods may be called from several coroutines of that workflow; commands
// then run side by side.
type Sandbox struct {
	client *Client
	state  State
	// live is true while commands are to run: from Start until what ends it, on whatever host.
	live bool
	// resuming is held by the coroutine that resumes, until the sandbox has started again: each resume makes the host
	// give up what the last one found, and a host refuses commands before the start.
	resuming workflow.Mutex
	// resumed counts the resumes, so that one coroutine sees what another has done while it waited.
	resumed int
	// deleted is true once Delete has succeeded.
	deleted bool
	// closing is a Close that nobody has waited for yet, nil if there is none.
	closing workflow.Future
	// handle tells this handle from others of the same session in the workflow. 0 until a command has an input.
	handle int
	// inputs counts the commands with an input.
	inputs int
}

// ID returns the id of the session, a UUID.
func (b *Sandbox) ID() string { return b.state.Session.SessionID }

// State returns what [Client.Resume] takes. It changes when the sandbox moves to another host: take it when you need
// it.
func (b *Sandbox) State() State { return b.state }

// Root returns the path of the workspace inside the sandbox.
func (b *Sandbox) Root() string {
	if root := b.state.Session.Manifest.Root; root != "" {
		return root
	}
	return sandbox.DefaultRoot
}

// Start fills the workspace and lets commands run. Create and Resume have done so; it is for a sandbox that was
// stopped, or that has ended by itself.
func (b *Sandbox) Start(ctx workflow.Context) error {
	err := b.call(ctx, operation.Start, activity{}, stateArgs, nil)
	if err == nil {
		b.live = true
	}
	return err
}

// Running reports whether commands can run.
func (b *Sandbox) Running(ctx workflow.Context) (bool, error) {
	var result operation.RunningResult
	err := b.call(ctx, operation.Running, activity{}, stateArgs, &result)
	return result.IsRunning, err
}

func stateArgs(s sandbox.SessionState) any { return operation.StateArgs{State: s} }

// call carries an operation out on the session's host. If it reached none that has the session, the session is
// resumed and the operation sent once more: nothing was done in that case, and in that case only.
func (b *Sandbox) call(ctx workflow.Context, op operation.Name, a activity, args func(sandbox.SessionState) any, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.settled(ctx); err != nil {
		return err
	}
	resumed := b.resumed
	err := b.send(ctx, op, a, args, result)
	if isUnreached(err) {
		started, failed := b.reach(ctx, op, resumed)
		if failed = cmp.Or(failed, ctx.Err()); failed != nil || started && op == operation.Start {
			return failed
		}
		err = b.send(ctx, op, a, args, result)
	}
	if a.once {
		return onceFailure(op, err)
	}
	return failure(op, err)
}

// settled waits while another coroutine resumes the session: its old host is lost, and the new one is not ready.
func (b *Sandbox) settled(ctx workflow.Context) error {
	if err := b.resuming.Lock(ctx); err != nil {
		return err
	}
	b.resuming.Unlock()
	return nil
}

func (b *Sandbox) send(ctx workflow.Context, op operation.Name, a activity, args func(sandbox.SessionState) any, result any) error {
	if a.queue = b.state.HostQueue; a.queue == "" {
		a.queue = b.client.options.Queue
	}
	return b.client.run(ctx, op, a, args(b.state.Session), result)
}

// reach resumes the session for an operation, unless that was done since the operation was sent, and starts it if
// it is to run. Then started is true.
func (b *Sandbox) reach(ctx workflow.Context, op operation.Name, resumed int) (started bool, err error) {
	if err := b.resuming.Lock(ctx); err != nil {
		return false, err
	}
	defer b.resuming.Unlock()
	if b.resumed != resumed {
		return false, nil
	}
	if err := b.resume(ctx); err != nil {
		return false, err
	}
	if !b.live && op != operation.Start {
		return false, nil
	}
	// It stays live if this fails: a host that is lost before it has started the sandbox must not leave it to the
	// next one to refuse all commands.
	return true, failure(operation.Start, b.send(ctx, operation.Start, activity{}, stateArgs, nil))
}

// resume asks the hosts that can be reached for the session, and takes over what one of them answers.
func (b *Sandbox) resume(ctx workflow.Context) error {
	if err := resumable(b.state.Session); err != nil {
		return err
	}
	var result operation.SessionResult
	err := b.client.run(ctx, operation.Resume, activity{queue: b.client.options.Queue}, stateArgs(b.state.Session), &result)
	if err != nil {
		return failure(operation.Resume, err)
	}
	if result.State.SessionID != b.ID() {
		return errors.New("sandboxclient: resume: the host answered with another session: see that it speaks this format")
	}
	b.state.Session, b.state.HostQueue = result.State, result.HostQueue
	b.resumed++
	return nil
}
