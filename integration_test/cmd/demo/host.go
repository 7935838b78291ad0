package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// A hosting is what a stage of the job runs on: a worker with a host, whose
// sandboxes are directories of dir and processes of this machine.
type hosting struct {
	dir   string
	boxes *local.Backend
	stop  func() error // stopping twice is fine

	mu sync.Mutex
	// kept is all that was in dir after each command.
	kept []harness.Blob
}

// The directories of a hosting.
const (
	sessionsDir  = "sessions"  // the host's records
	sandboxesDir = "sandboxes" // the workspaces
)

// A cast is the hostings of all stages.
type cast []*hosting

// hosts starts a hosting for each stage of the job: on the queue, and on that of the analysis. ran is told of each
// command and how it ended.
func (d *demo) hosts(ctx context.Context, c client.Client, log *journal, queue string, ran func(command string)) (cast, error) {
	var all cast
	for _, part := range []struct {
		stage
		queue string
	}{{d.fetching(), queue}, {d.analysing(), queue + analysisQueue}} {
		h, err := d.host(ctx, c, log, part.stage, part.queue, ran)
		if err != nil {
			return nil, errors.Join(err, all.stop())
		}
		all = append(all, h)
	}
	return all, nil
}

// host starts a hosting on a queue, which in a run without the guard is not the stage's own.
func (d *demo) host(ctx context.Context, c client.Client, log *journal, s stage, queue string, ran func(command string)) (*hosting, error) {
	h := &hosting{dir: filepath.Join(d.dir, queue)}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		return nil, err
	}
	o, err := d.sandboxes(s, filepath.Join(h.dir, sandboxesDir))
	if err != nil {
		return nil, err
	}
	h.boxes, err = local.New(o) //nolint:contextcheck // what it removes at first is not given up half way
	if err != nil {
		return nil, err
	}
	host, err := sandboxhost.New(provider, watched{Backend: h.boxes, ended: func(cmd backend.Command, exit int) error {
		ran(fmt.Sprintf("%s: %s (%s)", strings.Join(cmd.Args, " "), said(exit), s.launcher))
		return h.keep()
	}}, sandboxhost.Options{Dir: filepath.Join(h.dir, sessionsDir), Audit: d.audit, Logger: log.zap()})
	if err != nil {
		return nil, errors.Join(err, h.boxes.Close())
	}
	serving, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- host.Run(serving, c, queue) }()
	stopWorker := func() {}
	h.stop = sync.OnceValue(func() error {
		stopWorker()
		cancel()
		return errors.Join(<-served, h.boxes.Close())
	})
	select {
	case <-host.Ready():
	case err := <-served:
		cancel()
		return nil, errors.Join(err, h.boxes.Close())
	}
	stopWorker, err = d.worker(c, queue, func(r worker.Registry) {
		r.RegisterWorkflow(AnomalyReport)
		host.Register(r)
	})
	if err != nil {
		stopWorker = func() {}
		return nil, errors.Join(err, h.stop())
	}
	return h, nil
}

// stop stops all that there are. Stopping twice is fine.
func (c cast) stop() error {
	var err error
	for _, h := range c {
		err = errors.Join(err, h.stop())
	}
	return err
}

// blobs returns what all of them kept.
func (c cast) blobs() []harness.Blob {
	var all []harness.Blob
	for _, h := range c {
		all = append(all, h.blobs()...)
	}
	return all
}

// left tells what there still is of sandboxes and of records of them.
func (c cast) left(ctx context.Context) error {
	var err error
	for _, h := range c {
		err = errors.Join(err, h.left(ctx))
	}
	return err
}

func said(exit int) string {
	if exit == 0 {
		return "ok"
	}
	return fmt.Sprintf("exit code %d", exit)
}

// keep copies what is in the directories now, while there is a sandbox.
func (h *hosting) keep() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return filepath.WalkDir(h.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			where := strings.TrimPrefix(path, h.dir+string(filepath.Separator))
			h.kept = append(h.kept, harness.Blob{Where: where, Data: append(data, where...)})
		}
		return err
	})
}

// blobs returns what was kept.
func (h *hosting) blobs() []harness.Blob {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept
}

// left tells what there still is of sandboxes and of records of them.
func (h *hosting) left(ctx context.Context) error {
	boxes, err := h.boxes.List(ctx)
	if err != nil {
		return err
	}
	records, err := filepath.Glob(filepath.Join(h.dir, sessionsDir, "*-*-*-*-*", "*.json"))
	if err == nil && len(boxes)+len(records) > 0 {
		err = fmt.Errorf("%d sandboxes and %d records of them are left", len(boxes), len(records))
	}
	return err
}

// zap returns a logger that writes to the journal.
func (j *journal) zap() *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "message"})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(lines{j}), zapcore.DebugLevel))
}

// lines writes lines to a journal.
type lines struct{ to *journal }

func (l lines) Write(line []byte) (int, error) {
	l.to.Info(strings.TrimSpace(string(line)))
	return len(line), nil
}
