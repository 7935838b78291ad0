package secrets

import (
	"errors"
	"strings"
)

// The kinds of failure, to be tested with errors.Is. All but [ErrUnavailable]
// are final: trying again without a change of configuration or code gives the
// same answer.
var (
	// ErrDenied: the name is not on the provider's allowlist, there is no such
	// provider, or a file lies outside the provider's directory.
	ErrDenied = errors.New("secrets: denied")
	// ErrNotFound: the provider has no secret of this name.
	ErrNotFound = errors.New("secrets: not found")
	// ErrEmpty: the secret is there and has no contents.
	ErrEmpty = errors.New("secrets: empty")
	// ErrTooLarge: the secret is larger than [MaxValueSize].
	ErrTooLarge = errors.New("secrets: too large")
	// ErrInvalid: the reference is not well formed, or the contents do not fit
	// their destination.
	ErrInvalid = errors.New("secrets: invalid")
	// ErrUnavailable: the provider could not answer. It is the only kind for
	// which trying again makes sense.
	ErrUnavailable = errors.New("secrets: provider unavailable")
	// ErrNotMinted: the request was not made by the guard for an activity
	// attempt.
	ErrNotMinted = errors.New("secrets: request not made by the guard")
	// ErrUnresolved: a value was asked for its contents where it is only a
	// reference.
	ErrUnresolved = errors.New("secrets: not resolved")
	// ErrLiteral: a literal stood where a reference belongs. It was dropped when
	// it was decoded.
	ErrLiteral = errors.New("secrets: literal instead of a reference")
	// ErrNoScope: [Get] was called outside an activity that the guard runs.
	ErrNoScope = errors.New("secrets: no activity scope")
)

// kinds lists every sentinel with what to do about it.
var kinds = []struct {
	err       error
	fix       string
	retryable bool
}{
	{ErrDenied, "list the exact name in the provider's allowlist", false},
	{ErrNotFound, "set it where the worker runs", false},
	{ErrEmpty, "give it contents where the worker runs", false},
	{ErrTooLarge, "a secret has at most 64 KiB", false},
	{ErrInvalid, "write provider:name, for example env:REPORTS_API_TOKEN", false},
	{ErrUnavailable, "may be tried again", true},
	{ErrNotMinted, "values are resolved by the guard, for activity inputs and for secrets.Get", false},
	{ErrUnresolved, "read it in an activity of a worker with the guard, at a place that the policy grants", false},
	{ErrLiteral, `pass a reference such as secrets.Env("NAME")`, false},
	{ErrNoScope, "call secrets.Get in an activity, with the activity's context, on a worker with the guard", false},
}

// Error is a failure about one secret. Its text names the reference and the
// kind, and says what to do; it never holds a value or text that came from a
// provider. The zero Error is a failure of unknown kind.
type Error struct {
	// Ref is the reference in question, zero if there is none.
	Ref Ref
	// Kind is one of the sentinels of this package.
	Kind error

	// detail is a fixed text of this package that takes the place of the
	// kind's own advice.
	detail string
}

// Error returns one line of text.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("secrets: ")
	if !e.Ref.IsZero() {
		b.WriteString(e.Ref.String())
		b.WriteString(": ")
	}
	for _, k := range kinds {
		if k.err != e.Kind { //nolint:errorlint // this kind itself, and not what wraps it
			continue
		}
		b.WriteString(strings.TrimPrefix(k.err.Error(), "secrets: "))
		b.WriteString(": ")
		if e.detail != "" {
			b.WriteString(e.detail)
		} else {
			b.WriteString(k.fix)
		}
		return b.String()
	}
	b.WriteString("failed")
	return b.String()
}

// Advice says what is wrong or to be done, in a fixed text of this package.
func (e *Error) Advice() string {
	if e.detail != "" {
		return e.detail
	}
	for _, k := range kinds {
		if k.err == e.Kind { //nolint:errorlint // this kind itself, and not what wraps it
			return k.fix
		}
	}
	return ""
}

// Unwrap returns Kind if it is a sentinel of this package and nil otherwise:
// every level of an error chain may be copied to where the error is reported,
// and only the sentinels are known to be harmless.
func (e *Error) Unwrap() error {
	for _, k := range kinds {
		if k.err == e.Kind { //nolint:errorlint // this kind itself, and not what wraps it
			return e.Kind
		}
	}
	return nil
}

// Retryable reports whether trying again may help: err is an outage, that is
// [ErrUnavailable] or an error of no kind of this package. A refusal, a missing
// secret and nil are not retryable.
func Retryable(err error) bool {
	if err == nil {
		return false
	}
	for _, k := range kinds {
		if !k.retryable && errors.Is(err, k.err) {
			return false
		}
	}
	return true
}

// fail returns an *Error with a fixed detail; an empty detail stands for the
// kind's own advice.
func fail(ref Ref, kind error, detail string) error {
	return &Error{Ref: ref, Kind: kind, detail: detail}
}
