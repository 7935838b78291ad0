package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// leak is step 1: the job with its token as text, and where the token is then.
func (d *demo) leak(ctx context.Context) error {
	d.step(1, "Without the guard",
		"A job checks half a year of orders; the API token stands as text in its manifest.")
	token := secret{name: "the token of step 1", value: d.api.issueReports()}
	d.secrets = append(d.secrets, token)

	const queue = "reports-unguarded"
	stop, err := d.plainWorker(queue)
	if err != nil {
		return err
	}
	defer stop()
	manifest := newManifest(d.api.url, sandbox.EnvLiteral(token.value))
	var report string
	d.leaked, err = d.execute(ctx, d.plain, queue, "anomaly-report-unguarded", PlainReport, []any{manifest}, &report)
	if err != nil {
		return fmt.Errorf("the job without the guard: %w", err)
	}
	stop()

	message, event := failureOf(d.leaked.History)
	d.say("")
	d.say("Event %d, ActivityTaskFailed, says what the command printed:", event)
	d.quote(message)
	d.say("")
	return d.findToken(ctx, token)
}

// findToken searches for the token and lists where it is.
func (d *demo) findToken(ctx context.Context, token secret) error {
	blobs, err := d.visible(ctx, d.leaked)
	if err != nil {
		return err
	}
	found := inOrder(finds(d.search(token.value, blobs)), blobs)
	if len(found) == 0 {
		return errors.New("step 1 must find the token, else step 6 proves nothing")
	}
	d.found = len(found)
	d.say("Whoever may read the namespace (history, Describe, List) now finds the token in %d places:", d.found)
	for _, f := range found {
		d.quote(fmt.Sprintf("%-45s %s", f.where, f.forms))
	}
	logged := d.search(token.value, []harness.Blob{{Where: "log", Data: d.plainLog.kept.Bytes()}})
	if len(logged) > 0 {
		d.say("The worker's log holds it too. Revoking the token takes it out of none of them.")
	}
	d.done("the token is in %d places", d.found)
	return nil
}

// plainWorker starts a worker for the job as it was before the guard.
func (d *demo) plainWorker(queue string) (stop func(), err error) {
	dir := filepath.Join(d.dir, queue)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	program := filepath.Join(d.toolDir(), toolName)
	return d.worker(d.plain, queue, func(r worker.Registry) {
		r.RegisterWorkflow(PlainReport)
		r.RegisterActivity(&Workspaces{dir: dir, program: program, ran: func(args []string, end string) {
			d.say("$ %s %s: %s", toolName, strings.Join(args, " "), end)
		}})
	})
}

// worker starts a worker. Stopping it twice is fine.
func (d *demo) worker(c client.Client, queue string, register func(worker.Registry)) (stop func(), err error) {
	w, err := harness.NewWorker(c, queue, worker.Options{})
	if err != nil {
		return nil, err
	}
	register(w)
	if err := w.Start(); err != nil {
		return nil, err
	}
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			w.Stop()
		}
	}, nil
}
