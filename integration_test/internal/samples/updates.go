package samples

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

type deposit struct {
	Amount int            `json:"amount"`
	Note   map[string]any `json:"note,omitempty"`
}

// account takes deposits by update: the validator refuses some, the handler
// books the others through an activity.
func account(ctx workflow.Context) (int, error) {
	balance, open := 0, true
	err := workflow.SetUpdateHandlerWithOptions(ctx, "deposit", func(ctx workflow.Context, d deposit) (int, error) {
		if d.Amount > 1000 {
			return 0, temporal.NewApplicationError("over the limit", "Limit", d.Amount)
		}
		if err := workflow.ExecuteActivity(quick(ctx), book, d).Get(ctx, &d.Amount); err != nil {
			return 0, err
		}
		balance += d.Amount
		return balance, nil
	}, workflow.UpdateHandlerOptions{Validator: func(d deposit) error {
		if d.Amount <= 0 {
			return errors.New("amount must be positive")
		}
		return nil
	}})
	if err != nil {
		return 0, err
	}
	err = workflow.SetUpdateHandler(ctx, "close", func(workflow.Context) error {
		open = false
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = workflow.Await(ctx, func() bool { return !open && workflow.AllHandlersFinished(ctx) })
	return balance, err
}

func book(_ context.Context, d deposit) (int, error) { return d.Amount, nil }

// update sends one update and returns its result, or the word for what became
// of it.
func (e Env) update(ctx context.Context, name string, args ...any) (any, error) {
	handle, err := e.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: e.WorkflowID, UpdateName: name, Args: args, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return nil, err
	}
	var balance any
	err = handle.Get(ctx, &balance)
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return "refused: " + failed.Message(), nil
	}
	return balance, err
}

func updates() Sample {
	return Sample{
		Name:       "updates",
		Workflows:  workflows(account),
		Activities: activities(book),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, account)
			if err != nil {
				return Outcome{}, err
			}
			var answers []any
			for _, d := range []deposit{{Amount: 70}, {Amount: -1}, {Amount: 5000}, {Amount: 30, Note: map[string]any{"text": "pocket money"}}} {
				answer, err := e.update(ctx, "deposit", d)
				if err != nil {
					return Outcome{}, err
				}
				answers = append(answers, answer)
			}
			if _, err := e.update(ctx, "close"); err != nil {
				return Outcome{}, err
			}
			var balance int
			err = run.Get(ctx, &balance)
			return Outcome{Result: append(answers, balance)}, err
		},
		Want: `[70,"refused: amount must be positive","refused: over the limit",100,100]`,
	}
}

func updateWithStart() Sample {
	return Sample{
		Name:       "update-with-start",
		Workflows:  workflows(account),
		Activities: activities(book),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.WorkflowIDConflictPolicy = useExisting
			var balances []int
			for _, amount := range []int{20, 22} {
				handle, err := e.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
					StartWorkflowOperation: e.Client.NewWithStartWorkflowOperation(options, account),
					UpdateOptions: client.UpdateWorkflowOptions{
						WorkflowID: e.WorkflowID, UpdateName: "deposit", Args: []any{deposit{Amount: amount}},
						WaitForStage: client.WorkflowUpdateStageCompleted,
					},
				})
				if err != nil {
					return Outcome{}, err
				}
				var balance int
				if err := handle.Get(ctx, &balance); err != nil {
					return Outcome{}, err
				}
				balances = append(balances, balance)
			}
			if _, err := e.update(ctx, "close"); err != nil {
				return Outcome{}, err
			}
			return Outcome{Result: balances}, e.Client.GetWorkflow(ctx, e.WorkflowID, "").Get(ctx, nil)
		},
		Want: `[20,42]`,
	}
}
