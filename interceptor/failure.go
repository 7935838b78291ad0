package interceptor

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/validation"
)

// Types of the application errors that the guard makes. They are what workflow
// code, in any language, matches on, and never change.
const (
	// ErrorTypePolicyViolation: a call, an input or an output broke policy. Not
	// retryable; [Violations] has the list.
	ErrorTypePolicyViolation = "sandboxguard.PolicyViolation"
	// ErrorTypeSecretNotGranted: an activity asked for a secret that policy does
	// not grant it there. Not retryable.
	ErrorTypeSecretNotGranted = "sandboxguard.SecretNotGranted"
	// ErrorTypeSecretUnresolved: an environment variable that a reference names
	// is unset, empty or unusable on this worker. Not retryable. It is the type
	// that Temporal's Python plugin uses.
	ErrorTypeSecretUnresolved = "TemporalWorkerEnvValueUnresolved"
	// ErrorTypeProviderUnresolved: the same for every other provider. Not
	// retryable.
	ErrorTypeProviderUnresolved = "sandboxguard.SecretUnresolved"
	// ErrorTypeSecretUnavailable: a provider did not answer. Retryable.
	ErrorTypeSecretUnavailable = "sandboxguard.SecretUnavailable"
	// ErrorTypeOutputWithheld: a result holds a secret at a place that cannot be
	// edited, or could not be searched. Not retryable: the activity has run.
	ErrorTypeOutputWithheld = "sandboxguard.OutputWithheld"
	// ErrorTypeAuditUnavailable: the audit sink refused the record of a granting
	// act, so the act did not happen. Retryable.
	ErrorTypeAuditUnavailable = "sandboxguard.AuditUnavailable"
	// ErrorTypeInterceptorInside: an interceptor that is not in
	// Options.AllowInside stands between the guard and the activity. Not
	// retryable.
	ErrorTypeInterceptorInside = "sandboxguard.InterceptorInside"
)

var (
	errAuditFailed = errors.New("interceptor: the audit sink did not take the record")
	errWithheld    = errors.New("interceptor: the output holds a secret where it cannot be hidden")
)

// A refusal is what is recorded and shown of a refused act. It is value-free and
// part of the public marker layout (docs/design.md): fields are only added.
type refusal struct {
	Subject    string                 `json:"subject"`
	Queue      string                 `json:"queue,omitempty"`
	Policy     string                 `json:"policy,omitempty"`
	Violations []validation.Violation `json:"violations"`
	// More is how many violations there were beyond those that are listed.
	More int `json:"more,omitempty"`
	// Failure is set when nothing was refused but the error that a run or an
	// update ended with was cleaned: the JSON of the failure to end with instead.
	Failure json.RawMessage `json:"failure,omitempty"`
}

// err returns the refusal as the error that the caller gets.
func (r refusal) err(errorType string) error {
	if r.Failure != nil {
		return errorOf(r.Failure)
	}
	return temporal.NewApplicationErrorWithOptions(r.text(errorType), errorType, temporal.ApplicationErrorOptions{
		NonRetryable: true,
		Details:      []any{r},
	})
}

// text is the message in the form that policy.md fixes.
func (r refusal) text(errorType string) string {
	var b strings.Builder
	b.WriteString(errorType + ": " + r.Subject + " (not retryable)")
	var fixes []string
	for _, v := range r.Violations {
		path := v.Path
		if path == "" {
			path = "(whole call)"
		}
		b.WriteString("\n  " + path + "  " + v.Rule + "  " + v.Detail)
		if v.Fix != "" && !slices.Contains(fixes, v.Fix) {
			fixes = append(fixes, v.Fix)
		}
	}
	if r.More > 0 {
		b.WriteString("\n  and " + strconv.Itoa(r.More) + " more")
	}
	if len(fixes) > 0 {
		b.WriteString("\n  fix: " + strings.Join(fixes, "; "))
	}
	if len(r.Violations) > 0 {
		b.WriteString("\n  ")
		if r.Policy != "" {
			b.WriteString("policy " + r.Policy + ", ")
		}
		b.WriteString("docs/errors.md#" + r.Violations[0].Rule)
	}
	return b.String()
}

// maxListed bounds the violations that a refusal lists: it stands in history, and
// one wrong folder of a manifest may give a violation for each of its files.
const maxListed = 32

// refusalOf describes a verdict's refusal.
func refusalOf(subject string, vs []validation.Violation, s *side) refusal {
	r := refusal{Subject: subject, Violations: vs[:min(len(vs), maxListed)], More: max(0, len(vs)-maxListed)}
	if s != nil {
		r.Queue = s.queue
		if s.listed {
			r.Policy = s.policy.Digest()
		}
	}
	return r
}

var refusedTypes = []string{
	ErrorTypePolicyViolation, ErrorTypeSecretNotGranted, ErrorTypeSecretUnresolved, ErrorTypeProviderUnresolved,
	ErrorTypeOutputWithheld, ErrorTypeInterceptorInside,
}

// IsRefused reports whether err, or an error in its chain, is a terminal refusal
// of the guard: retrying the same call under the same policy refuses again.
// Outages, which are retried, are not refusals. It may be called in workflow
// code, also on the error of an activity or a child workflow.
func IsRefused(err error) bool {
	var app *temporal.ApplicationError
	for errors.As(err, &app) {
		if slices.Contains(refusedTypes, app.Type()) {
			return true
		}
		err = app.Unwrap()
	}
	return false
}

// Violations returns what a refusal lists, sorted by path, at most 32 of them, or
// nil when err is no refusal of the guard. It may be called in workflow code.
func Violations(err error) []validation.Violation {
	var app *temporal.ApplicationError
	for errors.As(err, &app) {
		if slices.Contains(refusedTypes, app.Type()) && app.HasDetails() {
			if r, ok := detailsOf(app); ok {
				return r.Violations
			}
		}
		err = app.Unwrap()
	}
	return nil
}

// detailsOf reads the record in an error's details. An error of somebody else's
// making may have a type of the guard's and details of another Go type, which the
// SDK answers with a panic.
func detailsOf(app *temporal.ApplicationError) (r refusal, ok bool) {
	defer func() {
		if recover() != nil {
			r, ok = refusal{}, false
		}
	}()
	return r, app.Details(&r) == nil
}

func quote(s string) string { return `"` + s + `"` }

// patternFor suggests a queue pattern that would cover name.
func patternFor(name string) string {
	if head, _, ok := strings.Cut(name, "-"); ok && head != "" {
		return head + "-*"
	}
	return name + "*"
}
