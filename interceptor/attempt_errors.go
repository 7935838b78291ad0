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
func ended(err error) error {
	var e *secrets.Error
	var app *temporal.ApplicationError
	if !errors.As(err, &e) || errors.As(err, &app) || secrets.Retryable(e) {
		return err
	}
	errorType := unresolvedType(e.Ref)
	return temporal.NewApplicationErrorWithOptions(errorType+": "+err.Error()+" (not retryable)", errorType,
		temporal.ApplicationErrorOptions{NonRetryable: true})
}

func unresolvedType(ref secrets.Ref) string {
	if ref.Provider == "env" {
		return ErrorTypeSecretUnresolved
	}
	return ErrorTypeProviderUnresolved
}

// unresolved is terminal: the secret is missing or unusable until somebody acts.
func (a *attempt) unresolved(ref secrets.Ref, err error) error {
	errorType, fix := unresolvedType(ref), "put the secret where the provider looks for it, or correct the reference in the policy"
	if ref.Provider == "env" {
		fix = "set the variable in the environment of the worker, or correct the reference in the policy"
	}
	return temporal.NewApplicationErrorWithOptions(
		errorType+": "+a.notRun()+", "+ref.String()+" was not resolved (not retryable)\n  "+ref.String()+"  "+kindText(err)+"\n  fix: "+fix,
		errorType, temporal.ApplicationErrorOptions{NonRetryable: true})
}

func (a *attempt) tooShort(ref secrets.Ref) error {
	errorType := unresolvedType(ref)
	return temporal.NewApplicationErrorWithOptions(
		errorType+": "+a.notRun()+", "+ref.String()+" is shorter than 8 bytes and cannot be hidden safely (not retryable)\n"+
			"  fix: use a longer secret, or accept it by name in Options.AllowShort",
		errorType, temporal.ApplicationErrorOptions{NonRetryable: true})
}

// unavailable is retried: an outage ends by itself.
func (a *attempt) unavailable(what string) error {
	return temporal.NewApplicationError(
		ErrorTypeSecretUnavailable+": "+a.notRun()+", the provider of "+what+" did not answer (retryable)",
		ErrorTypeSecretUnavailable)
}

func (a *attempt) withheld() error {
	return temporal.NewNonRetryableApplicationError(
		ErrorTypeOutputWithheld+": result of activity "+a.info.ActivityType.Name+" withheld, it holds a secret where it cannot be hidden, or could not be searched; the activity has run (not retryable)\n"+
			"  fix: do not return the secret; text and JSON are edited, archives, other binary data and numbers are not",
		ErrorTypeOutputWithheld, nil)
}

func (a *attempt) insideErr() error {
	return temporal.NewNonRetryableApplicationError(
		ErrorTypeInterceptorInside+": "+a.notRun()+", interceptor "+a.inside+" stands between the guard and the activity and would see its secrets (not retryable)\n"+
			"  fix: put the guard last in worker.Options.Interceptors, or allow it by name in Options.AllowInside",
		ErrorTypeInterceptorInside, nil)
}
