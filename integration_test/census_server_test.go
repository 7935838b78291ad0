package integration_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// visibleChannels is how many channels the server must show a value of when
// nothing guards them. The others are answers, logs, and calls that it refuses.
const visibleChannels = 120

// server asks the server itself, as users do, and not only what was sent to it: with
// the guard it shows nothing, without it most of the values.
func (c *census) server(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programsPatience)
	defer cancel()
	o := interceptortest.Options{
		Workflows: c.workflows(ctx, t), Codecs: []converter.PayloadCodec{samples.Sealing()}, Timeout: programsPatience,
	}
	values, rows := []string{}, []string{}
	for _, cell := range c.cells {
		if !c.guarded() || !cell.row.before {
			values, rows = append(values, cell.value), append(rows, cell.row.name)
		}
	}
	if c.guarded() {
		o.Tap = c.tap
		interceptortest.AssertHistoryClean(t, c.plain, o, values...)
		return
	}
	w := &witness{TB: t, rows: rows, told: map[string]bool{}}
	interceptortest.AssertHistoryClean(w, c.plain, o, values...)
	if len(w.told) < visibleChannels {
		t.Errorf("without the guard the server shows %d channels, want %d", len(w.told), visibleChannels)
	}
	t.Logf("%s: the server shows values of %d channels", c.name(), len(w.told))
}

// workflows lists what the census started, when the list has caught up.
func (c *census) workflows(ctx context.Context, t *testing.T) []workflow.Execution {
	t.Helper()
	var all []workflow.Execution
	err := harness.Eventually(ctx, func() (bool, error) {
		all = nil
		page, err := c.plain.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			PageSize: 1000, Query: fmt.Sprintf("WorkflowId STARTS_WITH '%s'", c.queue),
		})
		long := 0
		for _, e := range page.GetExecutions() {
			all = append(all, workflow.Execution{ID: e.GetExecution().GetWorkflowId(), RunID: e.GetExecution().GetRunId()})
			for _, program := range []string{"-survey-", "-host-", "-pending-"} {
				if strings.Contains(e.GetExecution().GetWorkflowId(), program) {
					long++
				}
			}
		}
		return long == 3*len(c.encodings), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// witness is a test that keeps of which rows it was told.
type witness struct {
	testing.TB
	rows []string
	told map[string]bool
}

func (w *witness) Errorf(_ string, args ...any) {
	if i, ok := args[0].(int); ok {
		w.told[w.rows[i]] = true
	}
}
