package interceptor

import (
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// Errors of an attempt that could not be given what it needs. They name the
// reference, and never what a provider said.

func (a *attempt) notRun() string {
	return "activity " + a.info.ActivityType.Name + " on queue " + quote(a.queue) + " was not run"
}

// unresolved is terminal: the secret is missing or unusable until somebody acts.
func (a *attempt) unresolved(ref secrets.Ref, err error) error {
	errorType, fix := ErrorTypeProviderUnresolved, "put the secret where the provider looks for it, or correct the reference in the policy"
	if ref.Provider == "env" {
		errorType, fix = ErrorTypeSecretUnresolved, "set the variable in the environment of the worker, or correct the reference in the policy"
	}
	return temporal.NewApplicationErrorWithOptions(
		errorType+": "+a.notRun()+", "+ref.String()+" was not resolved (not retryable)\n  "+ref.String()+"  "+kindText(err)+"\n  fix: "+fix,
		errorType, temporal.ApplicationErrorOptions{NonRetryable: true})
}

func (a *attempt) tooShort(ref secrets.Ref) error {
	errorType := ErrorTypeProviderUnresolved
	if ref.Provider == "env" {
		errorType = ErrorTypeSecretUnresolved
	}
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
