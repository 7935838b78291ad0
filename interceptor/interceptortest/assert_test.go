package interceptortest_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// judge is a test that keeps what it is told instead of failing.
type judge struct {
	testing.TB
	ctx          context.Context
	said, ending []string
}

func (j *judge) Helper()                  {}
func (j *judge) Context() context.Context { return j.ctx }
func (j *judge) Errorf(format string, args ...any) {
	j.said = append(j.said, fmt.Sprintf(format, args...))
}

func (j *judge) Fatalf(format string, args ...any) {
	j.ending = append(j.ending, fmt.Sprintf(format, args...))
}

func start(t *testing.T, c client.Client, id string, memo map[string]any, args ...any) {
	t.Helper()
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "q", Memo: memo}, "Flow", args...); err != nil {
		t.Fatal(err)
	}
}

func TestAssertHistoryCleanNamesEachPlace(t *testing.T) {
	t.Parallel()
	tap := new(interceptortest.Tap)
	c, _ := connected(t, tap, client.Options{})
	start(t, c, "clean", nil, "nothing")
	start(t, c, "leaking", map[string]any{"note": "a " + value}, base64.StdEncoding.EncodeToString([]byte("a "+value)))

	j := &judge{ctx: t.Context()}
	interceptortest.AssertHistoryClean(j, c, interceptortest.Options{Tap: tap}, "a value that is nowhere", value)
	want := []string{
		"interceptortest: value 1 is in sent StartWorkflowExecution: input.payloads[0].data (base64)",
		"interceptortest: value 1 is in sent StartWorkflowExecution: memo.fields[note].data (escaped)",
		"interceptortest: value 1 is in workflow leaking, run run-of-leaking: describe: workflow_execution_info.memo.fields[note].data (escaped)",
		"interceptortest: value 1 is in workflow leaking, run run-of-leaking: history event 1 WorkflowExecutionStarted: workflow_execution_started_event_attributes.input.payloads[0].data (base64)",
		"interceptortest: value 1 is in workflow leaking, run run-of-leaking: list: memo.fields[note].data (escaped)",
	}
	if diff := cmp.Diff(want, j.said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	j = &judge{ctx: t.Context()}
	interceptortest.AssertHistoryClean(j, c, interceptortest.Options{Tap: tap}, "a value that is nowhere")
	interceptortest.AssertHistoryClean(j, c, interceptortest.Options{Workflows: []workflow.Execution{{ID: "clean"}}}, value)
	if len(j.said)+len(j.ending) > 0 {
		t.Errorf("said %q of what is clean", append(j.said, j.ending...))
	}
	interceptortest.AssertHistoryClean(j, c, interceptortest.Options{Workflows: []workflow.Execution{{ID: "leaking"}}}, value)
	if len(j.said) != 3 {
		t.Errorf("said %q of a workflow that was named", j.said)
	}
}

// TestAssertHistoryCleanIsPatient: a list that the server did not answer in time is
// asked for again.
func TestAssertHistoryCleanIsPatient(t *testing.T) {
	t.Parallel()
	tap := new(interceptortest.Tap)
	c, f := connected(t, tap, client.Options{})
	start(t, c, "leaking", nil, value)
	f.mu.Lock()
	f.late = true
	f.mu.Unlock()
	j := &judge{ctx: t.Context()}
	interceptortest.AssertHistoryClean(j, c, interceptortest.Options{Tap: tap}, value)
	if len(j.said) != 2 || len(j.ending) != 0 {
		t.Errorf("said %q, ended with %q", j.said, j.ending)
	}
}

// TestAssertHistoryCleanProvesSomething: it does not pass where it looked at nothing,
// and shows no value when it fails.
func TestAssertHistoryCleanProvesSomething(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(client.Client, *frontend)
		options interceptortest.Options
		values  []string
		want    string
	}{
		{name: "no value", want: "no value to look for"},
		{name: "a short value", values: []string{value, "short"}, want: "value 1 has 5 bytes"},
		{name: "nothing to look at", values: []string{value}, want: "nothing to look at"},
		{
			name: "an error that quotes a value", values: []string{value},
			prepare: func(_ client.Client, f *frontend) {
				f.broken = value
			},
			options: interceptortest.Options{Workflows: []workflow.Execution{{ID: "w"}}},
			want:    "could not be read: (an error that quotes a value)",
		},
		{
			name: "a workflow that is not there", values: []string{value},
			options: interceptortest.Options{Workflows: []workflow.Execution{{ID: "w"}}},
			want:    "could not be read: describe: no such workflow",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, f := connected(t, new(interceptortest.Tap), client.Options{})
			if test.prepare != nil {
				test.prepare(c, f)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			j := &judge{ctx: ctx}
			interceptortest.AssertHistoryClean(j, c, test.options, test.values...)
			if len(j.said) > 0 || len(j.ending) != 1 || !strings.Contains(j.ending[0], test.want) || strings.Contains(j.ending[0], value) {
				t.Errorf("said %q, ended with %q, want %q", j.said, j.ending, test.want)
			}
		})
	}
}

// TestTapSeesWhatIsWritten: what an interceptor of the connection changes is recorded
// as it was changed, though it was registered after the tap; call headers count too.
func TestTapSeesWhatIsWritten(t *testing.T) {
	t.Parallel()
	tap := new(interceptortest.Tap)
	options := client.Options{}
	options.ConnectionOptions.DialOptions = tap.DialOptions()
	change := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if r, ok := req.(*workflowservice.StartWorkflowExecutionRequest); ok {
			r.Identity = value
			ctx = metadata.AppendToOutgoingContext(ctx, "note", "short1")
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(change))
	c, _, end, err := dial(options)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	start(t, c, "w", nil)
	want := []interceptortest.Place{
		{Path: "sent StartWorkflowExecution: call header note", Form: "raw", Value: 1},
		{Path: "sent StartWorkflowExecution: identity", Form: "raw"},
	}
	got := tap.Find(interceptortest.NewFinder([]string{value, "short1"}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(new(interceptortest.Tap).Sent()); n != 0 {
		t.Errorf("a tap that nobody uses has %d requests", n)
	}
}
