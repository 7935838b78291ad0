package sandboxhost

import (
	"context"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// waitingFactor is how many commands may wait for each operation that may be carried out. Each of them holds a slot
// of the worker, so it is bounded, and the host's own worker has more slots than that.
const waitingFactor = 8

// slots limit the commands that run at a time.
type slots struct{ running, waiting chan struct{} }

func newSlots(concurrent, reserved int) slots {
	return slots{make(chan struct{}, concurrent-reserved), make(chan struct{}, concurrent*waitingFactor)}
}

// workerSlots is how many activities a worker must take at a time, so that commands never hold up the others.
func workerSlots(concurrent int) int { return concurrent * (waitingFactor + 2) }

// take waits for a slot, as long as ctx lasts.
func (s slots) take(ctx context.Context) (release func(), err error) {
	release = func() { <-s.running }
	select {
	case s.running <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case s.waiting <- struct{}{}:
	default:
		return nil, &backend.Error{Code: backend.ExecTransport, Retryable: true, Message: "too many commands wait for their turn on this host, the command was not started"}
	}
	defer func() { <-s.waiting }()
	select {
	case s.running <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
