package interceptor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// maxChain bounds how far an error chain is followed.
const maxChain = 64

// cleanError returns err with every secret hidden. An error without one comes
// back as it is, since callers compare errors by identity; one with a secret is
// rebuilt level by level, because the SDK writes the text of every level of the
// chain into history.
//
// In workflow code it changes terminal events only, which replay does not compare.
//
//workflowcheck:ignore
func (g *guard) cleanError(err error, c cleaner) error {
	if err == nil || c.idle() {
		return err
	}
	hits, out := c.error(err, 0)
	if hits == 0 {
		return err
	}
	return out
}

// error cleans one level and what it wraps.
func (c cleaner) error(err error, depth int) (hits int, out error) {
	defer func() {
		if recover() != nil {
			hits, out = 1, errorWithheld()
		}
	}()
	if err == nil {
		return c.rebuild, nil
	}
	if depth > maxChain {
		return 1, errorWithheld()
	}
	if isControl(err) {
		return 0, err
	}
	hits, cause := c.error(errors.Unwrap(err), depth+1)
	switch e := err.(type) { //nolint:errorlint // each level is looked at by itself
	case *temporal.ApplicationError:
		return c.applicationError(e, cause, hits)
	case *temporal.CanceledError:
		details, n := c.details(e, e.HasDetails(), e.Details)
		msg, m := c.text(e.Error())
		if hits += n + m; hits == 0 {
			return 0, err
		}
		return hits, temporal.NewCanceledErrorWithOptions(temporal.CanceledErrorOptions{Message: msg, Details: details, Cause: cause})
	case *temporal.TimeoutError:
		details, n := c.details(e, e.HasLastHeartbeatDetails(), e.LastHeartbeatDetails)
		_, m := c.text(e.Error())
		if hits += n + m; hits == 0 {
			return 0, err
		}
		if m > 0 {
			return hits, rebuilt(err, c, cause)
		}
		return hits, temporal.NewTimeoutError(e.TimeoutType(), cause, details...)
	case *nexus.OperationError:
		text, n := c.nexusText(err, e.Message, e.StackTrace)
		if hits += n; hits == 0 {
			return 0, err
		}
		return hits, &nexus.OperationError{Message: text[0], StackTrace: text[1], State: e.State, Cause: cause}
	case *nexus.HandlerError:
		text, n := c.nexusText(err, e.Message, e.StackTrace)
		if hits += n; hits == 0 {
			return 0, err
		}
		return hits, &nexus.HandlerError{Type: e.Type, Message: text[0], StackTrace: text[1], Cause: cause, RetryBehavior: e.RetryBehavior}
	default:
		if _, n := c.text(err.Error()); n+hits == 0 {
			return 0, err
		}
		return hits + 1, rebuilt(err, c, cause)
	}
}

// nexusText cleans the texts of a Nexus error, whose kind decides whether the
// operation is tried again and so has to stay. What the error was made from (its
// original failure) is looked at through its own text and not kept.
func (c cleaner) nexusText(err error, texts ...string) ([]string, int) {
	_, hits := c.text(err.Error())
	for i, s := range texts {
		out, n := c.text(s)
		texts[i], hits = out, hits+n
	}
	return texts, hits
}

func (c cleaner) applicationError(e *temporal.ApplicationError, cause error, hits int) (int, error) {
	msg, n := c.text(e.Message())
	typ, m := c.text(e.Type())
	details, d := c.details(e, e.HasDetails(), e.Details)
	hits += n + m + d
	if hits == 0 {
		return 0, e
	}
	return hits, temporal.NewApplicationErrorWithOptions(msg, typ, temporal.ApplicationErrorOptions{
		NonRetryable: e.NonRetryable(), Cause: cause, Details: details,
		NextRetryDelay: e.NextRetryDelay(), Category: e.Category(),
	})
}

