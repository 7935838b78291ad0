package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// Options say what is scanned of a namespace.
type Options struct {
	// Namespace is the name of the namespace. Required.
	Namespace string
	// Query is a visibility query. Empty finds every workflow.
	Query string
	// Schedules is true when schedules are scanned, too; the query does not apply to
	// them.
	Schedules bool
	// Activities is true when the activities without a workflow are scanned, too; the
	// query does not apply to them. A server that knows none has none.
	Activities bool
	// Workers is how many workflows are read at a time, 1 when less.
	Workers int
	// Progress is told how far the scan is, at most once a second. Nil is nobody.
	Progress io.Writer
}

// pageSize is how many workflows and schedules are asked for at once.
const pageSize = 500

// Scan reads a namespace into s. What cannot be read is a problem of s, as is the
// end of ctx, and the rest is read. It returns when everything that it started has
// ended.
func Scan(ctx context.Context, s *scan.Scan, c client.Client, o Options) {
	r := &reader{scan: s, client: c, o: o, progress: newProgress(o.Progress)}
	jobs := make(chan func(context.Context))
	var group sync.WaitGroup
	for range max(1, o.Workers) {
		group.Go(func() {
			for job := range jobs {
				if ctx.Err() == nil {
					job(ctx)
				}
			}
		})
	}
	r.total(ctx)
	r.workflows(ctx, jobs)
	if o.Schedules {
		r.schedules(ctx, jobs)
	}
	if o.Activities {
		r.activities(ctx, jobs)
	}
	close(jobs)
	group.Wait()
	if ctx.Err() != nil {
		s.Problem("", scan.ErrInterrupted)
	}
	r.progress.end()
}

// A reader reads one namespace.
type reader struct {
	scan     *scan.Scan
	client   client.Client
	o        Options
	progress *progress
}

// problem records what could not be read. The end of ctx is recorded once for all,
// and what was deleted since it was listed holds nothing any more.
func (r *reader) problem(ctx context.Context, what string, err error) {
	if gone := new(serviceerror.NotFound); !errors.As(err, &gone) {
		r.unread(ctx, what, err)
	}
}

// unread records what could not be read whatever the reason: a list is not deleted.
// The words of the server are not quoted: they may repeat what it was asked for.
func (r *reader) unread(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		r.scan.Problem(what, fmt.Errorf("not read: the server answered %s; may the caller read the namespace, and does the server run?", serviceerror.ToStatus(err).Code()))
	}
}

// total asks how many workflows there are, for progress only.
func (r *reader) total(ctx context.Context) {
	counted, err := r.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: r.o.Namespace, Query: r.o.Query})
	if err == nil {
		r.progress.expect(counted.GetCount())
	}
}

func (r *reader) workflows(ctx context.Context, jobs chan<- func(context.Context)) {
	request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: r.o.Namespace, Query: r.o.Query, PageSize: pageSize}
	for ctx.Err() == nil {
		page, err := r.client.ListWorkflow(ctx, request)
		if err != nil {
			r.unread(ctx, "list of workflows", err)
			return
		}
		for _, row := range page.GetExecutions() {
			jobs <- func(ctx context.Context) { r.workflow(ctx, row) }
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return
		}
	}
}

// workflow reads one run: what the list has of it first, since a run may be deleted
// while the scan is under way.
func (r *reader) workflow(ctx context.Context, row *workflowpb.WorkflowExecutionInfo) {
	execution := row.GetExecution()
	run := r.scan.Run(scan.Workflow{ID: execution.GetWorkflowId(), RunID: execution.GetRunId(), Type: row.GetType().GetName()})
	defer r.progress.step()
	defer run.End()
	what := "workflow " + execution.GetWorkflowId()
	description, err := r.client.DescribeWorkflowExecution(ctx, execution.GetWorkflowId(), execution.GetRunId())
	if err != nil {
		r.problem(ctx, what, err)
		r.add(ctx, run, what, row)
	} else {
		r.add(ctx, run, what, description)
	}
	r.history(ctx, run, what, execution)
}

func (r *reader) history(ctx context.Context, run *scan.Collector, what string, execution *commonpb.WorkflowExecution) {
	request := &workflowservice.GetWorkflowExecutionHistoryRequest{Namespace: r.o.Namespace, Execution: execution}
	for {
		page, err := r.client.WorkflowService().GetWorkflowExecutionHistory(ctx, request)
		if err != nil {
			r.problem(ctx, "history of "+what, err)
			return
		}
		r.add(ctx, run, "history of "+what, page.GetHistory())
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return
		}
	}
}

func (r *reader) schedules(ctx context.Context, jobs chan<- func(context.Context)) {
	request := &workflowservice.ListSchedulesRequest{Namespace: r.o.Namespace, MaximumPageSize: pageSize}
	for ctx.Err() == nil {
		page, err := r.client.WorkflowService().ListSchedules(ctx, request)
		if err != nil {
			r.unread(ctx, "list of schedules", err)
			return
		}
		for _, row := range page.GetSchedules() {
			jobs <- func(ctx context.Context) { r.schedule(ctx, row.GetScheduleId()) }
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return
		}
	}
}

func (r *reader) schedule(ctx context.Context, id string) {
	described, err := r.describeSchedule(ctx, id)
	if err != nil {
		r.problem(ctx, "schedule "+id, err)
		return
	}
	collector := r.scan.Schedule(id)
	defer collector.End()
	r.add(ctx, collector, "schedule "+id, described)
}

// describeSchedule asks again, up to five times within 1.5 s, for a schedule that was
// just made or is about to be deleted: the server asks the workflow behind it, which
// cannot answer then.
func (r *reader) describeSchedule(ctx context.Context, id string) (*workflowservice.DescribeScheduleResponse, error) {
	unsettled := []codes.Code{codes.FailedPrecondition, codes.InvalidArgument, codes.DeadlineExceeded}
	request := &workflowservice.DescribeScheduleRequest{Namespace: r.o.Namespace, ScheduleId: id}
	wait := 100 * time.Millisecond
	for attempt := 1; ; attempt++ {
		described, err := r.client.WorkflowService().DescribeSchedule(ctx, request)
		if err == nil || attempt == 5 || !slices.Contains(unsettled, serviceerror.ToStatus(err).Code()) {
			return described, err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// add looks at a message in the form that exports have, so that there is one way
// to read all.
func (r *reader) add(ctx context.Context, to *scan.Collector, what string, m proto.Message) {
	doc, err := protojson.Marshal(m)
	if err == nil {
		err = to.Add(doc)
	}
	if err != nil && ctx.Err() == nil {
		r.scan.Problem(what, errAnswer)
	}
}

// errAnswer is the problem of a message that has no form in JSON.
var errAnswer = errors.New("not read: the answer of the server has a form that this version does not know; use a later one")
