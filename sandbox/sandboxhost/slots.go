package sandboxhost

import (
	"context"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// waitingFactor is how many operations may wait for each that may be carried out. Each of them holds a slot of the
// worker, so it is bounded, and the host's own worker has more slots than that.
const waitingFactor = 8

// slots limit what is carried out at a time, but for what ends something or makes a session. Commands may go on for
// hours, so that they have places of their own.
type slots struct{ commands, transfers, waiting chan struct{} }

func newSlots(concurrent, reserved int) slots {
	return slots{make(chan struct{}, concurrent-reserved), make(chan struct{}, concurrent-reserved), make(chan struct{}, concurrent*waitingFactor)}
}

// workerSlots is how many activities a worker must take at a time, so that commands and transfers, at work or waiting,
// never hold up the others: these have as many as one of both, and the reserved ones of both.
func workerSlots(concurrent int) int { return concurrent * (waitingFactor + 3) }

// command waits for a slot for a command, as long as ctx lasts.
func (s slots) command(ctx context.Context) (release func(), err error) {
	return s.take(ctx, s.commands, operation.Exec)
}

var transfers = map[operation.Name]bool{
	operation.Start: true, operation.Read: true, operation.Write: true, operation.Persist: true, operation.Hydrate: true,
}

// transfer does so for an operation that is a start or moves files. Others need no slot, and commands take theirs later.
func (s slots) transfer(ctx context.Context, name operation.Name) (release func(), err error) {
	if !transfers[name] {
		return func() {}, nil
	}
	return s.take(ctx, s.transfers, name)
}

func (s slots) take(ctx context.Context, running chan struct{}, name operation.Name) (release func(), err error) {
	release = func() { <-running }
	select {
	case running <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case s.waiting <- struct{}{}:
	default:
		return nil, &backend.Error{Code: failures[name], Retryable: true, Message: "too many operations wait for their turn on this host, nothing was done"}
	}
	defer func() { <-s.waiting }()
	select {
	case running <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
