// Command record writes the histories that the integration tests replay. It
// runs every program that has none yet on an embedded server and keeps what the
// server recorded: the ordinary and the old programs without the guard, the
// gauntlet with it, under policies that let all pass, nothing, and one or the
// other in turn, and those that use sandboxes both with and without it:
//
//	go -C integration_test run ./cmd/record
//
// A history that exists is never written again, since it stands for runs that
// a change of this module must not break. Name a program to add its missing
// histories only, and remove a file by hand to have it recorded anew.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/sessions"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// limit bounds the recording of everything.
const limit = 5 * time.Minute

// identity stands in the histories where the SDK would write process and host.
const identity = "recorder"

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
	// configure adds the guard to some of the programs, by name.
	configure map[string]func() (guard.PolicySource, error)
}

func collections() []collection {
	return []collection{
		{name: "samples", programs: samples.All()},
		{name: "legacy", programs: legacy.All()},
		{name: "guarded", programs: gauntlet.All(), configure: gauntlet.Sources()},
		{name: "sandboxes", programs: sessions.All(), configure: sessions.Sources()},
	}
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
			if err := recordOne(ctx, server, filepath.Join(dir, c.name), host, s, c.configure[s.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOne runs one program and keeps its histories if they replay. source is
// nil for a program that runs without the guard.
func recordOne(ctx context.Context, server *harness.Server, dir, host string, s samples.Sample, source func() (guard.PolicySource, error)) error {
	if s.Workflows == nil {
		return nil
	}
	if _, err := harness.LoadRuns(dir, s.Name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	plugin, err := newPlugin(source, s.Name == gauntlet.Ended)
	if err != nil {
		return err
	}
	s.Client.Identity, s.Worker.Identity = identity, identity
	id := filepath.Base(dir) + "-" + s.Name
	runs, err := s.Run(ctx, server, samples.RunOptions{
		TaskQueue:  id,
		WorkflowID: id,
		Outside:    true,
		Configure: func(c *client.Options, _ *worker.Options) error {
			if plugin != nil {
				c.Plugins = append(c.Plugins, plugin)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	for i, run := range runs {
		if err := check(run, host, s, plugin); err != nil {
			return fmt.Errorf("%s: run %d: %w", s.Name, i+1, err)
		}
	}
	if err := harness.SaveRuns(dir, s.Name, runs); err != nil {
		return err
	}
	fmt.Printf("%s: %d runs\n", s.Name, len(runs))
	return nil
}

// newPlugin makes the guard, or nil where there is to be none.
func newPlugin(source func() (guard.PolicySource, error), failTainted bool) (*temporal.SimplePlugin, error) {
	if source == nil {
		return nil, nil //nolint:nilnil // no guard is not an error
	}
	policies, err := source()
	if err != nil {
		return nil, err
	}
	return guard.NewPlugin(guard.Options{
		Policies: policies, Resolver: gauntlet.Resolver("recorded-" + rand.Text()), Hidden: gauntlet.Hidden(), FailTainted: failTainted,
	})
}

// check takes the machine out of a history and sees that it is good to keep.
func check(run harness.Run, host string, s samples.Sample, plugin *temporal.SimplePlugin) error {
	if err := harness.Anonymise(run.History, host); err != nil {
		return err
	}
	if failed := harness.FailedTasks(run.History); failed != nil {
		return fmt.Errorf("workflow tasks failed: %q", failed)
	}
	if s.Unreplayable != "" {
		return nil
	}
	options := harness.ReplayOptions{Replayer: s.Replayer()}
	if plugin != nil {
		options.Replayer.Plugins = []worker.Plugin{plugin}
	}
	return harness.Replay(run.History, options, s.Workflows)
}
