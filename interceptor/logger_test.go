package interceptor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// transcript is a log that a test reads.
type transcript struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// logger is the SDK's own logger over the transcript, with its With and caller
// skipping.
func (l *transcript) logger() sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
}

func guardedSuite(tb testing.TB, opts guard.Options, l *transcript) (*testsuite.WorkflowTestSuite, interceptor.WorkerInterceptor) {
	tb.Helper()
	g, err := guard.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(l.logger())
	return suite, g
}

type stringer struct{ s string }

func (s stringer) String() string { return "I am " + s.s }

// TestActivityLogsAreClean: at every level, in messages and fields of any type.
func TestActivityLogsAreClean(t *testing.T) {
	var l transcript
	suite, g := guardedSuite(t, options(t, bindReplace), &l)
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if _, err := attemptIn(env, func(ctx context.Context, in tagInput) error {
		s := in.Token
		log := activity.GetLogger(ctx)
		log.Debug("debug " + s)
		log.Info("info", "field", s, s, "as a key", "n", 1, "nil", nil)
		log.Warn("warn", "err", fmt.Errorf("wrapped: %w", errors.New(s)), "bytes", []byte(s))
		log.Error("error", "struct", tagInput{Token: s}, "map", map[string]any{"t": s}, "stringer", stringer{s}, "pointer", &tagInput{Token: s}, "binary", append([]byte{0xff}, s...), "deep", map[string]*tagInput{"k": {Token: s}})
		log.Info("groups", "group", slog.GroupValue(slog.String("key "+s, "v"), slog.Group("inner "+s, slog.String("k", "value "+s))), slog.String("attr "+s, s))
		sdklog.With(log, "with", s).Info("with fields", "odd")
		sdklog.Skip(log, 1).Info("skipping " + s)
		return nil
	}, tagInput{}); err != nil {
		t.Fatal(err)
	}
	got := l.String()
	secretstest.AssertAbsent(t, []string{canary}, []byte(got))
	for _, want := range []string{
		"debug " + hidden, "field=" + hidden, "as a key", "n=1", "wrapped: " + hidden, "with=" + hidden, "skipping " + hidden, "nil=<nil>", "binary=[withheld: could not be searched for secrets]",
		"group.key " + hidden + "=v", "group.inner " + hidden + ".k=value " + hidden, "attr " + hidden + "=" + hidden,
	} {
		if !strings.Contains(strings.ReplaceAll(got, `"`, ""), want) {
			t.Errorf("the log lacks %q:\n%s", want, got)
		}
	}
}

// TestWorkflowLogsAreClean: workflow code holds no value, but what it reads back
// may hold one that some other worker resolved.
func TestWorkflowLogsAreClean(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = redact.NewSet()
	if err := opts.Hidden.Add("deploy", canary); err != nil {
		t.Fatal(err)
	}
	var l transcript
	suite, g := guardedSuite(t, opts, &l)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if err := run(t, env, func(ctx workflow.Context) error {
		workflow.GetLogger(ctx).Info("workflow says "+canary, "k", canary)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got := l.String()
	secretstest.AssertAbsent(t, []string{canary}, []byte(got))
	if !strings.Contains(got, "workflow says "+hidden) {
		t.Errorf("log:\n%s", got)
	}
}

// TestRefusalsAreNotLoggedWithValues: what the SDK itself logs of a refused or
// failed attempt holds no value either.
func TestFailedAttemptsAreLoggedClean(t *testing.T) {
	var l transcript
	suite, g := guardedSuite(t, options(t, bindReplace), &l)
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	for _, fail := range []func(s string) error{
		func(s string) error { return errors.New("with " + s) },
		func(s string) error { panic("died with " + s) },
	} {
		if _, err := attemptIn(env, func(_ context.Context, in tagInput) error { return fail(in.Token) }, tagInput{}); err == nil {
			t.Fatal("no error")
		}
	}
	secretstest.AssertAbsent(t, []string{canary}, []byte(l.String()))
}
