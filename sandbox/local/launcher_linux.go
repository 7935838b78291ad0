package local

import (
	"context"
	"errors"
	"io"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

// newLauncher returns the launcher of the options, which are checked. It has shown that it works.
func newLauncher(ctx context.Context, o Options) (launcher, error) {
	switch o.Launcher {
	case Unisolated:
		return newUnisolated(o)
	case Landlock:
		return newLandlock(ctx, o)
	case Native, Bubblewrap:
	}
	n, err := newNative(o)
	if err != nil {
		return nil, err
	}
	if err := n.try(ctx); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func newNative(o Options) (*native, error) {
	if !agreed.Load() {
		return nil, refusal(o.Launcher, "handshake", nil)
	}
	if err := o.checkExposed(); err != nil {
		return nil, err
	}
	v, err := newView(o)
	if err != nil {
		return nil, err
	}
	bwrap := ""
	if o.Launcher == Bubblewrap {
		if bwrap, err = findBubblewrap(o); err != nil {
			return nil, err
		}
	}
	tree := new(cgroup.Tree) // that can do nothing
	if !o.faults.noGroups {
		tree = findGroups(o.Launcher)
	}
	l, err := newLimits(o.Limits, tree)
	if err != nil {
		return nil, err
	}
	return &native{options: o, view: v, limits: &l, starter: new(starter), bwrap: bwrap}, nil
}

// try makes a sandbox and runs nothing in it.
func (n *native) try(ctx context.Context) error {
	var a account
	if n.options.ownAccounts() {
		a = account{uid: n.options.FirstUID + accounts - 1, gid: n.options.FirstUID + accounts - 1}
	}
	l := &launch{
		launcher: n.options.Launcher, starter: n.starter, job: n.empty(), limits: n.limits, grace: n.options.Grace, patience: handshakeTime,
		command: command{stdout: io.Discard, stderr: io.Discard},
	}
	if err := n.prepare(l, a); err != nil {
		return err
	}
	_, err := l.run(ctx)
	return err
}

// findGroups returns what there is of control groups. Where the kernel does not end what a command started with its first
// process they are to be able to, if they can.
func findGroups(l Launcher) *cgroup.Tree {
	if l == Landlock {
		if tree := cgroup.Find(cgroup.Options{}); tree.Support()[cgroup.Kill].Mechanism != "" {
			return tree
		}
	}
	return cgroup.Find(cgroup.Options{LimitsOnly: true})
}
