package integration_test

import (
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

// setup is a way to run and to replay programs: with nothing added, or with
// the guard under a policy.
type setup struct {
	name string
	// configure adds to what a program sets by itself.
	configure func(testing.TB, *client.Options, *worker.Options)
	// replayer does the same for a replayer.
	replayer func(testing.TB, *worker.WorkflowReplayerOptions)
}

// setups lists under what every sample has to come to the same result.
func setups() []setup {
	return []setup{
		{
			name:      "without the guard",
			configure: func(testing.TB, *client.Options, *worker.Options) {},
			replayer:  func(testing.TB, *worker.WorkflowReplayerOptions) {},
		},
	}
}
