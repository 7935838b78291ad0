// Command record writes the histories that the integration tests replay. It
// runs every program that has none yet on an embedded server, without the
// guard, and keeps what the server recorded:
//
//	go -C integration_test run ./cmd/record
//
// A history that exists is never written again, since it stands for runs that
// a change of this module must not break. Name a program to add its missing
// histories only, and remove a file by hand to have it recorded anew.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
)

// limit bounds the recording of everything.
const limit = 5 * time.Minute

func main() {
	dir := flag.String("dir", filepath.Join("testdata", "histories"), "where the histories are kept")
	flag.Parse()
	if err := record(*dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// collection is a directory of recordings with the programs they come from.
type collection struct {
	name     string
	programs []samples.Sample
}

func collections() []collection {
	return []collection{{name: "samples", programs: samples.All()}}
}

func record(dir string, names []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	server, err := harness.Start(ctx, harness.Options{SearchAttributes: samples.SearchAttributes()})
	if err != nil {
		return err
	}
	defer server.Stop()
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	for _, c := range collections() {
		for _, s := range c.programs {
			if len(names) > 0 && !slices.Contains(names, s.Name) {
				continue
			}
			if err := recordOne(ctx, server, filepath.Join(dir, c.name), host, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOne runs one program and keeps its histories if they replay.
func recordOne(ctx context.Context, server *harness.Server, dir, host string, s samples.Sample) error {
	if s.Workflows == nil {
		return nil
	}
	if _, err := harness.LoadRuns(dir, s.Name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	id := filepath.Base(dir) + "-" + s.Name
	runs, err := s.Run(ctx, server, samples.RunOptions{
		TaskQueue:  id,
		WorkflowID: id,
		Configure: func(c *client.Options, w *worker.Options) error {
			c.Identity, w.Identity = "recorder", "recorder"
			return nil
		},
	})
	if err != nil {
		return err
	}
	for i, run := range runs {
		if err := harness.Anonymise(run.History, host); err != nil {
			return err
		}
		if n := harness.FailedTasks(run.History); n > 0 {
			return fmt.Errorf("%s: %d workflow tasks failed in run %d", s.Name, n, i+1)
		}
		if s.Unreplayable != "" {
			continue
		}
		if err := harness.Replay(run.History, harness.ReplayOptions{Replayer: s.Replayer()}, s.Workflows); err != nil {
			return fmt.Errorf("%s: run %d: %w", s.Name, i+1, err)
		}
	}
	if err := harness.SaveRuns(dir, s.Name, runs); err != nil {
		return err
	}
	fmt.Printf("%s: %d runs\n", s.Name, len(runs))
	return nil
}
