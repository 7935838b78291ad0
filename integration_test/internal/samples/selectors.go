package samples

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/workflow"
)

// kitchen lets its cooks share two ovens and one knife, and serves what is
// ready by selecting over futures, channels and a default.
func kitchen(ctx workflow.Context, dishes []string) (map[string]int, error) {
	ctx = quick(ctx)
	served := map[string]int{}
	ready := workflow.NewNamedChannel(ctx, "ready")
	ovens, knife := workflow.NewSemaphore(ctx, 2), workflow.NewMutex(ctx)
	cooks := workflow.NewWaitGroup(ctx)
	for _, dish := range dishes {
		cooks.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer cooks.Done()
			if ovens.Acquire(ctx, 1) != nil {
				return
			}
			defer ovens.Release(1)
			if knife.Lock(ctx) != nil {
				return
			}
			err := workflow.ExecuteActivity(ctx, cut, dish).Get(ctx, nil)
			knife.Unlock()
			ready.Send(ctx, map[string]any{"dish": dish, "ok": err == nil})
		})
	}

	closed := workflow.NewBufferedChannel(ctx, 1)
	workflow.Go(ctx, func(ctx workflow.Context) {
		cooks.Wait(ctx)
		closed.Close()
	})
	open := true
	passes := workflow.NewSelector(ctx)
	passes.AddReceive(ready, func(c workflow.ReceiveChannel, _ bool) {
		var plate map[string]any
		c.Receive(ctx, &plate)
		served[fmt.Sprint(plate["dish"])]++
	})
	passes.AddReceive(closed, func(_ workflow.ReceiveChannel, more bool) { open = more })
	for open {
		passes.Select(ctx)
	}

	// Both futures are settled by hand, one through the other.
	first, settle := workflow.NewFuture(ctx)
	second, chain := workflow.NewFuture(ctx)
	chain.Chain(first)
	settle.SetValue(len(served))
	late := workflow.NewSelector(ctx)
	late.AddFuture(second, func(f workflow.Future) {
		var n int
		if f.Get(ctx, &n) == nil {
			served["kinds"] = n
		}
	})
	late.AddDefault(func() { served["idle"]++ })
	late.Select(ctx)
	return served, nil
}

func cut(_ context.Context, dish string) (string, error) { return dish + " in pieces", nil }

func selectors() Sample {
	return Sample{
		Name:       "selectors",
		Workflows:  workflows(kitchen),
		Activities: activities(cut),
		Drive:      simple[map[string]int](kitchen, []string{"soup", "bread", "soup", "pie"}),
		Want:       `{"bread":1,"kinds":3,"pie":1,"soup":2}`,
	}
}
