package integration_test

import (
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// stage is a search attribute that the server knows.
var stage = temporal.NewSearchAttributeKeyKeyword("SampleStage")

func (c *census) registerWorkflows(r worker.Registry) {
	for name, f := range map[string]any{"Survey": c.survey, "Host": c.host, "Ends": c.ends, "Names": c.names, "Pending": c.pending, "Holds": c.holds} {
		r.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
}

func surveyed(ctx workflow.Context) workflow.Context {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: programsPatience, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: programsPatience, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// survey plants what workflow code can plant by itself.
func (c *census) survey(ctx workflow.Context, encoding string) error {
	s := &surveyor{planter: c.planter(encoding), encoding: encoding, futures: map[string]workflow.Future{}}
	ctx = surveyed(ctx)
	s.activities(ctx)
	s.children(ctx)
	s.effects(ctx)
	s.operations(ctx)
	for _, name := range s.order {
		f := s.futures[name]
		if s.open[name] && !f.IsReady() {
			continue // nobody is there to answer
		}
		s.tried(name, f.Get(ctx, nil))
	}
	return nil
}

// A surveyor plants the rows of one run.
type surveyor struct {
	planter
	encoding string
	order    []string
	futures  map[string]workflow.Future
	// open are calls that nobody answers: they are only looked at.
	open map[string]bool
}

func (s *surveyor) await(name string, f workflow.Future) {
	s.order = append(s.order, name)
	s.futures[name] = f
}

func (s *surveyor) glance(name string, f workflow.Future) {
	if s.open == nil {
		s.open = map[string]bool{}
	}
	s.open[name] = true
	s.await(name, f)
}

func (s *surveyor) activities(ctx workflow.Context) {
	with := func(change func(*workflow.ActivityOptions)) workflow.Context {
		o := workflow.GetActivityOptions(ctx)
		change(&o)
		return workflow.WithActivityOptions(ctx, o)
	}
	take := func(name string, ctx workflow.Context, arg any) {
		s.await(name, workflow.ExecuteActivity(ctx, "Take", arg))
	}
	take("activity args", ctx, s.text("activity args"))
	take("activity args, map key", ctx, map[string]any{s.text("activity args, map key"): 1})
	take("activity args, bytes", ctx, struct{ B []byte }{[]byte(s.text("activity args, bytes"))})
	for _, w := range writers {
		row := "local activity" + w.row
		s.await(row, workflow.ExecuteLocalActivity(workflow.WithValue(ctx, w.key, s.text(row)), "Take", 1))
		row = "activity" + w.row
		take(row, workflow.WithValue(ctx, w.key, s.text(row)), 1)
	}
	s.await("local activity args", workflow.ExecuteLocalActivity(ctx, "Keep", s.encoding, "local activity args", s.cell("local activity args").text))
	take("activity retry policy", with(func(o *workflow.ActivityOptions) { o.RetryPolicy = retryUnless(s.text("activity retry policy")) }), 1)
	local := workflow.GetLocalActivityOptions(ctx)
	local.RetryPolicy = retryUnless(s.text("local activity retry policy"))
	s.await("local activity retry policy", workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, local), "Take", 1))
	past := workflow.WithDataConverter(ctx, converter.GetDefaultDataConverter())
	take("activity args past the converter", past, s.text("activity args past the converter"))
	take("activity summary", with(func(o *workflow.ActivityOptions) { o.Summary = s.text("activity summary") }), 1)
	take("activity id", with(func(o *workflow.ActivityOptions) { o.ActivityID = s.text("activity id") }), 1)
	s.await("activity type", workflow.ExecuteActivity(ctx, s.text("activity type"), 1))
	s.glance("activity task queue", workflow.ExecuteActivity(with(func(o *workflow.ActivityOptions) { o.TaskQueue = s.text("activity task queue") }), "Take", 1))

	for _, r := range rows() {
		switch {
		case !r.asked || r.channel == "standalone activity result":
		case r.name == "late result log":
			s.await(r.name, workflow.ExecuteActivity(with(func(o *workflow.ActivityOptions) { o.StartToCloseTimeout = lingering }), "Linger", s.encoding, r.name))
		case r.channel == "local activity result / error":
			s.await(r.name, workflow.ExecuteLocalActivity(ctx, "Give", s.encoding, r.name))
		default:
			s.await(r.name, workflow.ExecuteActivity(ctx, "Give", s.encoding, r.name))
		}
	}
}

func (s *surveyor) children(ctx workflow.Context) {
	child := func(name string, ctx workflow.Context, change func(*workflow.ChildWorkflowOptions), childType string, args ...any) {
		o := workflow.ChildWorkflowOptions{TaskQueue: idle, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_TERMINATE}
		if change != nil {
			change(&o)
		}
		f := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), childType, args...)
		s.await(name, f.GetChildWorkflowExecution())
	}
	child("child args", ctx, nil, "Sink", s.text("child args"))
	for _, w := range writers {
		child("child"+w.row, workflow.WithValue(ctx, w.key, s.text("child"+w.row)), nil, "Sink")
	}
	child("child retry policy", ctx, func(o *workflow.ChildWorkflowOptions) { o.RetryPolicy = retryUnless(s.text("child retry policy")) }, "Sink")
	child("child type", ctx, nil, s.text("child type"))
	child("child memo", ctx, func(o *workflow.ChildWorkflowOptions) { o.Memo = map[string]any{"note": s.text("child memo")} }, "Sink")
	child("child memo key", ctx, func(o *workflow.ChildWorkflowOptions) { o.Memo = map[string]any{s.text("child memo key"): 1} }, "Sink")
	child("child search attribute", ctx, func(o *workflow.ChildWorkflowOptions) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(stage.ValueSet(s.text("child search attribute")))
	}, "Sink")
	child("child summary", ctx, func(o *workflow.ChildWorkflowOptions) { o.StaticSummary = s.text("child summary") }, "Sink")
	child("child details", ctx, func(o *workflow.ChildWorkflowOptions) { o.StaticDetails = s.text("child details") }, "Sink")
	child("child id", ctx, func(o *workflow.ChildWorkflowOptions) { o.WorkflowID = s.text("child id") }, "Sink")
	child("child task queue", ctx, func(o *workflow.ChildWorkflowOptions) { o.TaskQueue = s.text("child task queue") }, "Sink")
	listener := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{TaskQueue: idle}), "Sink")
	s.await("child signal", listener.SignalChildWorkflow(ctx, "note", s.text("child signal")))

	own := workflow.GetInfo(ctx).WorkflowExecution.ID
	signal := func(name string, ctx workflow.Context, id, signalName string, arg any) {
		s.await(name, workflow.SignalExternalWorkflow(ctx, id, "", signalName, arg))
	}
	signal("external signal", ctx, own, "note", s.text("external signal"))
	for _, w := range writers {
		signal("signal"+w.row, workflow.WithValue(ctx, w.key, s.text("signal"+w.row)), own, "note", 1)
	}
	signal("signal name", ctx, own, s.text("signal name"), 1)
	signal("external workflow id", ctx, s.text("external workflow id"), "note", 1)

	for _, name := range []string{
		"workflow result", "workflow failure", "workflow failure type", "workflow failure details", "workflow failure cause",
		"workflow canceled details", "continue-as-new args", "raw continue-as-new",
		"continue-as-new header", "continue-as-new header of a propagator", "continue-as-new retry policy",
	} {
		s.await(name, workflow.ExecuteChildWorkflow(ctx, "Ends", s.encoding, name))
	}
}

