package live

import (
	"context"
	"errors"

	activitypb "go.temporal.io/api/activity/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// activities reads the activities that no workflow stands behind.
func (r *reader) activities(ctx context.Context, jobs chan<- func(context.Context)) {
	request := &workflowservice.ListActivityExecutionsRequest{Namespace: r.o.Namespace, PageSize: pageSize}
	for ctx.Err() == nil {
		page, err := r.client.WorkflowService().ListActivityExecutions(ctx, request)
		if unknown := new(serviceerror.Unimplemented); errors.As(err, &unknown) {
			return // an older server, or one where they are switched off
		}
		if err != nil {
			r.unread(ctx, "list of activities", err)
			return
		}
		for _, row := range page.GetExecutions() {
			jobs <- func(ctx context.Context) { r.activity(ctx, row) }
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return
		}
	}
}

// activity reads one activity. What the list has of it counts if the rest cannot be
// had.
func (r *reader) activity(ctx context.Context, row *activitypb.ActivityExecutionListInfo) {
	collector := r.scan.Activity(scan.Workflow{ID: row.GetActivityId(), RunID: row.GetRunId(), Type: row.GetActivityType().GetName()})
	defer collector.End()
	what := "activity " + row.GetActivityId()
	described, err := r.client.WorkflowService().DescribeActivityExecution(ctx, &workflowservice.DescribeActivityExecutionRequest{
		Namespace: r.o.Namespace, ActivityId: row.GetActivityId(), RunId: row.GetRunId(),
		IncludeInput: true, IncludeOutcome: true, IncludeHeartbeatDetails: true, IncludeLastFailure: true,
	})
	if err != nil {
		r.problem(ctx, what, err)
		r.add(ctx, collector, what, row)
		return
	}
	r.add(ctx, collector, what, described)
}
