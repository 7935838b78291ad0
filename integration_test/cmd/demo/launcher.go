package main

import (
	"context"
	"fmt"
	"path/filepath"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// exitRefused is the exit code where the host cannot isolate as the launcher promises.
const exitRefused = 3

// launcherOf returns the launcher that policies and people call by that name.
func launcherOf(name string) (local.Launcher, error) {
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap, local.Unisolated} {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, fmt.Errorf("must be %s, %s or %s", local.Native, local.Bubblewrap, local.Unisolated)
}

// A refusal says what this host cannot do, why, and the remedy.
type refusal string

func (r refusal) Error() string { return string(r) }

// A stage is a part of the job in sandboxes, with a queue, and so a policy, of its own.
type stage struct {
	queue    string // as policy.yaml calls it
	launcher local.Launcher
}

func (d *demo) fetching() stage  { return stage{"reports", local.Unisolated} }
func (d *demo) analysing() stage { return stage{"reports" + analysisQueue, d.launcher} }

// sandboxes are the options of a stage's sandboxes in a directory: what its policy says, and the job's own program.
func (d *demo) sandboxes(s stage, dir string) (local.Options, error) {
	policy, ok := d.policies.PolicyFor(guard.Queue{Name: s.queue})
	if !ok {
		return local.Options{}, fmt.Errorf("policy.yaml must govern the queue %s", s.queue)
	}
	o := local.Options{
		Dir: dir, Launcher: s.launcher, Launchers: policy.Backends(), Limits: policy.Limits(), Roots: policy.LocalRoots(),
		Path: d.toolDir() + ":" + local.DefaultPath, System: []string{d.toolDir()},
	}
	if !s.launcher.Isolated() {
		o.Limits = sandbox.Limits{Wall: o.Limits.Wall, Output: o.Limits.Output, Disk: o.Limits.Disk} // it can hold no others
	}
	return o, nil
}

// probe asks the host whether it can do what the launcher promises, before anything is shown.
func (d *demo) probe(ctx context.Context) error {
	o, err := d.sandboxes(d.analysing(), filepath.Join(d.dir, sandboxesDir))
	if err != nil {
		return err
	}
	can, err := local.Probe(ctx, o)
	if err == nil && can.Refusal != "" {
		err = refusal(can.Refusal)
	}
	return err
}