// effects plants what leaves markers and metadata.
func (s *surveyor) effects(ctx workflow.Context) {
	value := func(name string) func(workflow.Context) any {
		return func(workflow.Context) any { return map[string]any{"v": s.text(name)} }
	}
	same := func(a, b any) bool { return false }
	workflow.SideEffect(ctx, value("side effect"))
	workflow.SideEffectWithOptions(ctx, workflow.SideEffectOptions{Summary: s.text("side effect summary")}, func(workflow.Context) any { return 1 })
	workflow.MutableSideEffect(ctx, "m", value("mutable side effect"), same)
	workflow.MutableSideEffectWithOptions(ctx, "n", workflow.MutableSideEffectOptions{Summary: s.text("mutable side effect summary")}, func(workflow.Context) any { return 1 }, same)
	s.tried("upserted memo", workflow.UpsertMemo(ctx, map[string]any{"note": s.text("upserted memo")}))
	s.tried("upserted memo key", workflow.UpsertMemo(ctx, map[string]any{s.text("upserted memo key"): 1}))
	s.tried("upserted search attribute", workflow.UpsertTypedSearchAttributes(ctx, stage.ValueSet(s.text("upserted search attribute"))))
	s.tried("upserted search attribute, untyped", workflow.UpsertSearchAttributes(ctx, map[string]any{"SampleStage": s.text("upserted search attribute, untyped")})) //nolint:staticcheck // still in use
	s.await("timer summary", workflow.NewTimerWithOptions(ctx, time.Millisecond, workflow.TimerOptions{Summary: s.text("timer summary")}))
	_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: time.Millisecond, TimerOptions: workflow.TimerOptions{Summary: s.text("await summary")}}, func() bool { return false })
	s.tried("await summary", err)
	workflow.GetLogger(ctx).Info("found " + s.text("workflow log"))
	workflow.GetLogger(ctx).Info("found", "what", parcel{Label: s.text("workflow log field")})
	workflow.GetMetricsHandler(ctx).WithTags(map[string]string{"what": s.text("workflow metric")}).Counter("found").Inc(1)
}

