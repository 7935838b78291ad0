package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// Tree is what this process can use of the host's control groups. Its methods can be called from several goroutines.
type Tree struct {
	host     host
	self     owner
	support  Support
	controls []control
	// limitsOnly is Options.LimitsOnly.
	limitsOnly bool
	killer     *hierarchy // has cgroup.kill; nil if processes are ended one by one
}

// control is a limit and where it is set.
type control struct {
	*mechanism
	at *hierarchy
}

// limits is the order in which things are done and told.
var limits = []Limit{Memory, Processes, CPUs, Kill}

// trial is what is set to see whether it can be: little of everything, since groups above may allow no more.
var trial = Limits{Memory: 1 << 20, Processes: 1, CPUs: 0.01}

const noController refusal = "the kernel has no control groups with it that the worker can see: mount them, or have the controller enabled in the group above the worker's"

const noKill refusal = "the kernel lacks cgroup.kill, or the worker cannot see it, and processes cannot be limited: use Linux 5.14 with version 2 mounted, or have the controller pids enabled"

// Find looks at what there is, by making a group in each hierarchy and removing it. A tree that can
// do nothing says why in [Tree.Support].
func Find(o Options) *Tree {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	groups, err2 := os.ReadFile("/proc/self/cgroup")
	me, err3 := self()
	if errors.Join(err, err2, err3) != nil {
		t := &Tree{host: kernel{}}
		t.fill(Means{Reason: errProc.Error()})
		return t
	}
	return find(kernel{}, string(mounts), string(groups), me, o)
}

func find(h host, mounts, groups string, me owner, o Options) *Tree {
	t := &Tree{host: h, self: me, support: Support{}, limitsOnly: o.LimitsOnly}
	// Each controller is in one hierarchy only. Version 2 is listed last, so that reasons are those of a controller's own
	// hierarchy.
	for _, p := range locate(mounts, groups) {
		if p.v2() {
			hi, held, err := openV2(h, p, me.pid, o)
			t.try(hi, mechanismsV2, nil, err, held)
		} else {
			hi, err := openV1(h, p, me.pid)
			t.try(hi, mechanismsV1, p.controllers, err, nil)
		}
	}
	t.killByProcesses()
	t.fill(Means{Reason: noController.Error()})
	return t
}

// try makes a group in a hierarchy, sees what can be done with it and removes it. What is in the way is held, or err if
// that is everything. Those of controllers are looked at, in version 1; nil
// stands for version 2.
func (t *Tree) try(hi *hierarchy, mechanisms []mechanism, controllers []string, err, held error) {
	name := t.name()
	if err == nil {
		if err = hi.make(name); err != nil {
			err = refused(err)
			_ = hi.prune()
		}
	}
	if err == nil {
		defer func() { _ = errors.Join(hi.remove(hi.dir(name)), hi.prune()) }()
		err = hi.usable(name)
	}
	for i := range mechanisms {
		m := &mechanisms[i]
		if controllers != nil && !slices.Contains(controllers, m.controller) {
			continue
		}
		switch {
		case err != nil:
			t.lacks(m.limit, err)
		case hi.v2 && !slices.Contains(hi.enable, m.controller):
			if held != nil {
				t.lacks(m.limit, held)
			}
		case m.set(t.host, hi.dir(name), trial) != nil:
			t.lacks(m.limit, unusable)
		default:
			t.support[m.limit] = Means{Mechanism: m.name}
			t.controls = append(t.controls, control{m, hi})
		}
	}
	if controllers != nil {
		return
	}
	if err == nil && t.host.Write(filepath.Join(hi.dir(name), "cgroup.kill"), "1") == nil {
		t.killer = hi
		t.support[Kill] = Means{Mechanism: "cgroup v2 cgroup.kill"}
	} else if err != nil {
		t.lacks(Kill, err)
	}
}

// lacks notes why something cannot be done. The first reason stays.
func (t *Tree) lacks(what Limit, reason error) {
	if t.support[what] == (Means{}) {
		t.support[what] = Means{Reason: reason.Error()}
	}
}

