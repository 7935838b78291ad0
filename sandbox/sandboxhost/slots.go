package sandboxhost

import (
	"context"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// waitingFactor is how many operations may wait for each that may be carried out. Each of them holds a slot of the
// worker, so it is bounded, and the host's own worker has more slots than that.
const waitingFactor = 8

// presentFactor is how many operations that end nothing there may be for each: at work as commands and as transfers, and
// waiting.
const presentFactor = waitingFactor + 2

// slots limit what is carried out at a time, but for what ends something. Commands may go on for hours, so that they
// have places of their own. Whatever an operation waits for, a backend that hangs included, it is one of present.
type slots struct{ present, commands, transfers, waiting chan struct{} }

func newSlots(concurrent, reserved int) slots {
	places := func(n int) chan struct{} { return make(chan struct{}, n) }
	return slots{
		present: places(concurrent * presentFactor), waiting: places(concurrent * waitingFactor),
		commands: places(concurrent - reserved), transfers: places(concurrent - reserved),
	}
}

// workerSlots is how many activities a worker must take at a time, so that what ends something always finds places:
// MaxConcurrent of them, which nothing else can have.
func workerSlots(concurrent int) int { return concurrent * (presentFactor + 1) }

// enter makes an operation one of those that are present, until leave is called.
func (s slots) enter(name operation.Name) (leave func(), err error) {
	if name.CleanUp() {
		return func() {}, nil
	}
	select {
	case s.present <- struct{}{}:
		return func() { <-s.present }, nil
	default:
		return nil, tooMany(name)
	}
}

func tooMany(name operation.Name) error {
	return &backend.Error{Code: failures[name], Retryable: true, Message: "too many operations wait for their turn on this host, nothing was done"}
}

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
		return nil, tooMany(name)
	}
	defer func() { <-s.waiting }()
	select {
	case running <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
