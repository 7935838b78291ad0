package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// options say how the demo runs. The zero value is what the command does; tests
// take a part away and see that the demo notices.
type options struct {
	// launcher runs the sandboxes of the job's analysis.
	launcher local.Launcher
	// log receives the workers' log as it is written. Nil means none.
	log io.Writer
	// plugin makes the guard. Nil means guard.NewPlugin.
	plugin func(guard.Options) (client.Plugin, error)
	// search looks for a value. Nil means harness.Search.
	search func(value string, blobs []harness.Blob) []harness.Hit
}

// run runs the demo and returns its exit code.
func run(ctx context.Context, stdout io.Writer, o options) int {
	begin := time.Now()
	// Workers of one process share a cache of workflows. Without it a worker
	// that takes over knows of a run what history says, as after a restart, and
	// every workflow task of this demo is a replay.
	worker.SetStickyWorkflowCacheSize(0)
	if o.plugin == nil {
		o.plugin = func(g guard.Options) (client.Plugin, error) { return guard.NewPlugin(g) }
	}
	if o.search == nil {
		o.search = harness.Search
	}
	d := &demo{page: page{out: stdout}, options: o}
	d.wrap("", "", "sandboxguard demo: a credential in a Temporal workflow, without the guard and with it.")
	err := d.start(ctx)
	for _, step := range []func(context.Context) error{d.leak, d.reference, d.rotation, d.refusals, d.rollback, d.searched} {
		if err == nil {
			err = step(ctx)
		}
	}
	err = errors.Join(err, d.stop())
	var refused refusal
	switch {
	case errors.As(err, &refused):
		d.wrap("", "", "")
		d.wrap("REFUSED: ", "  ", strings.TrimPrefix(err.Error(), "local: "))
		d.wrap("", "", "To see the demo on this host, with nothing kept apart, add: -launcher unisolated")
		return exitRefused
	case err != nil:
		d.wrap("", "", "")
		d.wrap("FAILED: ", "  ", err.Error())
		return 1
	}
	d.wrap("", "", "")
	d.wrap("", "", fmt.Sprintf("All of it went as it says above, in %.1f s.", time.Since(begin).Seconds()))
	return 0
}

// A demo is what the steps share and leave to each other.
type demo struct {
	page
	options
	dir      string // everything that the demo writes
	server   *harness.Server
	policies *validation.Policies
	api      *api
	audit    *audit.FileSink

	plain, guarded       client.Client
	plainLog, guardedLog journal
	// secrets are searched for; revoked is one that was in history before.
	secrets []secret
	revoked secret
	// found is in how many places step 1 found the token.
	found int
	// leaked, report and release are the runs of the first three steps, refused
	// those of the fourth.
	leaked, report, release harness.Run
	refused                 []harness.Run
	// hosted is what the hosts of the guarded job kept while the job ran,
	// hostedPlain the same of a job without the guard.
	hosted, hostedPlain []harness.Blob
}

// A secret is a value that must not be seen, and what the demo calls it.
type secret struct{ name, value string }

// start makes everything that the steps need.
func (d *demo) start(ctx context.Context) error {
	var err error
	if d.dir, err = os.MkdirTemp("", "sandboxguard-demo-"); err != nil {
		return err
	}
	// The account of an isolated command has to find the job's program in it.
	if err := os.Chmod(d.dir, 0o711); err != nil {
		return err
	}
	if err := putTool(d.toolDir()); err != nil {
		return err
	}
	if d.policies, err = loadPolicies(); err != nil {
		return err
	}
	if err := d.probe(ctx); err != nil {
		return err
	}
	if d.server, err = harness.Start(ctx, harness.Options{}); err != nil {
		return err
	}
	if d.api, err = startAPI(ctx); err != nil {
		return err
	}
	if d.audit, err = audit.NewFile(d.auditPath()); err != nil {
		return err
	}
	d.plainLog.to, d.guardedLog.to = d.log, d.log
	if d.plain, err = d.server.Client(client.Options{Logger: &d.plainLog}); err != nil {
		return err
	}
	plugin, err := d.plugin(guard.Options{Policies: d.policies, Audit: d.audit})
	if err != nil {
		return err
	}
	d.guarded, err = d.server.Client(client.Options{Logger: &d.guardedLog, Plugins: []client.Plugin{plugin}})
	return err
}

func (d *demo) auditPath() string { return filepath.Join(d.dir, "audit.jsonl") }

// toolDir holds the job's own program.
func (d *demo) toolDir() string { return filepath.Join(d.dir, "bin") }

// stop takes down what start made, in the opposite order.
func (d *demo) stop() error {
	for _, name := range []string{envToken, envRelease, envDSN} {
		_ = os.Unsetenv(name) // fails for malformed names only
	}
	if d.server != nil {
		d.server.Stop()
	}
	if d.api != nil {
		d.api.stop()
	}
	var err error
	if d.audit != nil {
		err = d.audit.Close()
	}
	return errors.Join(err, os.RemoveAll(d.dir))
}

// Variables of the worker's process that hold secrets, as a deployment would set
// them. The third is envToken.
const (
	envRelease = "RELEASE_BOT_TOKEN"
	envDSN     = "WAREHOUSE_DSN"
)

// provide puts a secret into the worker's environment, where the guard's default
// resolver finds it, and remembers it for the search.
func (d *demo) provide(variable, name, value string) error {
	d.secrets = append(d.secrets, secret{name: name, value: value})
	return os.Setenv(variable, value)
}
