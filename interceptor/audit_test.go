package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestRecordsOfAnAttempt: who, what, for whom, by which policy, and no value.
func TestRecordsOfAnAttempt(t *testing.T) {
	opts := options(t, bindReplace)
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	opts.Now = func() time.Time { return now }
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(_ context.Context, in tagInput) (string, error) { return in.Token, nil }, named("Push"))
	if err := run(t, env, pushWorkflow(tagInput{})); err != nil {
		t.Fatal(err)
	}
	sink := opts.Audit.(*memorySink)
	sink.await(t, 4)
	policy, _ := opts.Policies.PolicyFor(guard.Queue{Name: testQueue})
	base := audit.Record{
		Time: now, Outcome: audit.OutcomeOK, Mode: "enforce", Namespace: "default-test-namespace", Queue: testQueue,
		WorkflowID: "default-test-workflow-id", RunID: "default-test-run-id", Activity: "Push", Attempt: 1, PolicyDigest: policy.Digest(),
	}
	granted := func(action audit.Action) audit.Record {
		r := base
		r.Action, r.Ref, r.Secret, r.Owner, r.Destination = action, "env:DEPLOY_TOKEN", "deploy", "release-eng", "activity:Push/0/token"
		return r
	}
	redacted := base
	redacted.Action, redacted.Detail, redacted.Count = audit.ActionRedact, "result", 1
	allowed := base
	allowed.Action = audit.ActionAllow
	want := []audit.Record{allowed, granted(audit.ActionResolve), granted(audit.ActionInject), redacted}
	sink.mu.Lock()
	defer sink.mu.Unlock()
	if diff := cmp.Diff(want, sink.records, cmpopts.IgnoreFields(audit.Record{}, "Workflow", "ActivityID")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, r := range sink.records {
		if r.Workflow == "" || r.ActivityID == "" {
			t.Errorf("record without a type or an id: %+v", r)
		}
		secretstest.AssertAbsent(t, []string{canary}, []byte(jsonOf(t, r)))
	}
}

