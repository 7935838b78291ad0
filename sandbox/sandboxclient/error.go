package sandboxclient

import (
	"errors"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

var (
	// ErrNotFound is in the chain of the error when no host that could be reached has the sandbox, or none that
	// has it takes this workflow for its owner. Create another one.
	ErrNotFound = errors.New("sandboxclient: no such sandbox")
	// ErrUnreached is in the chain of the error when no host took an operation in time, and, for one that ends the
	// sandbox, when the sandbox's own host did not and no other has it. Nothing was done. The host ends the sandbox
	// itself, when it is back and finds that its workflow has ended, or at the sandbox's deadlines.
	ErrUnreached = errors.New("sandboxclient: the host was not reached")
	// ErrMayHaveRun is in the chain of the error when a command, a write or an unpacking may have been carried
	// out, in part or as a whole, and its result is lost. It is there unless what was answered says for certain
	// that nothing began: an error of these operations that has it not in its chain says that nothing was done.
	ErrMayHaveRun = errors.New("sandboxclient: it may have run")
)

// Error is a failure that a host has told, or that calling one has ended in. Refusals of the guard are not made into
// one, unless they came after a command had run.
type Error struct {
	// Op is the operation that failed, such as "exec".
	Op string
	// Code is what went wrong. Empty means that the host told none.
	Code backend.Code
	// Retryable is whether the host thinks that another call may succeed.
	Retryable bool

	message string
	kind    error // ErrNotFound, ErrUnreached, ErrMayHaveRun or nil
	cause   error
}

// Error returns the operation, what happened and what to do.
func (e *Error) Error() string { return "sandboxclient: " + e.Op + ": " + e.message }

// Is reports whether target is the kind of e: [ErrNotFound], [ErrUnreached] or [ErrMayHaveRun].
func (e *Error) Is(target error) bool { return e.kind != nil && target == e.kind }

// Unwrap returns the error of the activity, nil if there was none.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the first [Error] in the chain of err, empty if there is none.
func CodeOf(err error) backend.Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// failure is the error of an operation that err ended. What is not about sandboxes is returned as it is.
func failure(op operation.Name, err error) error {
	e := &Error{Op: verb(op), cause: err}
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case isNotHere(err):
		e.kind, e.message = ErrNotFound, "no such sandbox: no host that was reached has it, create another one"
	case isLost(err):
		e.kind, e.message = ErrUnreached, "no host took it in time: see that one of the provider runs, and that Options.Queue is its task queue"
	case errors.As(err, &app) && codeOf(app) != "":
		e.Code, e.Retryable, e.message = codeOf(app), !app.NonRetryable(), app.Message()
	default:
		return err
	}
	return e
}

// onceFailure is failure for an operation that has one attempt: unless it is known not to have begun, it may have.
func onceFailure(op operation.Name, err error) error {
	var known *Error
	var called *temporal.ActivityError
	at := failure(op, err)
	switch {
	case err == nil || isUnreached(err) || neverBegan(op, err):
		return at
	case !errors.As(err, &called) && !temporal.IsCanceledError(err):
		return at // refused by the guard before it was scheduled
	case errors.As(at, &known):
		known.kind = ErrMayHaveRun
		known.message += "\n  it may have run: look at what it has left behind before you repeat it"
		return known
	}
	return &Error{
		Op: verb(op), kind: ErrMayHaveRun, cause: err,
		message: "it may have run, and its result is lost: look at what it has left behind before you repeat it",
	}
}

// neverBegan reports an answer that says for certain that the operation did not begin. From hosts that do not say so,
// errors that would be tried again are none: what those written in Python tell as ExecTransportError may have come while
// the command ran. Nor is a violation of policy, which output may be as well.
func neverBegan(op operation.Name, err error) bool {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || timeoutOf(err) != enumspb.TIMEOUT_TYPE_UNSPECIFIED {
		return false
	}
	if operation.IsUnbegun(app) {
		return true
	}
	switch app.Type() {
	case "sandboxguard.SecretUnavailable", "sandboxguard.AuditUnavailable":
		return true // the guard tells them before an attempt alone
	case operation.InvalidArgument, "TemporalWorkerEnvValueUnresolved", "sandboxguard.SecretUnresolved",
		"sandboxguard.SecretNotGranted", "sandboxguard.InterceptorInside", "sandboxguard.NoGuard",
		string(backend.InvalidManifestPath), string(backend.RootNotFound):
		return app.NonRetryable()
	case string(backend.ExecTransport): // a write or an unpacking may run several commands
		return app.NonRetryable() && (op == operation.Exec || op == operation.PTYExec)
	case string(backend.PTYSessionNotFound), "RuntimeError": // there is nobody to type for
		return app.NonRetryable() && op == operation.PTYSend
	case "NotImplementedError":
		return op == operation.PTYExec || op == operation.PTYSend
	}
	return false
}

// isUnreached reports that an operation came to no host that has the session, and that nothing was done.
func isUnreached(err error) bool {
	return isNotHere(err) || isLost(err)
}

// isLost reports that no host took an operation in time.
func isLost(err error) bool { return timeoutOf(err) == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START }

func isNotHere(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == operation.NotHere
}

func timeoutOf(err error) enumspb.TimeoutType {
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return timeout.TimeoutType()
	}
	return enumspb.TIMEOUT_TYPE_UNSPECIFIED
}

// verb is an operation's name for people.
func verb(op operation.Name) string {
	_, name, _ := strings.Cut(strings.TrimPrefix(string(op), "sandbox_"), "_")
	return strings.TrimSuffix(name, "_workspace")
}
