package sandboxhost

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// The types of errors of an activity that did not do what it was asked for, in addition to the codes and classes of
// package backend. An error of these types is not retried.
const (
	// ErrorTypeNotHere: this host has no such session, or it belongs to somebody else. Nothing was done.
	ErrorTypeNotHere = operation.NotHere
	// ErrorTypeMayHaveRun: nobody knows whether the command ran, or how far.
	ErrorTypeMayHaveRun = operation.MayHaveRun
	// ErrorTypeOutputWithheld: the output holds a secret where it cannot be hidden, or could not be searched.
	ErrorTypeOutputWithheld = operation.OutputWithheld
	// ErrorTypeNotBegun is the type of the cause of an error with which the first attempt of an activity ended before it
	// began what it was asked for: nothing was done. No error has it itself.
	ErrorTypeNotBegun = operation.NotBegun
	// ErrorTypeInvalidArgument: the argument cannot be carried out as it is. Nothing was done.
	ErrorTypeInvalidArgument = operation.InvalidArgument
)

const docs = "\n  docs/errors.md#sandboxes"

// terminal is an error that is not retried.
func terminal(errorType, subject, fix string) error {
	return temporal.NewNonRetryableApplicationError(errorType+": "+subject+" (not retryable)\n  fix: "+fix+docs, errorType, nil)
}

// retried is an error of a class of the format that is retried.
func retried(code backend.Code, subject, fix string) error {
	return temporal.NewApplicationError(code.Class()+": "+subject+" (retryable)\n  fix: "+fix+docs, code.Class())
}

// notHere is the one answer to everybody who is not the owner of a session, whatever the reason.
func notHere() error {
	return terminal(ErrorTypeNotHere, "this host has no such session, nothing was done",
		"resume the session on the task queue of the provider, or create another one")
}

func invalid(why string) error {
	return terminal(ErrorTypeInvalidArgument, why+", nothing was done", "correct the argument")
}

func mayHaveRun(why string) error {
	return terminal(ErrorTypeMayHaveRun, "the command may have run, it is not run again: "+why,
		"look into the workspace for what it did, then decide in workflow code whether to run it again")
}

func withheld(what, fix string) error { return terminal(ErrorTypeOutputWithheld, what, fix) }

// keepOut is the fix where a secret is in what is put out.
const keepOut = "keep secrets out of what is read and stored"

func noGuard() error {
	return terminal("sandboxguard.NoGuard", "the command was not run, the session's environment holds secrets and nobody on this worker can resolve them",
		"register the guard on the client of this worker: interceptor.NewPlugin")
}

func notRunning() error {
	return retried(backend.StartFailed, "the host is not running, no sandbox was made", "call Host.Run while the worker runs")
}

func stopped() error {
	return retried(backend.StartFailed, "the host is stopping, no sandbox was made", "none, another host takes the next attempt")
}

// earlyError is what went wrong before an operation began.
type earlyError struct{ error }

func (e *earlyError) Unwrap() error { return e.error }

// early says of an error, if it is one, that it came before the operation began.
func early(err error) error {
	if err == nil {
		return nil
	}
	return &earlyError{err}
}

// answer turns what went wrong into what the activity ends with.
func (h *Host) answer(ctx context.Context, name operation.Name, err error) error {
	told := h.told(ctx, name, err)
	var before *earlyError
	var own *backend.Error
	if errors.As(err, &before) || errors.As(err, &own) && own.NotBegun {
		return operation.Unbegun(told, callerOf(ctx).info.Attempt)
	}
	return told
}

func (h *Host) told(ctx context.Context, name operation.Name, err error) error {
	var app *temporal.ApplicationError
	var canceled *temporal.CanceledError
	var own *backend.Error
	var guards *guardError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &guards):
		return guards.err
	case errors.As(err, &app):
		return app
	case errors.As(err, &canceled):
		return canceled
	case errors.As(err, &own) && own.Retryable:
		return retried(own.Code, own.Message, "none if it was an outage: the attempt is made again")
	case errors.As(err, &own):
		// The message stands alone, and the class is in the cause: callers of the format read both.
		class := temporal.NewNonRetryableApplicationError(own.Message, own.Code.Class(), nil)
		return temporal.NewNonRetryableApplicationError(own.Message, string(own.Code), class)
	case errors.Is(err, errSuperseded), errors.Is(err, backend.ErrNotFound):
		return notHere()
	case ctx.Err() != nil:
		return ctx.Err()
	}
	h.options.Logger.Warn("operation of a sandbox failed", zap.String("operation", string(name)), zap.String("error", said(err)))
	return retried(failures[name], "the sandbox failed", "look into the logs of the worker that carried it out and of its sandboxes")
}

// guardError is an error of the guard, with which the attempt is to end as it is.
type guardError struct{ err error }

func (e *guardError) Error() string { return e.err.Error() }

func (e *guardError) Unwrap() error { return e.err }

// failures are the codes of what fails without one.
var failures = map[operation.Name]backend.Code{
	operation.Create:  backend.StartFailed,
	operation.Resume:  backend.StartFailed,
	operation.Start:   backend.StartFailed,
	operation.Running: backend.StartFailed,
	operation.Stop:    backend.StopFailed,
	operation.Shut:    backend.StopFailed,
	operation.Delete:  backend.StopFailed,
	operation.Exec:    backend.ExecTransport,
	operation.PTYExec: backend.ExecTransport,
	operation.PTYSend: backend.ExecTransport,
	operation.Read:    backend.ArchiveRead,
	operation.Persist: backend.ArchiveRead,
	operation.Write:   backend.ArchiveWrite,
	operation.Hydrate: backend.ArchiveWrite,
}

// said is what may be logged of an error: texts of others may hold anything.
func said(err error) string {
	var disk *diskError
	var own *backend.Error
	switch {
	case errors.As(err, &disk):
		return disk.Error()
	case errors.As(err, &own):
		return own.Message
	}
	return fmt.Sprintf("%T", err)
}

// logged is what is logged of a failure in a session.
func logged(session string, err error) []zap.Field {
	return []zap.Field{zap.String("session", session), zap.String("error", said(err))}
}

// clean hides in a text what the caller's job was given.
func clean(ctx context.Context, text string) string {
	if b := bind.From(ctx); b != nil {
		text, _ = b.Holder().String(text)
	}
	return text
}
