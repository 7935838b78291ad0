package operation

import (
	"errors"

	"go.temporal.io/sdk/temporal"
)

// Unbegun returns an error that says the same as err, and also that nothing was done: its cause has the type
// [NotBegun]. Callers that do not know of it read the type and the message as ever. It is for errors of an activity's
// first attempt, since later ones cannot speak for those before. The answer of type [NotHere], which always says so,
// and what is no application error come back as they are.
func Unbegun(err error, attempt int32) error {
	app, ok := err.(*temporal.ApplicationError) //nolint:errorlint // what wraps one is recorded by its own type
	if !ok || attempt > 1 || app.Type() == NotHere || IsUnbegun(app) {
		return err
	}
	rest := app.Unwrap()
	if app.HasDetails() { // which the copy cannot have
		rest = app
	}
	return temporal.NewApplicationErrorWithOptions(app.Message(), app.Type(), temporal.ApplicationErrorOptions{
		NonRetryable: app.NonRetryable(), NextRetryDelay: app.NextRetryDelay(), Category: app.Category(),
		Cause: temporal.NewApplicationErrorWithOptions("nothing was done", NotBegun, temporal.ApplicationErrorOptions{
			NonRetryable: app.NonRetryable(), Cause: rest,
		}),
	})
}

// IsUnbegun reports whether an error says that nothing was done.
func IsUnbegun(err error) bool {
	for app := (*temporal.ApplicationError)(nil); errors.As(err, &app); err = app.Unwrap() {
		if app.Type() == NotBegun {
			return true
		}
	}
	return false
}