// ends comes to an end in the way that the row is named after.
func (c *census) ends(ctx workflow.Context, encoding, row string) (any, error) {
	p := c.planter(encoding)
	switch row {
	case "workflow result":
		return parcel{Label: p.text(row)}, nil
	case "workflow failure":
		return nil, errors.New("failed with " + p.text(row))
	case "workflow failure type":
		return nil, temporal.NewApplicationError("failed", p.text(row))
	case "workflow failure details":
		return nil, temporal.NewApplicationError("failed", "Failed", p.text(row))
	case "workflow failure cause":
		return nil, temporal.NewApplicationErrorWithCause("failed", "Failed", errors.New(p.text(row)))
	case "workflow canceled details":
		return nil, temporal.NewCanceledError(p.text(row))
	case "workflow panic":
		panic("stopped at " + p.text(row))
	case "continued":
		return nil, workflow.NewContinueAsNewError(ctx, "Ends", encoding, "nothing")
	case "continue-as-new args":
		return nil, workflow.NewContinueAsNewError(ctx, "Ends", encoding, p.text(row))
	case "continue-as-new header":
		return nil, workflow.NewContinueAsNewError(workflow.WithValue(ctx, labelKey{}, p.text(row)), "Ends", encoding, "nothing")
	case "continue-as-new header of a propagator":
		return nil, workflow.NewContinueAsNewError(workflow.WithValue(ctx, carriedKey{}, p.text(row)), "Ends", encoding, "nothing")
	case "continue-as-new retry policy":
		o := workflow.ContinueAsNewErrorOptions{RetryPolicy: retryUnless(p.text(row))}
		return nil, workflow.NewContinueAsNewErrorWithOptions(ctx, o, "Ends", encoding, "nothing")
	case "continue-as-new type":
		return nil, workflow.NewContinueAsNewError(ctx, p.text(row), encoding)
	case "continue-as-new task queue":
		return nil, workflow.NewContinueAsNewError(workflow.WithWorkflowTaskQueue(ctx, p.text(row)), "Ends", encoding, "nothing")
	case "raw continue-as-new":
		input, err := converter.GetDefaultDataConverter().ToPayloads(encoding, p.text(row))
		if err != nil {
			return nil, err
		}
		raw := workflow.NewContinueAsNewError(ctx, "Ends", encoding, "nothing")
		var next *workflow.ContinueAsNewError
		if !errors.As(raw, &next) {
			return nil, raw
		}
		return nil, &workflow.ContinueAsNewError{
			WorkflowType: next.WorkflowType, Input: input, TaskQueueName: next.TaskQueueName,
			WorkflowRunTimeout: next.WorkflowRunTimeout, WorkflowTaskTimeout: next.WorkflowTaskTimeout,
		}
	}
	return nil, nil
}

// host answers queries and updates until it is told to end.
func (c *census) host(ctx workflow.Context, encoding string) error {
	p := c.planter(encoding)
	give := func(row string) (any, error) {
		switch row {
		case "query result", "update result":
			return map[string]any{"v": p.text(row)}, nil
		case "query panic":
			panic("stopped at " + p.text(row))
		case "query error", "update failure":
			return nil, temporal.NewApplicationError("failed with "+p.text(row), "Failed")
		}
		return nil, nil
	}
	check := func(_ workflow.Context, row string) error {
		if row == "update rejection" {
			return errors.New("rejected for " + p.text(row))
		}
		return nil
	}
	handlers := []error{
		workflow.SetQueryHandlerWithOptions(ctx, "ask", give, workflow.QueryHandlerOptions{Description: p.text("query description")}),
		workflow.SetUpdateHandlerWithOptions(ctx, "change", func(_ workflow.Context, row string) (any, error) { return give(row) },
			workflow.UpdateHandlerOptions{Validator: check, Description: p.text("update description")}),
	}
	p.tried("query handler name", workflow.SetQueryHandler(ctx, p.text("query handler name"), give))
	p.tried("update handler name", workflow.SetUpdateHandler(ctx, p.text("update handler name"), func(workflow.Context) error { return nil }))
	workflow.SetCurrentDetails(ctx, p.text("current details"))
	end := workflow.GetSignalChannelWithOptions(ctx, "end", workflow.SignalChannelOptions{Description: p.text("signal description")})
	end.Receive(ctx, nil)
	return errors.Join(handlers...)
}

// pending waits for activities that a client completes.
func (c *census) pending(ctx workflow.Context) error {
	ctx = surveyed(ctx)
	var all []workflow.Future
	for _, id := range []string{"result", "error", "by-id"} {
		o := workflow.GetActivityOptions(ctx)
		o.ActivityID = id
		all = append(all, workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), "Pend"))
	}
	for _, f := range all {
		_ = f.Get(ctx, nil) // one of them fails, as it is told to
	}
	return nil
}
