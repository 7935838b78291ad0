package sandboxclient

import (
	"cmp"
	"errors"
	"runtime"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Stop ends all commands. The workspace stays, and Start lets commands run again.
func (b *Sandbox) Stop(ctx workflow.Context) error { return b.end(ctx, operation.Stop) }

// Shutdown ends the sandbox and leaves its workspace to be deleted, or taken up by Resume.
func (b *Sandbox) Shutdown(ctx workflow.Context) error { return b.end(ctx, operation.Shut) }

// Delete removes the sandbox and its workspace. Deleting what no host has succeeds. If the sandbox's own host is not
// reached in time, and no other has the sandbox, the error is [ErrUnreached]: the sandbox may still be there, and its
// host ends it when it is back, or at the sandbox's deadlines.
func (b *Sandbox) Delete(ctx workflow.Context) error {
	err := b.end(ctx, operation.Delete)
	b.deleted = b.deleted || err == nil
	return err
}

// Close stops the sandbox, shuts it down and deletes it. Each is attempted whatever becomes of the others, also when
// ctx was cancelled, for at most three times [Options.CleanUpTimeout]. But if the sandbox's host does not take one of
// them in time, all that follows is one attempt to delete the sandbox on [Options.Queue]. The error is the first one,
// such as [ErrUnreached] if the sandbox's host is away: it then ends the sandbox itself, as Delete says, and nothing
// more need be done. Closing a sandbox that was deleted does nothing.
//
// While workflow code panics Temporal lets it wait for nothing, also in the deferred function that recovers. Called
// there, Close returns an error that says so. If the panic is recovered the sandbox is ended while the workflow goes on,
// and the next Close waits for that. One that was deferred before the function that recovers does all by itself. If
// nothing recovers, the sandbox stays for when the workflow's worker goes on with it after a fix. A host also ends the
// sandboxes of workflows that have ended without Close, after some time.
func (b *Sandbox) Close(ctx workflow.Context) error {
	if panicking() && !b.deleted {
		b.closeMeanwhile(ctx)
		return errors.New("sandboxclient: close: a workflow cannot wait while its code panics, nor in the function that recovers: the sandbox is ended meanwhile if the workflow goes on\n" +
			"  fix: defer Close before the function that recovers, or call it again after that function")
	}
	if begun := b.closing; begun != nil {
		b.closing = nil
		return begun.Get(ctx, nil)
	}
	if b.deleted {
		return nil
	}
	// Cancelling must not stop what it begins.
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	return b.close(ctx)
}

// closeMeanwhile closes the sandbox in a coroutine. None runs any more if a panic is not recovered.
func (b *Sandbox) closeMeanwhile(ctx workflow.Context) {
	if b.closing != nil {
		return
	}
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	future, ended := workflow.NewFuture(ctx)
	b.closing = future
	workflow.Go(ctx, func(ctx workflow.Context) {
		defer cancel()
		ended.SetError(b.close(ctx))
	})
}

func (b *Sandbox) close(ctx workflow.Context) error {
	var first error
	for _, op := range []operation.Name{operation.Stop, operation.Shut} {
		err := b.endThere(ctx, op)
		if isLost(err) { // what follows would wait as long for the same host
			err = b.endElsewhere(ctx, operation.Delete, err)
			b.deleted = err == nil
			return cmp.Or(first, err)
		}
		first = cmp.Or(first, b.endAfter(ctx, op, err))
	}
	return cmp.Or(first, b.Delete(ctx))
}

// end carries out an operation that only ends something. What a policy or a missing secret could refuse is not sent,
// so there is no resuming: if the session's host is not there, one that has taken its place may be.
func (b *Sandbox) end(ctx workflow.Context, op operation.Name) error {
	return b.endAfter(ctx, op, b.endThere(ctx, op))
}

// endThere is the attempt on the session's host.
func (b *Sandbox) endThere(ctx workflow.Context, op operation.Name) error {
	b.live = false
	return b.send(ctx, op, activity{}, endArgs, nil)
}

// endAfter goes on after the attempt on the session's host has ended with err.
func (b *Sandbox) endAfter(ctx workflow.Context, op operation.Name, err error) error {
	if isUnreached(err) && b.private() {
		return b.endElsewhere(ctx, op, err)
	}
	return ended(op, err)
}

// endElsewhere asks the hosts of the base queue, after the attempt on the session's host has ended with there.
func (b *Sandbox) endElsewhere(ctx workflow.Context, op operation.Name, there error) error {
	err := b.client.run(ctx, op, activity{queue: b.client.options.Queue}, endArgs(b.state.Session), nil)
	if isNotHere(err) && isLost(there) && b.private() {
		return &Error{
			Op: verb(op), kind: ErrUnreached, cause: err,
			message: "the sandbox's host did not take it in time, and no other has the sandbox: its host ends it when it is back, or at its deadlines",
		}
	}
	return ended(op, err)
}

// private reports whether the session's host has a queue of its own.
func (b *Sandbox) private() bool {
	own := b.state.HostQueue
	return own != "" && own != b.client.options.Queue
}

func endArgs(s sandbox.SessionState) any { return operation.StopArgs{State: reduced(s)} }

// ended is the error of an operation that ends something. If no host has the session there is nothing left to end.
func ended(op operation.Name, err error) error {
	if isNotHere(err) {
		return nil
	}
	return failure(op, err)
}

// panicking reports whether the goroutine runs functions that a panic has let begin, whether or not one of them has
// recovered, which nobody else can tell. Blocking in them would make the SDK report that instead of the panic.
//
//workflowcheck:ignore the call stack of workflow code is the same each time
func panicking() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}