// killByProcesses is for kernels before 5.14: without the right to start processes those that are there can be ended one
// after the other.
func (t *Tree) killByProcesses() {
	if t.killer != nil {
		return
	}
	if i := t.control(Processes); i >= 0 {
		t.support[Kill] = Means{Mechanism: t.controls[i].name + " 0 and signals"}
		return
	}
	t.lacks(Kill, noKill)
}

// fill gives a reason to what has nothing yet.
func (t *Tree) fill(m Means) {
	if t.support == nil {
		t.support = Support{}
	}
	for _, what := range limits {
		if t.support[what] == (Means{}) {
			t.support[what] = m
		}
	}
}

func (t *Tree) control(what Limit) int {
	return slices.IndexFunc(t.controls, func(c control) bool { return c.limit == what })
}

func (t *Tree) name() string { return t.self.name(number.Add(1)) }

// number is that of the last group, for all trees of the process: their groups are in the same place.
var number atomic.Uint64

// Support says for each limit how it is held, or why it cannot be.
func (t *Tree) Support() Support {
	s := Support{}
	for what, means := range t.support {
		s[what] = means
	}
	return s
}

// New makes a group with these limits, each read back after it was set. It fails with an error that wraps
// [ErrUnavailable] if there is no means for one of them, or no means to end the group's processes. No group is left when
// it fails.
func (t *Tree) New(l Limits) (*Group, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if m := t.support[Kill]; m.Mechanism == "" && !t.limitsOnly {
		return nil, fmt.Errorf("%w: processes could not be ended: %s", ErrUnavailable, m.Reason)
	}
	g := &Group{tree: t, name: t.name(), limits: l, fd: -1}
	for _, what := range limits {
		i := t.control(what)
		asked := l.value(what) != 0
		switch {
		case asked && i < 0:
			return nil, fmt.Errorf("%w: %s cannot be limited: %s", ErrUnavailable, what, t.support[what].Reason)
		case asked:
			g.controls = append(g.controls, t.controls[i])
			g.join(t.controls[i].at)
		case what == Processes && i >= 0 && t.killer == nil && !t.limitsOnly:
			g.join(t.controls[i].at)
		}
	}
	if t.killer != nil && !t.limitsOnly {
		g.join(t.killer)
	}
	if err := g.make(); err != nil {
		return nil, errors.Join(err, g.Remove())
	}
	return g, nil
}

// hierarchies are all that groups can be in.
func (t *Tree) hierarchies() []*hierarchy {
	var all []*hierarchy
	if t.killer != nil {
		all = append(all, t.killer)
	}
	for _, c := range t.controls {
		if !slices.Contains(all, c.at) {
			all = append(all, c.at)
		}
	}
	return all
}

// RemoveStale ends and removes the groups of workers that are over. Those of living ones stay, and those of workers in
// another namespace of process ids, of which that cannot be told. It goes on after an error.
func (t *Tree) RemoveStale() error {
	stale := map[string]*Group{}
	for _, hi := range t.hierarchies() {
		names, err := t.host.List(hi.parent())
		if ignoreGone(err) != nil {
			return fmt.Errorf("cgroup: groups could not be listed (%s): let the worker read its own group", cause(err))
		}
		for _, name := range names {
			if o, ok := ownerOf(name); !ok || !o.gone(t.self.namespace) {
				continue
			}
			if stale[name] == nil {
				stale[name] = &Group{tree: t, name: name, fd: -1}
			}
			stale[name].join(hi)
		}
	}
	var err error
	for _, g := range stale {
		err = errors.Join(err, g.Kill(), g.Remove())
	}
	return err
}

// Close removes the directory that groups were in, unless some are left: those of other workers stay. A group that is
// made later makes it again.
func (t *Tree) Close() error {
	for _, hi := range t.hierarchies() {
		if err := hi.prune(); err != nil {
			return fmt.Errorf("cgroup: the parent directory could not be removed (%s)", cause(err))
		}
	}
	return nil
}
