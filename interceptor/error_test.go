package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// errorOf returns the very error that an interceptor outside the guard gets from
// an attempt whose activity fails with what make returns.
func errorOf(t *testing.T, make func(secret string) error) error {
	t.Helper()
	outer := &spy{}
	env := attempts(t, options(t, bindReplace), outer)
	if _, err := attemptIn(env, func(_ context.Context, in tagInput) error { return make(in.Token) }, tagInput{}); err != nil {
		secretstest.AssertAbsent(t, []string{canary}, []byte(fmt.Sprintf("%+v", err)))
	}
	out := outer.calls("activity out")
	if len(out) != 1 {
		t.Fatalf("the attempt ended %d times", len(out))
	}
	err, _ := out[0].args[1].(error)
	return err
}

// loginError is an error of a user's, with a field of its own.
type loginError struct{ token string }

func (e *loginError) Error() string { return "login with " + e.token }

type boom string

func (b boom) Error() string { return string(b) }

// TestEveryLevelOfAnErrorIsClean: the SDK records the text of every level of a
// chain, so each is looked at, and types stay what retry policies match on.
func TestEveryLevelOfAnErrorIsClean(t *testing.T) {
	for _, tc := range []struct {
		name  string
		make  func(s string) error
		types []string // of each level, as the SDK would record them
		texts []string
	}{
		{"plain", func(s string) error { return errors.New("with " + s) }, []string{"errorString"}, []string{"with " + hidden}},
		{"own type", func(s string) error { return &loginError{s} }, []string{"loginError"}, []string{"login with " + hidden}},
		{"text type", func(s string) error { return boom("b " + s) }, []string{"boom"}, []string{"b " + hidden}},
		{
			"wrapped", func(s string) error { return fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", errors.New(s))) },
			[]string{"wrapError", "wrapError", "errorString"},
			[]string{"outer: inner: " + hidden, "inner: " + hidden, hidden},
		},
		{
			"only outside", func(s string) error { return fmt.Errorf("with %s: %w", s, fs.ErrNotExist) },
			[]string{"wrapError", "*"},
			[]string{"with " + hidden + ": file does not exist", "file does not exist"},
		},
		{"url.Error", func(s string) error {
			return &url.Error{Op: "Get", URL: "https://user:" + s + "@a.example/", Err: errors.New("dial with " + s)}
		}, []string{"Error", "errorString"}, []string{`Get "https://user:` + hidden + `@a.example/": dial with ` + hidden, "dial with " + hidden}},
		{
			"path error", func(s string) error { return &fs.PathError{Op: "open", Path: "/tmp/" + s, Err: fs.ErrPermission} },
			[]string{"PathError", "*"},
			[]string{"open /tmp/" + hidden + ": permission denied", "permission denied"},
		},
		{
			"joined", func(s string) error { return errors.Join(errors.New("a"), errors.New("b "+s)) },
			[]string{"joinError"},
			[]string{"a\nb " + hidden},
		},
		{
			"several wrapped", func(s string) error { return fmt.Errorf("%w and %w", errors.New("a"), errors.New(s)) },
			[]string{"wrapErrors"},
			[]string{"a and " + hidden},
		},
		{"application below", func(s string) error {
			return fmt.Errorf("outer: %w", temporal.NewNonRetryableApplicationError("no "+s, "Denied", nil))
		}, []string{"wrapError", "Denied"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := errorOf(t, tc.make)
			var types, texts []string
			for e := err; e != nil; e = errors.Unwrap(e) {
				typ, text := "*", e.Error()
				if app, ok := e.(*temporal.ApplicationError); ok { //nolint:errorlint // each level by itself
					typ, text = app.Type(), app.Message()
				}
				types, texts = append(types, typ), append(texts, text)
			}
			if diff := cmp.Diff(tc.types, types); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.texts, texts); tc.texts != nil && diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeepChains: however deep a chain is, nothing of it is recorded unseen.
func TestDeepChains(t *testing.T) {
	for _, depth := range []int{7, 63, 200} {
		err := errorOf(t, func(s string) error {
			err := errors.New("deep " + s)
			for range depth {
				err = fmt.Errorf("level: %w", err)
			}
			return err
		})
		if err == nil {
			t.Fatalf("depth %d: no error", depth)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), canary) {
				t.Fatalf("depth %d: %v", depth, e)
			}
		}
	}
}

// TestApplicationErrorsKeepWhatTheyAre: an error with a secret is rebuilt with
// everything else that it had.
func TestApplicationErrorsKeepWhatTheyAre(t *testing.T) {
	type detail struct {
		Code  int    `json:"code"`
		Token string `json:"token"`
	}
	cause := errors.New("the cause")
	for _, tc := range []struct {
		name string
		make func(s string) error
	}{
		{"in the message", func(s string) error {
			return temporal.NewApplicationErrorWithOptions("no "+s, "Denied", temporal.ApplicationErrorOptions{
				NonRetryable: true, Cause: cause, Details: []any{detail{Code: 7, Token: "t"}, "second"},
				NextRetryDelay: time.Minute, Category: temporal.ApplicationErrorCategoryBenign,
			})
		}},
		{"in a detail", func(s string) error {
			return temporal.NewApplicationErrorWithOptions("no", "Denied", temporal.ApplicationErrorOptions{
				NonRetryable: true, Cause: cause, Details: []any{detail{Code: 7, Token: s}, "second"},
				NextRetryDelay: time.Minute, Category: temporal.ApplicationErrorCategoryBenign,
			})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var app *temporal.ApplicationError
			if err := errorOf(t, tc.make); !errors.As(err, &app) {
				t.Fatalf("got %T", err)
			}
			var d detail
			var second string
			if err := app.Details(&d, &second); err != nil {
				t.Fatal(err)
			}
			if app.Type() != "Denied" || !app.NonRetryable() || app.NextRetryDelay() != time.Minute ||
				app.Category() != temporal.ApplicationErrorCategoryBenign || d.Code != 7 || second != "second" {
				t.Errorf("got %q non-retryable %v delay %v category %v details %+v %q", app.Type(), app.NonRetryable(), app.NextRetryDelay(), app.Category(), d, second)
			}
			if unwrapped := errors.Unwrap(app); unwrapped != cause { //nolint:errorlint // the very cause
				t.Errorf("cause %v", unwrapped)
			}
		})
	}
}

// TestErrorsWithoutSecretsAreUntouched: callers compare errors by identity.
func TestErrorsWithoutSecretsAreUntouched(t *testing.T) {
	for _, want := range []error{
		errSaid, &loginError{"x"}, activity.ErrResultPending, context.Canceled, context.DeadlineExceeded,
		temporal.NewCanceledError("why"), temporal.NewApplicationError("m", "T", 1, "two"),
		fmt.Errorf("outer: %w", activity.ErrResultPending), errors.Join(errSaid, errSaid),
		temporal.NewHeartbeatTimeoutError("at", 3),
	} {
		if got := errorOf(t, func(string) error { return want }); got != want { //nolint:errorlint // identity is what is promised
			t.Errorf("%T came back as %T: %v", want, got, got)
		}
	}
}

// TestCanceledErrorStaysOne: the SDK decides by the type whether an activity was
// cancelled.
func TestCanceledErrorStaysOne(t *testing.T) {
	err := errorOf(t, func(s string) error { return temporal.NewCanceledError("was at " + s) })
	var canceled *temporal.CanceledError
	if !errors.As(err, &canceled) {
		t.Fatalf("got %T", err)
	}
	var detail string
	if err := canceled.Details(&detail); err != nil || detail != "was at "+hidden {
		t.Errorf("detail %q, %v", detail, err)
	}
}

// TestWrappedCancelation: a rebuilt error still unwraps to the cancellation.
func TestWrappedCancelation(t *testing.T) {
	for _, cause := range []error{context.Canceled, temporal.NewCanceledError()} {
		err := errorOf(t, func(s string) error { return fmt.Errorf("with %s: %w", s, cause) })
		if !errors.Is(err, cause) && !temporal.IsCanceledError(err) {
			t.Errorf("got %v", err)
		}
	}
}

// TestErrorBesideAResult: both are cleaned.
func TestErrorBesideAResult(t *testing.T) {
	outer := &spy{}
	env := attempts(t, options(t, bindReplace), outer)
	_, err := attemptIn(env, func(_ context.Context, in tagInput) (string, error) { return in.Token, errors.New(in.Token) }, tagInput{})
	if err == nil {
		t.Fatal("no error")
	}
	out := outer.calls("activity out")[0]
	if holds(out.args[:1], canary) || strings.Contains(fmt.Sprint(out.args...), canary) {
		t.Errorf("outside the guard: %v", out.args)
	}
}

// TestLiteralsInErrors: what policy enforces for literals is hidden, not refused.
func TestLiteralsInErrors(t *testing.T) {
	_, err := attempt(t, options(t, ""), func(context.Context) error { return errors.New("push with " + githubToken) })
	if err == nil || guard.IsRefused(err) || holdsText(err, githubToken) || !strings.Contains(err.Error(), "push with [redacted:literal]") {
		t.Errorf("got %v", err)
	}
}

// unreadable is an error that cannot be looked at.
type unreadable struct{}

func (unreadable) Error() string { panic("no text for you, " + canary) }

func TestErrorThatCannotBeRead(t *testing.T) {
	outer := &spy{}
	g, err := guard.New(options(t, bindReplace))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = attemptIn(attemptsOf([]interceptor.WorkerInterceptor{outer, g}...), func(context.Context, tagInput) error { return unreadable{} }, tagInput{})
	got, _ := outer.calls("activity out")[0].args[1].(error)
	var app *temporal.ApplicationError
	if !errors.As(got, &app) || app.Type() != guard.ErrorTypeOutputWithheld || strings.Contains(app.Error(), canary) {
		t.Errorf("got %T", got)
	}
}
