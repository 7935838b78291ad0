package samples

import (
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// useExisting lets a second start join the run of the first.
const useExisting = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING

type parcel struct {
	City  string            `json:"city"`
	Grams int               `json:"grams"`
	Tags  map[string]string `json:"tags"`
}

// courier delivers a parcel, unless it is too heavy.
func courier(_ workflow.Context, p parcel) (string, error) {
	if p.Grams > 20_000 {
		return "", temporal.NewNonRetryableApplicationError("too heavy", "Weight", nil, p.Grams)
	}
	return "delivered to " + p.City, nil
}

// depot sends its parcels by one child each, all at the same time, and does
// without the one that fails.
func depot(ctx workflow.Context, parcels []parcel) ([]string, error) {
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		Memo:              map[string]any{"depot": "north"},
		StaticSummary:     "one parcel",
	})
	var couriers []workflow.ChildWorkflowFuture
	for _, p := range parcels {
		couriers = append(couriers, workflow.ExecuteChildWorkflow(ctx, courier, p))
	}
	var report []string
	for _, c := range couriers {
		if err := c.GetChildWorkflowExecution().Get(ctx, nil); err != nil {
			return nil, err
		}
		var line string
		err := c.Get(ctx, &line)
		if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
			line, err = "returned: "+failed.Message(), nil
		}
		if err != nil {
			return nil, err
		}
		report = append(report, line)
	}
	return report, nil
}

func children() Sample {
	return Sample{
		Name:      "children",
		Workflows: workflows(courier, depot),
		Drive: simple[[]string](depot, []parcel{
			{City: "Oslo", Grams: 900, Tags: map[string]string{"manifest": "A-17"}},
			{City: "Rome", Grams: 90_000},
			{City: "Lima", Grams: 20, Tags: map[string]string{"token": "none"}},
		}),
		Want: `["delivered to Oslo","returned: too heavy","delivered to Lima"]`,
	}
}

// guardDuty runs until it is relieved, and then says goodbye.
func guardDuty(ctx workflow.Context) (string, error) {
	err := workflow.Await(ctx, func() bool { return false })
	if !temporal.IsCanceledError(err) {
		return "", err
	}
	last, _ := workflow.NewDisconnectedContext(ctx)
	if err := workflow.ExecuteActivity(quick(last), remind, "the keys").Get(last, nil); err != nil {
		return "", err
	}
	return "relieved", nil
}

// shift starts a child, cancels it and waits for it to end in order.
func shift(ctx workflow.Context) (string, error) {
	childCtx, relieve := workflow.WithCancel(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WaitForCancellation: true}))
	child := workflow.ExecuteChildWorkflow(childCtx, guardDuty)
	if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil {
		return "", err
	}
	relieve()
	var word string
	err := child.Get(ctx, &word)
	return word, err
}

func childCancellation() Sample {
	return Sample{
		Name:       "child-cancellation",
		Workflows:  workflows(guardDuty, shift),
		Activities: activities(remind),
		Drive:      simple[string](shift),
		Want:       `"relieved"`,
	}
}