// TestRecordsOfRefusals: one for the workflow's side, keyed by channel and
// ordinal, and one for a worker's.
func TestRecordsOfRefusals(t *testing.T) {
	opts := options(t, "")
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, string) error { return nil }, named("Note"))
	if err := run(t, env, func(ctx workflow.Context) error {
		_ = workflow.ExecuteActivity(options60(ctx), "Note", "plain").Get(ctx, nil)
		_ = workflow.ExecuteActivity(options60(ctx), "Note", githubToken).Get(ctx, nil)
		_ = workflow.UpsertMemo(ctx, map[string]any{"k": githubToken})
		_ = workflow.UpsertMemo(ctx, map[string]any{"k": githubToken})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	sink := opts.Audit.(*memorySink)
	sink.await(t, 3)
	var keys []string
	for _, r := range sink.only(audit.ActionDeny) {
		keys = append(keys, r.Key)
		if r.Outcome != audit.OutcomeRefused || r.Rule != "literal-credential" || r.Path == "" || r.Count != 1 || r.PolicyDigest == "" ||
			r.WorkflowID != "default-test-workflow-id" || r.RunID != "default-test-run-id" {
			t.Errorf("record %+v", r)
		}
	}
	if diff := cmp.Diff([]string{"sbx/a2", "sbx/m1", "sbx/m2"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}

	opts = options(t, "")
	_, err := attempt(t, opts, func(context.Context, typedInput) error { return nil }, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
	wantRules(t, err, "secret-not-granted")
	sink = opts.Audit.(*memorySink)
	sink.await(t, 1)
	if got := sink.only(audit.ActionDeny); len(got) != 1 || got[0].Activity != "Push" || got[0].Rule != "secret-not-granted" || got[0].Path != "/0/token" {
		t.Errorf("records %+v", got)
	}
}

// broken sinks do not keep a record of a granting act.
func broken() map[string]audit.Sink {
	return map[string]audit.Sink{
		"failing":   audit.SinkFunc(func(context.Context, audit.Record) error { return errors.New("disk full at /srv/audit") }),
		"panicking": audit.SinkFunc(func(context.Context, audit.Record) error { panic("no sink today") }),
		"none":      audit.Multi(),
	}
}

// TestGrantingActsNeedTheirRecord: without it the secret is not given, and the
// attempt is tried again.
func TestGrantingActsNeedTheirRecord(t *testing.T) {
	for name, sink := range broken() {
		t.Run(name, func(t *testing.T) {
			opts := options(t, bindReplace)
			opts.Audit = sink
			r := counting(t)
			opts.Resolver = r
			_, err := attempt(t, opts, func(context.Context, tagInput) error { t.Error("it ran"); return nil }, tagInput{})
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != guard.ErrorTypeAuditUnavailable || app.NonRetryable() || guard.IsRefused(err) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "disk full") || strings.Contains(err.Error(), "today") {
				t.Errorf("it quotes the sink: %v", err)
			}
			if len(r.asked) != 0 {
				t.Error("the provider was asked before the record was kept")
			}
		})
	}
}

// TestGetNeedsItsRecordToo: secrets.Get is a granting act.
func TestGetNeedsItsRecordToo(t *testing.T) {
	for name, sink := range broken() {
		t.Run(name, func(t *testing.T) {
			opts := options(t, grantAsked)
			opts.Audit = sink
			var got error
			if _, err := attempt(t, opts, func(ctx context.Context) error {
				_, got = secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			var app *temporal.ApplicationError
			if !errors.As(got, &app) || app.Type() != guard.ErrorTypeAuditUnavailable {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestDenialGoesOnWithoutASink: refusals, redaction and plain work need no record.
func TestDenialGoesOnWithoutASink(t *testing.T) {
	for name, sink := range broken() {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Audit = sink
			env := environment(t, opts)
			env.RegisterActivityWithOptions(func(context.Context, any) (string, error) { return "", errors.New("said " + githubToken) }, named("Push"))
			wantRules(t, run(t, env, pushWorkflow(note{Text: githubToken})), "literal-credential")
			_, err := attempt(t, opts, func(context.Context) error { return errors.New("said " + githubToken) })
			if err == nil || holdsText(err, githubToken) || guard.IsRefused(err) {
				t.Errorf("redaction: %v", err)
			}
		})
	}
}

// TestSlowSinkDoesNotHoldWorkflowsUp: workflow code never waits for a sink.
func TestSlowSinkDoesNotHoldWorkflowsUp(t *testing.T) {
	release := make(chan struct{})
	var wrote audit.Record
	done := make(chan struct{})
	opts := options(t, "")
	opts.Audit = audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		<-release
		wrote = r
		close(done)
		return nil
	})
	env := environment(t, opts)
	if err := run(t, env, func(ctx workflow.Context) error {
		if err := workflow.UpsertMemo(ctx, map[string]any{"k": githubToken}); !guard.IsRefused(err) {
			return err
		}
		return workflow.Sleep(ctx, time.Hour)
	}); err != nil {
		t.Fatal(err)
	}
	close(release) // the workflow has ended while the sink was still blocked
	<-done
	if wrote.Action != audit.ActionDeny {
		t.Errorf("wrote %+v", wrote)
	}
}

// TestFullQueueLosesRecordsAndNotWork: what does not fit is dropped and counted.
func TestFullQueueLosesRecordsAndNotWork(t *testing.T) {
	release := make(chan struct{})
	var written int
	emptied, last := make(chan struct{}), make(chan string, 1)
	opts := options(t, "")
	opts.Audit = audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		<-release
		switch written++; written {
		case 4096:
			close(emptied)
		case 4097: // unless a record was taken before the queue was full
			if r.WorkflowID != "" {
				last <- r.WorkflowID
			}
		case 4098:
			last <- r.WorkflowID
		}
		return nil
	})
	c := clientOf(t, opts, &server{})
	for range 4200 {
		if _, err := c.QueryWorkflow(t.Context(), &interceptor.ClientQueryWorkflowInput{QueryType: "q", Args: []any{githubToken}}); !guard.IsRefused(err) {
			t.Fatalf("got %v", err)
		}
	}
	close(release)
	<-emptied
	if _, err := c.QueryWorkflow(t.Context(), &interceptor.ClientQueryWorkflowInput{WorkflowID: "later", QueryType: "q", Args: []any{githubToken}}); !guard.IsRefused(err) {
		t.Fatalf("got %v", err)
	}
	if got := <-last; got != "later" {
		t.Errorf("the next record is of %q", got)
	}
}

// TestDefaultSinkIsTheLog: without a sink, records are log lines.
func TestDefaultSinkIsTheLog(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	opts := options(t, bindReplace)
	opts.Audit, opts.Logger = nil, zap.New(core)
	if _, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range logs.FilterMessage("audit").All() {
		fields := e.ContextMap()
		actions = append(actions, fields["action"].(string))
		if fields["action"] == "allow" {
			continue
		}
		if fields["secret"] != "deploy" || fields["ref"] != "env:DEPLOY_TOKEN" || fields["destination"] != "activity:Push/0/token" || fields["policy"] == "" {
			t.Errorf("fields %v", fields)
		}
	}
	if diff := cmp.Diff([]string{"allow", "resolve", "inject"}, actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
}
