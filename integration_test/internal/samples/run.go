package samples

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// RunOptions says how a sample is run on a server. TaskQueue and WorkflowID
// are required and must be unused.
type RunOptions struct {
	TaskQueue  string
	WorkflowID string
	// Configure changes the sample's own options before its client and its
	// worker are made. Nil changes nothing.
	Configure func(*client.Options, *worker.Options) error
	// Outside drives the program from a client that Configure did not touch, as
	// by a starter that knows nothing of what the worker has.
	Outside bool
}

// Run runs the sample to its end on a client and a worker of its own, checks
// its result, and returns the runs of every workflow that took part.
func (s Sample) Run(ctx context.Context, server *harness.Server, o RunOptions) (runs []harness.Run, err error) {
	clientOptions, workerOptions := s.Client, s.Worker
	if o.Configure != nil {
		if err := o.Configure(&clientOptions, &workerOptions); err != nil {
			return nil, fmt.Errorf("samples: configure %s: %w", s.Name, err)
		}
	}
	c, err := server.Client(clientOptions)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	w, err := harness.NewWorker(c, o.TaskQueue, workerOptions)
	if err != nil {
		return nil, err
	}
	s.Register(w)
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("samples: start worker of %s: %w", s.Name, err)
	}
	defer w.Stop()
	if s.Beside != nil {
		stop, failed := s.Beside(ctx, c, o.TaskQueue)
		if failed != nil {
			return nil, fmt.Errorf("samples: start what runs beside %s: %w", s.Name, failed)
		}
		defer func() { err = errors.Join(err, stop()) }()
	}

	driver := c
	if o.Outside {
		if driver, err = server.Client(s.Client); err != nil {
			return nil, err
		}
		defer driver.Close()
	}
	done, err := s.Drive(ctx, Env{Client: driver, Namespace: server.Namespace(), TaskQueue: o.TaskQueue, WorkflowID: o.WorkflowID})
	if err != nil {
		return nil, fmt.Errorf("samples: drive %s: %w", s.Name, err)
	}
	roots := done.Roots
	if roots == nil {
		roots = []workflow.Execution{{ID: o.WorkflowID}}
	}
	var failures []error
	for _, root := range roots {
		family, err := harness.Family(ctx, c, root.ID, root.RunID)
		runs, failures = append(runs, family...), append(failures, err)
	}
	return runs, errors.Join(append(failures, s.Check(done.Result))...)
}
