package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// hostOf runs a host of the backend's sandboxes, with a queue of its own.
func hostOf(b backend.Backend) func(context.Context, client.Client, string) (func() error, error) {
	return func(ctx context.Context, c client.Client, queue string) (stop func() error, err error) {
		dir, err := os.MkdirTemp("", "sessions")
		if err != nil {
			return nil, err
		}
		h, err := sandboxhost.New("memory", b, sandboxhost.Options{Dir: filepath.Join(dir, "records")})
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		w, err := harness.NewWorker(c, queue, worker.Options{DisableWorkflowWorker: true})
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		h.Register(w)
		if err := w.Start(); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx, c, queue) }()
		return func() error {
			cancel()
			err := <-ended
			w.Stop()
			return errors.Join(err, os.RemoveAll(dir))
		}, nil
	}
}

// toolbox returns sandboxes with what Tools runs in them besides the programs
// that they have anyway.
func toolbox() *sandboxtest.Fake {
	f := sandboxtest.NewFake()
	letGo := make(chan struct{})
	f.Handle("hold", func(ctx context.Context, cmd backend.Command) int {
		select {
		case <-letGo:
			return say(cmd, "let go\n")
		case <-ctx.Done():
			return 1
		}
	})
	f.Handle("let-go", func(ctx context.Context, _ backend.Command) int {
		select {
		case letGo <- struct{}{}:
			return 0
		case <-ctx.Done():
			return 1
		}
	})
	f.Handle("ls", func(_ context.Context, cmd backend.Command) int {
		return say(cmd, "total 4\n"+
			"drwxr-xr-x 2 user user 4096 Jan  1 00:00 .\n"+
			"drwxr-xr-x 3 user user 4096 Jan  1 00:00 ..\n"+
			"-rw-r--r-- 1 user user    7 Jan  1 00:00 data.txt\n")
	})
	// A script prepares what is started in a directory or with an input.
	f.Handle("sh", func(_ context.Context, cmd backend.Command) int {
		words := cmd.Args[slices.Index(cmd.Args, "--")+1:]
		return say(cmd, fmt.Sprintf("%q in %q\n", words, cmd.Dir))
	})
	return f
}

func say(cmd backend.Command, text string) int {
	if _, err := cmd.Stdout.Write([]byte(text)); err != nil {
		return 1
	}
	return 0
}
