package harness

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

// Queue names a task queue that no other test uses. The name holds the test's
// own, so that a history tells where it came from.
func Queue(tb testing.TB) string {
	tb.Helper()
	return ID(strings.ToLower(tb.Name()))
}

// ID makes a unique identifier that begins with prefix. Slashes and spaces
// become dashes.
func ID(prefix string) string {
	return strings.NewReplacer("/", "-", " ", "-").Replace(prefix) + "-" + strings.ToLower(rand.Text()[:10])
}

// Unhurried is how long workflow code may take between two of its calls. By the
// SDK's default of a second a busy machine has workflow tasks fail.
const Unhurried = 30 * time.Second

// NewWorker makes a worker that is not started. Without a time of its own it
// takes Unhurried for workflow code that does not return. A plugin that refuses
// the worker makes the SDK panic; here that is an error.
func NewWorker(c client.Client, queue string, o worker.Options) (w worker.Worker, err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		w = nil
		if cause, ok := r.(error); ok {
			err = fmt.Errorf("harness: worker was not made: %w", cause)
			return
		}
		err = fmt.Errorf("harness: worker was not made: %v", r)
	}()
	o.DeadlockDetectionTimeout = cmp.Or(o.DeadlockDetectionTimeout, Unhurried)
	return worker.New(c, queue, o), nil
}

// Worker makes, registers and starts a worker, which stops when the test ends.
func Worker(tb testing.TB, c client.Client, queue string, o worker.Options, register func(worker.Registry)) worker.Worker {
	tb.Helper()
	w, err := NewWorker(c, queue, o)
	if err != nil {
		tb.Fatal(err)
	}
	register(w)
	if err := w.Start(); err != nil {
		tb.Fatalf("start worker: %v", err)
	}
	tb.Cleanup(w.Stop)
	return w
}
