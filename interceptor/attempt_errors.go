package interceptor

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// Errors of an attempt that could not be given what it needs. They name the
// reference, and never what a provider said.

// notRun says what did not happen: the attempt, or only the answer to an activity
// that asks for a secret while it runs.
func (a *attempt) notRun() string {
	who := "activity " + a.info.ActivityType.Name + " on queue " + quote(a.queue)
	if a.asking {
		return who + " did not get the secret that it asked for"
	}
	return who + " was not run"
}

// ended turns an error of package secrets that will not go away into one that is
// not retried: an activity that reveals what was not resolved fails the same way
// on every attempt.
func (a *attempt) ended(err error) error {
	var e *secrets.Error
	var app *temporal.ApplicationError
	if !errors.As(err, &e) || errors.As(err, &app) || secrets.Retryable(e) {
		return err
	}
	if e.Ref.IsZero() && errors.Is(e, secrets.ErrUnresolved) && len(a.unnamed) > 0 {
		return a.empty()
	}
	errorType := unresolvedType(e.Ref)
	return temporal.NewApplicationErrorWithOptions(errorType+": "+err.Error()+" (not retryable)", errorType,
		temporal.ApplicationErrorOptions{NonRetryable: true})
}

// empty says which fields held no reference, of an activity that took one of them
// for a secret: an empty field may be meant, as one that is optional is.
func (a *attempt) empty() error {
	var places, names []string
	for _, s := range a.unnamed {
		places, names = append(places, s.input.String()), append(names, s.ref.String()+" in "+s.input.String())
	}
	return a.terminal(ErrorTypeProviderUnresolved, "activity "+a.info.ActivityType.Name+" on queue "+quote(a.queue)+
		" failed, it reads a secret from an empty secrets.Value: nothing names one in "+joinNames(places),
		"name the secret where the workflow makes the argument, "+joinNames(names)+
			", or add literal: replace to the grant in "+entryKey(a.policy)+".grants, which fills an empty field")
}

func unresolvedType(ref secrets.Ref) string {
	if ref.Provider == "env" {
		return ErrorTypeSecretUnresolved
	}
	return ErrorTypeProviderUnresolved
}

// said puts a message together in the form that all of them have.
func (a *attempt) said(errorType, subject, fix string) string {
	text := errorType + ": " + subject + "\n  fix: " + fix + "\n  "
	if a.listed {
		text += "policy " + a.policy.Digest() + ", "
	}
	return text + "docs/errors.md#errors"
}

func (a *attempt) terminal(errorType, subject, fix string) error {
	return temporal.NewNonRetryableApplicationError(a.said(errorType, subject+" (not retryable)", fix), errorType, nil)
}

func (a *attempt) retried(errorType, subject, fix string) error {
	return temporal.NewApplicationError(a.said(errorType, subject+" (retryable)", fix), errorType)
}

// unresolved is terminal: the secret is missing or unusable until somebody acts.
func (a *attempt) unresolved(ref secrets.Ref, err error) error {
	fix := "put the secret where the provider looks for it, or correct the reference in the policy"
	var own *secrets.Error
	if errors.As(err, &own) && own.Advice() != "" {
		fix = own.Advice() + ", or correct the reference in the policy"
	}
	return a.terminal(unresolvedType(ref), a.notRun()+", "+ref.String()+" was not resolved: "+whyUnresolved(ref, err), fix)
}

// whyUnresolved names the kind of err. Of variables it says so in the words of Temporal's Python plugin, which
// workflow code in Python reads.
func whyUnresolved(ref secrets.Ref, err error) string {
	switch {
	case ref.Provider != "env":
	case errors.Is(err, secrets.ErrDenied):
		return quote(ref.Name) + " is not resolvable on this worker"
	case errors.Is(err, secrets.ErrNotFound), errors.Is(err, secrets.ErrEmpty):
		return quote(ref.Name) + " is not set, or is empty"
	}
	return kindText(err)
}

func (a *attempt) tooShort(ref secrets.Ref) error {
	return a.terminal(unresolvedType(ref), a.notRun()+", "+ref.String()+" is shorter than 8 bytes and cannot be hidden safely",
		"use a longer secret, or accept it by name in Options.AllowShort")
}

// unavailable is retried: an outage ends by itself.
func (a *attempt) unavailable(what string) error {
	return a.retried(ErrorTypeSecretUnavailable, a.notRun()+", the provider of "+what+" did not answer",
		"nothing while the outage lasts; after it the attempt is made again")
}

func (a *attempt) notRecorded() error {
	return a.retried(ErrorTypeAuditUnavailable, a.notRun()+", the audit sink did not take the record of a secret", "restore the audit sink")
}

func (a *attempt) withheld() error {
	return a.terminal(ErrorTypeOutputWithheld, "result of activity "+a.info.ActivityType.Name+
		" withheld, it holds a secret where it cannot be hidden, or could not be searched; the activity has run",
		"do not return the secret; text and JSON are edited, archives, other binary data and numbers are not")
}

func (a *attempt) insideErr() error {
	return a.terminal(ErrorTypeInterceptorInside, a.notRun()+", interceptor "+a.inside+" stands between the guard and the activity and would see its secrets",
		"put the guard last in worker.Options.Interceptors, or allow it by name in Options.AllowInside")
}
