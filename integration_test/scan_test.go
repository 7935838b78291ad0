package integration_test

import (
	"bytes"
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/connect"
	"github.com/sandboxguard/sandboxguard/internal/scan"
	"github.com/sandboxguard/sandboxguard/internal/scan/live"
	"github.com/sandboxguard/sandboxguard/internal/scan/output"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// login has a token where teams that meet the guard have it.
type login struct {
	User  string `json:"user"`
	Token string `json:"token"`
}

// holder hands its token to an activity. One that waits does so until it is
// cancelled.
func holder(ctx workflow.Context, in login, wait bool) (login, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	err := workflow.ExecuteActivity(ctx, useToken, in, wait).Get(ctx, nil)
	return in, err
}

// useToken reports how far it is with a copy of what it was given.
func useToken(ctx context.Context, in login, wait bool) error {
	activity.RecordHeartbeat(ctx, in)
	if wait {
		<-ctx.Done()
	}
	return nil
}

// TestScanOfALiveNamespace plants one credential wherever the server keeps what it
// is given.
func TestScanOfALiveNamespace(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	token := "ghp_" + secretstest.Canary(t)[:36]
	c := server.Dial(t, client.Options{})
	queue := harness.Queue(t)
	ended, waiting, nightly := queue+"-ended", queue+"-waiting", queue+"-nightly"
	harness.Worker(t, c, queue, worker.Options{WorkerStopTimeout: time.Second}, func(r worker.Registry) {
		r.RegisterWorkflow(holder)
		r.RegisterActivity(useToken)
	})
	in := login{"app", token}

	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: ended, TaskQueue: queue}, holder, in, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	stage := temporal.NewSearchAttributeKeyKeyword("SampleStage")
	_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: waiting, TaskQueue: queue, Memo: map[string]any{"login": in},
		TypedSearchAttributes: temporal.NewSearchAttributes(stage.ValueSet(token)),
	}, holder, in, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := c.TerminateWorkflow(stop, waiting, "", "the test is over"); err != nil {
			t.Error(err)
		}
	})
	schedule, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: nightly, Paused: true, Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Hour}}},
		Action: &client.ScheduleWorkflowAction{ID: nightly, Workflow: holder, TaskQueue: queue, Args: []any{in, false}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := schedule.Delete(stop); err != nil {
			t.Error(err)
		}
	})
	query := "TaskQueue = '" + queue + "' AND WorkflowType = 'holder'"
	settled(ctx, t, c, query, waiting, nightly)

	report, said := scanNamespace(ctx, t, query)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %v", report.Problems)
	}
	for _, n := range report.NotScanned { // schedules of other tests are encrypted
		if n.Reason != "encoding binary/encrypted" {
			t.Errorf("not scanned: %v", n)
		}
	}
	var found []scan.Credential
	for _, credential := range report.Credentials { // schedules of other tests may hold their own
		for _, s := range credential.Samples {
			if s.WorkflowID == ended || s.WorkflowID == waiting || s.ScheduleID == nightly {
				found = append(found, credential)
				break
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings, want one: %+v", len(found), found)
	}
	if f := found[0]; f.Rule != "github-token" || f.Runs != 2 || f.Running != 1 || f.Schedules != 1 || f.FirstSeen.IsZero() {
		t.Errorf("%s in %d runs, %d running, %d schedules, first seen %s; want github-token in 2, 1, 1", f.Rule, f.Runs, f.Running, f.Schedules, f.FirstSeen)
	}
	places := map[string]bool{}
	for _, p := range found[0].Places {
		places[p.String()] = true
	}
	for _, want := range []string{
		"WorkflowExecutionStarted holder input/0/token", "ActivityTaskScheduled useToken input/0/token", "WorkflowExecutionCompleted holder result/0/token",
		"WorkflowExecutionStarted holder memo/login/token", "WorkflowExecutionStarted holder searchAttributes/SampleStage",
		"describe holder memo/login/token", "describe holder searchAttributes/SampleStage", "pending activity useToken heartbeatDetails/0/token",
		"schedule schedule/action/startWorkflow/input/0/token",
	} {
		if !places[want] {
			t.Errorf("%q is not among the places %v", want, places)
		}
	}
	if !strings.Contains(said, "scanned 2 of 2 workflows") {
		t.Errorf("progress %q", said)
	}
	for _, format := range []output.Format{output.FormatText, output.FormatJSON, output.FormatSARIF} {
		var b bytes.Buffer
		if err := output.Write(&b, format, report); err != nil {
			t.Fatal(err)
		}
		secretstest.AssertAbsent(t, []string{token}, b.Bytes())
	}
}

// scanNamespace scans as the command does, and returns what it said meanwhile.
func scanNamespace(ctx context.Context, t *testing.T, query string) (scan.Report, string) {
	t.Helper()
	flags := flag.NewFlagSet("scan", flag.ContinueOnError)
	address := connect.Flags(flags)
	if err := flags.Parse([]string{"--address", server.HostPort(), "--namespace", server.Namespace()}); err != nil {
		t.Fatal(err)
	}
	c, o, err := address.Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := scan.New()
	var said bytes.Buffer
	live.Scan(ctx, s, c, live.Options{Namespace: o.Namespace, Query: query, Schedules: true, Workers: 2, Progress: &said})
	return s.Report(), said.String()
}

// settled waits until lists have caught up and the activity has reported.
func settled(ctx context.Context, t *testing.T, c client.Client, query, waiting, nightly string) {
	t.Helper()
	ask := func(what string, done func() (bool, error)) {
		if err := harness.Eventually(ctx, done); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	ask("list of workflows", func() (bool, error) {
		listed, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: server.Namespace(), Query: query})
		return len(listed.GetExecutions()) == 2, err
	})
	ask("list of schedules", func() (bool, error) {
		listed, err := c.WorkflowService().ListSchedules(ctx, &workflowservice.ListSchedulesRequest{Namespace: server.Namespace(), MaximumPageSize: 1000})
		for _, s := range listed.GetSchedules() {
			if s.GetScheduleId() == nightly {
				return true, nil
			}
		}
		return false, err
	})
	ask("heartbeat", func() (bool, error) {
		described, err := c.DescribeWorkflowExecution(ctx, waiting, "")
		for _, a := range described.GetPendingActivities() {
			if a.GetHeartbeatDetails() != nil {
				return true, nil
			}
		}
		return false, err
	})
}

// TestScanOfANamespaceThatIsNotThere says so and is not complete.
func TestScanOfANamespaceThatIsNotThere(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	s := scan.New()
	live.Scan(ctx, s, server.Dial(t, client.Options{}), live.Options{Namespace: "nowhere", Schedules: true})
	if r := s.Report(); r.Complete || len(r.Problems) != 2 {
		t.Errorf("complete %v, problems %v", r.Complete, r.Problems)
	}
}

// TestScanThatIsInterrupted reports what it has, and that it is not all.
func TestScanThatIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(limited(t))
	cancel()
	s := scan.New()
	live.Scan(ctx, s, server.Dial(t, client.Options{}), live.Options{Namespace: server.Namespace(), Schedules: true, Workers: 2})
	if r := s.Report(); r.Complete || len(r.Problems) != 1 || r.Problems[0] != scan.ErrInterrupted.Error() {
		t.Errorf("complete %v, problems %v", r.Complete, r.Problems)
	}
}