// details cleans an error's details. They can be read only by count, so they are
// read as raw values and written back as such.
func (c cleaner) details(err error, has bool, get func(...any) error) ([]any, int) {
	if !has {
		return nil, 0
	}
	raw, ok := readDetails(get)
	if !ok {
		raw = encodedDetails(err)
	}
	hits := 0
	for i, d := range raw {
		nv, n, err := c.value(d)
		if err != nil {
			nv, n = withheldText, 1
		}
		if raw[i], hits = nv, hits+n; c.rebuild > 0 {
			raw[i] = plainDetail(nv)
		}
	}
	return raw, hits
}

// maxDetails bounds how many details of an error are read.
const maxDetails = 64

// readDetails reads details whose number and types are unknown: as raw payloads
// where they came over the wire, as the Go values that they are where they were
// just made.
func readDetails(get func(...any) error) (out []any, ok bool) {
	defer func() {
		if recover() != nil { // a detail that is nil has no type to be read as
			out, ok = nil, false
		}
	}()
	raws := make([]converter.RawValue, maxDetails)
	ptrs := make([]any, maxDetails)
	for i := range raws {
		ptrs[i] = &raws[i]
	}
	if get(ptrs...) == nil {
		for _, r := range raws {
			if r.Payload() != nil {
				out = append(out, r)
			}
		}
		return out, true
	}
	for n := 1; n <= maxDetails; n++ {
		values := make([]any, n)
		ptrs := make([]any, n)
		for i := range values {
			ptrs[i] = &values[i]
		}
		if get(ptrs...) != nil {
			break
		}
		out = values
	}
	return out, len(out) > 0
}

// encodedDetails reads details the way the SDK is going to write them.
func encodedDetails(err error) []any {
	f := temporal.GetDefaultFailureConverter().ErrorToFailure(err)
	ps := f.GetApplicationFailureInfo().GetDetails().GetPayloads()
	ps = append(ps, f.GetCanceledFailureInfo().GetDetails().GetPayloads()...)
	ps = append(ps, f.GetTimeoutFailureInfo().GetLastHeartbeatDetails().GetPayloads()...)
	out := make([]any, len(ps))
	for i, p := range ps {
		out[i] = converter.NewRawValue(p)
	}
	return out
}

// rebuilt turns an error that holds a secret into an application error with the
// type that the SDK would have recorded for it.
func rebuilt(err error, c cleaner, cause error) error {
	msg, _ := c.text(err.Error())
	return temporal.NewApplicationErrorWithOptions(msg, typeName(err), temporal.ApplicationErrorOptions{Cause: cause})
}

// typeName is the name that the SDK records as the type of a Go error.
func typeName(err error) string {
	t := reflect.TypeOf(err)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// isControl reports errors that the SDK recognises by identity or type and that
// carry no text of the activity's.
func isControl(err error) bool {
	if err == activity.ErrResultPending || err == context.Canceled || err == context.DeadlineExceeded { //nolint:errorlint // identity is what the SDK compares
		return true
	}
	_, next := err.(*workflow.ContinueAsNewError) //nolint:errorlint // what wraps it has a text of its own
	return next
}

const withheldText = "[withheld: could not be searched for secrets]"

func errorWithheld() error {
	return temporal.NewNonRetryableApplicationError(ErrorTypeOutputWithheld+": an error was withheld because it could not be searched for secrets (not retryable)",
		ErrorTypeOutputWithheld, nil)
}

// cleanPanic returns what to panic with instead of p.
func (c cleaner) panicValue(p any) any {
	text, ok := p.(string)
	if err, isErr := p.(error); isErr {
		text, ok = err.Error(), true
	}
	if !ok {
		text = strings.TrimSpace(fmt.Sprint(p))
	}
	if cleaned, hits := c.text(text); hits > 0 {
		return cleaned
	}
	return p
}

// unchanged reports whether a cleaned error is the one that was to be cleaned: what is rebuilt has another type or another
// address. Errors that are slices cannot be compared, and are never rebuilt as such.
//
//workflowcheck:ignore
func unchanged(cleaned, err error) bool {
	t := reflect.TypeOf(err)
	if t != reflect.TypeOf(cleaned) {
		return false
	}
	if t != nil && !reflect.ValueOf(err).Comparable() {
		return true
	}
	return cleaned == err //nolint:errorlint // identity tells whether it was rebuilt
}
