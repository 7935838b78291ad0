package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// TestAllowedAttemptsAreRecorded: those that carry a manifest or are given a
// secret, before they run; all others leave nothing.
func TestAllowedAttemptsAreRecorded(t *testing.T) {
	for _, tc := range []struct {
		name  string
		entry string
		fn    any
		args  []any
		want  []string
	}{
		{"plain", bindReplace, func(context.Context, string) error { return nil }, []any{"hello"}, nil},
		{"manifest", "", func(context.Context, sandbox.Manifest) error { return nil }, []any{sandbox.Manifest{}}, []string{"allow ok"}},
		{"bound", bindReplace, func(context.Context, tagInput) error { return nil }, []any{tagInput{}}, []string{"allow ok", "resolve ok", "inject ok"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			if tc.name == "plain" {
				opts = options(t, "")
			}
			sink := opts.Audit.(*memorySink)
			if _, err := attempt(t, opts, tc.fn, tc.args...); err != nil {
				t.Fatal(err)
			}
			sink.await(t, len(tc.want))
			if diff := cmp.Diff(tc.want, acts(sink)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func acts(m *memorySink) (out []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		out = append(out, fmt.Sprintf("%s %s", r.Action, r.Outcome))
	}
	return out
}

// TestManifestsDoNotWaitForTheSink: an attempt that is given no secret may be a
// clean-up.
func TestManifestsDoNotWaitForTheSink(t *testing.T) {
	opts := options(t, "")
	opts.Audit = audit.SinkFunc(func(context.Context, audit.Record) error { return errors.New("full") })
	if _, err := attempt(t, opts, func(context.Context, sandbox.Manifest) error { return nil }, sandbox.Manifest{}); err != nil {
		t.Error(err)
	}
}

// TestUnresolvedIsRecorded: that a provider gave nothing is a record of its own.
func TestUnresolvedIsRecorded(t *testing.T) {
	opts := options(t, bindReplace)
	opts.Resolver = secrets.Providers{}
	sink := opts.Audit.(*memorySink)
	if _, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{}); !guard.IsRefused(err) {
		t.Fatalf("got %v", err)
	}
	sink.await(t, 3)
	if diff := cmp.Diff([]string{"allow ok", "resolve ok", "resolve failed"}, acts(sink)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, r := range sink.only(audit.ActionResolve) {
		if r.Ref != "env:DEPLOY_TOKEN" || r.Secret != "deploy" || r.Owner != "release-eng" {
			t.Errorf("record %+v", r)
		}
	}
}

// TestAllowedClientCallsAreRecorded before they are sent; without the record they
// are not sent.
func TestAllowedClientCallsAreRecorded(t *testing.T) {
	s := &server{}
	opts := options(t, "")
	sink := opts.Audit.(*memorySink)
	in := func(arg any) *interceptor.ClientExecuteWorkflowInput {
		return &interceptor.ClientExecuteWorkflowInput{Options: startOptions(), WorkflowType: "Flow", Args: []any{arg}}
	}
	for _, arg := range []any{"plain", sandbox.Manifest{}} {
		if _, err := clientOf(t, opts, s).ExecuteWorkflow(t.Context(), in(arg)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"allow ok"}, acts(sink)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if r := sink.only(audit.ActionAllow)[0]; r.Queue == "" || r.PolicyDigest == "" || r.Key != "workflow Flow" || r.Mode != "enforce" {
		t.Errorf("record %+v", r)
	}
	opts.Audit = audit.SinkFunc(func(context.Context, audit.Record) error { return errors.New("full") })
	sent := len(s.got)
	_, err := clientOf(t, opts, s).ExecuteWorkflow(t.Context(), in(sandbox.Manifest{}))
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != guard.ErrorTypeAuditUnavailable || app.NonRetryable() || len(s.got) != sent {
		t.Errorf("got %v, sent %d after %d", err, len(s.got), sent)
	}
	if _, err := clientOf(t, opts, s).ExecuteWorkflow(t.Context(), in("plain")); err != nil {
		t.Errorf("a plain call waits for the sink: %v", err)
	}
}
