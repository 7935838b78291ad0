package samples

import (
	"context"
	"crypto/rand"

	"go.temporal.io/sdk/workflow"
)

type effectReport struct {
	Length  int  `json:"length"`
	Stable  bool `json:"stable"`
	Changes int  `json:"changes"`
}

// draws takes from outside what workflow code may not have: a random text once,
// and a setting that it looks at again and again.
func draws(ctx workflow.Context) (effectReport, error) {
	var report effectReport
	var drawn map[string]string
	effect := workflow.SideEffect(ctx, func(workflow.Context) any {
		return map[string]string{"ticket": rand.Text()}
	})
	if err := effect.Get(&drawn); err != nil {
		return report, err
	}
	report.Length = len(drawn["ticket"])

	settings := []map[string]any{{"limit": 1}, {"limit": 1}, {"limit": 2}, {"limit": 2}}
	last := 0
	for i, setting := range settings {
		var seen map[string]int
		err := workflow.MutableSideEffect(ctx, "limit", func(workflow.Context) any { return setting }, sameLimit).Get(&seen)
		if err != nil {
			return report, err
		}
		if seen["limit"] != last {
			report.Changes++
			last = seen["limit"]
		}
		if i%2 == 0 {
			var echoed string
			if err := workflow.ExecuteActivity(quick(ctx), repeat, drawn["ticket"]).Get(ctx, &echoed); err != nil {
				return report, err
			}
			report.Stable = echoed == drawn["ticket"]
		}
	}
	return report, nil
}

// sameLimit compares what is recorded, decoded from JSON, with what is new.
func sameLimit(a, b any) bool { return limit(a) == limit(b) }

func limit(v any) float64 {
	m, _ := v.(map[string]any)
	switch n := m["limit"].(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

func repeat(_ context.Context, text string) (string, error) { return text, nil }

func sideEffects() Sample {
	return Sample{
		Name:       "side-effects",
		Workflows:  workflows(draws),
		Activities: activities(repeat),
		Drive:      simple[effectReport](draws),
		Want:       `{"length":26,"stable":true,"changes":2}`,
	}
}
