package samples

import (
	"context"

	"go.temporal.io/sdk/workflow"
)

type mail struct {
	From    string         `json:"from"`
	Subject string         `json:"subject"`
	Headers map[string]any `json:"headers,omitempty"`
}

type mailbox struct {
	Subjects []string `json:"subjects"`
	Flags    []any    `json:"flags"`
}

// inbox collects mail and flags until it is closed, then drains what arrived
// in the meantime.
func inbox(ctx workflow.Context) (mailbox, error) {
	var box mailbox
	mails := workflow.GetSignalChannel(ctx, "mail")
	flags := workflow.GetSignalChannelWithOptions(ctx, "flag", workflow.SignalChannelOptions{Description: "anything at all"})
	closed := false
	arrivals := workflow.NewSelector(ctx)
	arrivals.AddReceive(mails, func(c workflow.ReceiveChannel, _ bool) {
		var m mail
		c.Receive(ctx, &m)
		box.Subjects = append(box.Subjects, m.Subject)
	})
	arrivals.AddReceive(flags, func(c workflow.ReceiveChannel, _ bool) {
		var flag any
		c.Receive(ctx, &flag)
		box.Flags = append(box.Flags, flag)
	})
	arrivals.AddReceive(workflow.GetSignalChannel(ctx, "close"), func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		closed = true
	})
	for !closed {
		arrivals.Select(ctx)
	}
	for arrivals.HasPending() {
		arrivals.Select(ctx)
	}
	return box, nil
}

func signals() Sample {
	return Sample{
		Name:      "signals",
		Workflows: workflows(inbox),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, inbox)
			if err != nil {
				return Outcome{}, err
			}
			messages := []struct {
				name string
				arg  any
			}{
				{"mail", mail{From: "ada", Subject: "first", Headers: map[string]any{"message-id": "3f9c1a77", "priority": 2}}},
				{"flag", map[string]any{"seen": true, "sandbox": "none"}},
				{"mail", mail{From: "lin", Subject: "second"}},
				{"flag", "plain text"},
				{"close", nil},
			}
			for _, m := range messages {
				if err := e.signal(ctx, m.name, m.arg); err != nil {
					return Outcome{}, err
				}
			}
			return outcome[mailbox](ctx, run)
		},
		Want: `{"subjects":["first","second"],"flags":[{"sandbox":"none","seen":true},"plain text"]}`,
	}
}

// cart is started by its first signal.
func cart(ctx workflow.Context, customer map[string]any) (int, error) {
	items := workflow.GetSignalChannel(ctx, "add")
	count := 0
	for {
		var item string
		items.Receive(ctx, &item)
		if item == "" {
			workflow.GetLogger(ctx).Info("checked out", "customer", customer["name"])
			return count, nil
		}
		count++
	}
}

func signalWithStart() Sample {
	return Sample{
		Name:      "signal-with-start",
		Workflows: workflows(cart),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			customer := map[string]any{"name": "Ada", "basket": []string{}}
			for _, item := range []string{"tea", "milk"} {
				if _, err := e.Client.SignalWithStartWorkflow(ctx, e.WorkflowID, "add", item, e.options(), cart, customer); err != nil {
					return Outcome{}, err
				}
			}
			if err := e.signal(ctx, "add", ""); err != nil {
				return Outcome{}, err
			}
			return outcome[int](ctx, e.Client.GetWorkflow(ctx, e.WorkflowID, ""))
		},
		Want: `2`,
	}
}

// errand is a child that answers the workflow that signals it.
func errand(ctx workflow.Context) (string, error) {
	var order map[string]string
	workflow.GetSignalChannel(ctx, "order").Receive(ctx, &order)
	err := workflow.SignalExternalWorkflow(ctx, order["reply_to"], "", "answer", map[string]any{"done": order["what"]}).Get(ctx, nil)
	return order["what"], err
}

// dispatcher signals its child, hears back from it, and finds that a stranger
// can be neither signalled nor cancelled.
func dispatcher(ctx workflow.Context) (map[string]any, error) {
	child := workflow.ExecuteChildWorkflow(ctx, errand)
	order := map[string]string{"what": "fetch the post", "reply_to": workflow.GetInfo(ctx).WorkflowExecution.ID}
	if err := child.SignalChildWorkflow(ctx, "order", order).Get(ctx, nil); err != nil {
		return nil, err
	}
	var answer map[string]any
	workflow.GetSignalChannel(ctx, "answer").Receive(ctx, &answer)
	if err := child.Get(ctx, nil); err != nil {
		return nil, err
	}
	answer["stranger_signalled"] = workflow.SignalExternalWorkflow(ctx, "no-such-workflow", "", "order", order).Get(ctx, nil) == nil
	answer["stranger_cancelled"] = workflow.RequestCancelExternalWorkflow(ctx, "no-such-workflow", "").Get(ctx, nil) == nil
	return answer, nil
}

func externalSignals() Sample {
	return Sample{
		Name:      "external-signals",
		Workflows: workflows(errand, dispatcher),
		Drive:     simple[map[string]any](dispatcher),
		Want:      `{"done":"fetch the post","stranger_cancelled":false,"stranger_signalled":false}`,
	}
}
