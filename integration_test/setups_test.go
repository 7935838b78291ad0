package integration_test

import (
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// setup is a way to run and to replay programs: with nothing added, or with
// the guard under a policy.
type setup struct {
	name string
	// configure adds to what a program sets by itself.
	configure func(*client.Options, *worker.Options) error
	// replayer does the same for a replayer.
	replayer func(*worker.WorkflowReplayerOptions) error
}

// setups lists under what every sample has to come to the same result.
func setups() []setup {
	return []setup{
		unguarded(),
		guarded("report", "version: 1\ndefault: {mode: report}\n"),
		guarded("enforce", "version: 1\ndefault: {mode: enforce}\n"),
		guarded("enforce, literals too", "version: 1\ndefault: {mode: enforce, literals: enforce}\n"),
	}
}

func unguarded() setup {
	return setup{
		name:      "without the guard",
		configure: func(*client.Options, *worker.Options) error { return nil },
		replayer:  func(*worker.WorkflowReplayerOptions) error { return nil },
	}
}

// guarded registers the guard once, as a plugin of the client.
func guarded(name, policy string) setup {
	build := func() (*temporal.SimplePlugin, error) {
		p, err := validation.ParsePolicies("policy.yaml", []byte(policy))
		if err != nil {
			return nil, err
		}
		return guard.NewPlugin(guard.Options{Policies: p})
	}
	return setup{
		name: "guard, " + name,
		configure: func(c *client.Options, _ *worker.Options) error {
			p, err := build()
			c.Plugins = append(c.Plugins, p)
			return err
		},
		replayer: func(o *worker.WorkflowReplayerOptions) error {
			p, err := build()
			o.Plugins = append(o.Plugins, p)
			return err
		},
	}
}

// policies parses a policy file that a test holds as text.
func policies(tb testing.TB, source string) *validation.Policies {
	tb.Helper()
	p, err := validation.ParsePolicies("policy.yaml", []byte(source))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// plugin makes the guard.
func plugin(tb testing.TB, o guard.Options) *temporal.SimplePlugin {
	tb.Helper()
	p, err := guard.NewPlugin(o)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
