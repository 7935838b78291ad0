package sandboxclient

import (
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
// ctx was cancelled, for at most three times [Options.CleanUpTimeout]. The error is the first one, such as
// [ErrUnreached] if the sandbox's host is away: it then ends the sandbox itself, as Delete says, and nothing more need
// be done. Closing a sandbox that was deleted does nothing.
//
// While workflow code panics Temporal lets it call nothing, so Close does nothing then but say so: if the workflow's
// worker goes on with it after a fix, the sandbox is still there. A host also ends the sandboxes of workflows that
// have ended without Close, after some time.
func (b *Sandbox) Close(ctx workflow.Context) error {
	if b.deleted {
		return nil
	}
	if panicking() {
		return errors.New("sandboxclient: close: workflow code panics and can call nothing: the host ends the sandbox some time after the workflow's end")
	}
	// Cancelling must not stop what it begins.
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	first := b.Stop(ctx)
	if err := b.Shutdown(ctx); first == nil {
		first = err
	}
	if err := b.Delete(ctx); first == nil {
		first = err
	}
	return first
}

// end carries out an operation that only ends something. What a policy or a missing secret could refuse is not sent,
// so there is no resuming: if the session's host is not there, one that has taken its place may be.
func (b *Sandbox) end(ctx workflow.Context, op operation.Name) error {
	b.live = false
	args := func(s sandbox.SessionState) any { return operation.StopArgs{State: reduced(s)} }
	err := b.send(ctx, op, activity{}, args, nil)
	base := b.client.options.Queue
	if own := b.state.HostQueue; isUnreached(err) && own != "" && own != base {
		away := !isNotHere(err)
		err = b.client.run(ctx, op, activity{queue: base}, args(b.state.Session), nil)
		if away && isNotHere(err) {
			return &Error{
				Op: verb(op), kind: ErrUnreached, cause: err,
				message: "the sandbox's host did not take it in time, and no other has the sandbox: its host ends it when it is back, or at its deadlines",
			}
		}
	}
	if isNotHere(err) {
		return nil // there is nothing left to end
	}
	return failure(op, err)
}

// panicking reports whether the goroutine runs functions that a panic has let begin. Blocking in them would make the
// SDK report that instead of the panic.
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
