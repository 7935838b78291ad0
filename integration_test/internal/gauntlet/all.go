package gauntlet

import (
	"context"

	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// All returns the gauntlet as it is recorded: once without the guard, and once
// under each of Sources.
func All() []samples.Sample {
	return []samples.Sample{
		sample("unguarded", `{}`),
		sample("allowed", `{}`),
		sample("refused", `{"activity":1,"child":1,"continue-as-new":1,"coroutine":3,"local activity":1,"memo":1,"run config":1,
			"search attributes":1,"secret":1,"signal":1,"signal to a child":1,"update":2}`),
		sample("mixed", ""),
		ending("ends", "", `{"run":true,"update":true}`),
		ending(Ended, Credential, `{"run":true}`),
	}
}

// Ended is the recording of a run that was ended because of its start input,
// which Options.FailTainted asks for.
const Ended = "ended"

func ending(name, input, want string) samples.Sample {
	return samples.Sample{
		Name:       name,
		Workflows:  Register,
		Activities: func(r worker.ActivityRegistry) { RegisterActivities(r) },
		Worker:     worker.Options{EnableSessionWorker: true},
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			refused, err := DriveEnds(ctx, e.Client, e.TaskQueue, e.WorkflowID, input)
			return samples.Outcome{Result: refused}, err
		},
		Want: want,
	}
}

// Sources returns, by the name of a recording, the policies that it was
// recorded under.
func Sources() map[string]func() (guard.PolicySource, error) {
	return map[string]func() (guard.PolicySource, error){
		"allowed": func() (guard.PolicySource, error) { return validation.ParsePolicies("open.yaml", []byte(Open)) },
		"refused": func() (guard.PolicySource, error) { return validation.ParsePolicies("closed.yaml", []byte(Closed)) },
		"mixed":   func() (guard.PolicySource, error) { return EveryOther() },
		"ends":    func() (guard.PolicySource, error) { return validation.ParsePolicies("closed.yaml", []byte(Closed)) },
		Ended:     func() (guard.PolicySource, error) { return validation.ParsePolicies("closed.yaml", []byte(Closed)) },
	}
}

func sample(name, want string) samples.Sample {
	return samples.Sample{
		Name:       name,
		Workflows:  Register,
		Activities: func(r worker.ActivityRegistry) { RegisterActivities(r) },
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			report, err := Drive(ctx, e.Client, e.TaskQueue, e.WorkflowID, Full())
			return samples.Outcome{Result: report}, err
		},
		Want: want,
	}
}
