package cgroup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// The directory that holds all groups, and the one that the worker moves to.
const (
	parentName = "sandboxguard"
	workerName = "sandboxguard-worker"
)

// hierarchy is a tree of groups in which this process may make some.
type hierarchy struct {
	host   host
	v2     bool
	base   string   // the group that the parent directory is made in
	enable []string // the controllers of version 2 that must be handed down to groups
}

// refusal says why something cannot be used, and what to do about it.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	noMount    refusal = "no mount shows the worker's own group: mount its hierarchy where the worker sees it"
	readOnly   refusal = "it is mounted read-only: mount it writable for the worker"
	forbidden  refusal = "the worker may not make groups below its own: delegate it (systemd: Delegate=yes)"
	managed    refusal = "the worker's group is the service manager's: delegate it (systemd: Delegate=yes)"
	threaded   refusal = "the worker's group is threaded, so the ones below cannot hold processes: start the worker in another group"
	occupied   refusal = "the worker's group holds processes, so it cannot limit groups below it: start the worker in a subgroup of a delegated group (systemd: DelegateSubgroup=worker), or alone in its group with MoveSelf"
	withCPUSet refusal = "its hierarchy has the controller cpuset, too, which groups do not inherit: mount them apart"
	unusable   refusal = "a group could be made, but not be used: see that the kernel has this controller"
)

// refused finds the reason in an error of the host.
func refused(err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return readOnly
	case errors.Is(err, fs.ErrPermission):
		return forbidden
	}
	return refusal("groups cannot be made below the worker's own (" + cause(err) + "): see that no limit on groups is reached")
}

// own is the directory of the worker's group that says of itself that the worker is in it: others are shadowed.
func own(h host, p place, pid int) (string, error) {
	for _, dir := range p.dirs {
		if text, err := h.Read(filepath.Join(dir, "cgroup.procs")); err == nil && slices.Contains(pids(text), pid) {
			return dir, nil
		}
	}
	return "", noMount
}

// openV1 needs nothing but the worker's own group.
func openV1(h host, p place, pid int) (*hierarchy, error) {
	dir, err := own(h, p, pid)
	if err != nil {
		return nil, err
	}
	if slices.Contains(p.controllers, "cpuset") {
		return nil, withCPUSet
	}
	return &hierarchy{host: h, base: dir}, nil
}

// openV2 finds the group to make others in, and which controllers those can have: if not all that there are, then
// because of held, which is nil otherwise.
func openV2(h host, p place, pid int, o Options) (hi *hierarchy, held, err error) {
	dir, err := own(h, p, pid)
	if err != nil {
		return nil, nil, err
	}
	above := filepath.Dir(dir)
	switch {
	case filepath.Base(dir) == workerName || !h.Delegated(dir) && h.Delegated(above):
		dir = above
	case isUnit(dir) && !h.Delegated(dir):
		return nil, nil, managed
	}
	hi = &hierarchy{host: h, v2: true, base: dir}
	text, err := h.Read(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return nil, nil, unusable
	}
	for _, m := range mechanismsV2 {
		if slices.Contains(strings.Fields(text), m.controller) {
			hi.enable = append(hi.enable, m.controller)
		}
	}
	if len(hi.enable) > 0 && !hi.vacant() {
		if !o.MoveSelf || !hi.alone(pid) || !hi.move(pid) {
			hi.enable, held = nil, occupied
		}
	}
	return hi, held, nil
}

// isUnit knows groups that systemd made by their names.
func isUnit(dir string) bool {
	return slices.Contains([]string{".service", ".scope", ".slice"}, filepath.Ext(dir))
}

// vacant reports whether the base can hand down controllers: it has no processes, or is the root, which may have some.
// Only the root has no type.
func (hi *hierarchy) vacant() bool {
	if _, err := hi.host.Read(filepath.Join(hi.base, "cgroup.type")); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	text, err := hi.host.Read(filepath.Join(hi.base, "cgroup.procs"))
	return err == nil && strings.TrimSpace(text) == ""
}

func (hi *hierarchy) alone(pid int) bool {
	text, err := hi.host.Read(filepath.Join(hi.base, "cgroup.procs"))
	return err == nil && strings.TrimSpace(text) == strconv.Itoa(pid)
}

// move puts the worker, with all its threads, into a group of its own. It reports whether the base is vacant then.
func (hi *hierarchy) move(pid int) bool {
	dir := filepath.Join(hi.base, workerName)
	if err := hi.host.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	return hi.host.Write(filepath.Join(dir, "cgroup.procs"), strconv.Itoa(pid)) == nil && hi.vacant()
}

func (hi *hierarchy) parent() string          { return filepath.Join(hi.base, parentName) }
func (hi *hierarchy) dir(name string) string  { return filepath.Join(hi.parent(), name) }
func (hi *hierarchy) remove(dir string) error { return ignoreGone(hi.host.Rmdir(dir)) }

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}

// make makes a group, and the parent directory if it is not there: another worker may remove it at any time.
func (hi *hierarchy) make(name string) error {
	const attempts = 10
	var err error
	for range attempts {
		hi.handDown()
		if err = hi.host.Mkdir(hi.dir(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = hi.host.Mkdir(hi.parent()); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// handDown makes controllers available in the groups. One that fails is missed when its files are.
func (hi *hierarchy) handDown() {
	for _, dir := range []string{hi.base, hi.parent()} {
		path := filepath.Join(dir, "cgroup.subtree_control")
		for _, controller := range hi.enable {
			if text, err := hi.host.Read(path); err == nil && !slices.Contains(strings.Fields(text), controller) {
				_ = hi.host.Write(path, "+"+controller)
			}
		}
	}
}

// prune removes the parent directory if there is no group in it. One that may not be removed is that of a worker with
// another account.
func (hi *hierarchy) prune() error {
	err := hi.remove(hi.parent())
	if errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// usable reports whether a new group can hold processes, and whether the worker may put them in: for that it must be
// allowed to write the group's list and that of the group above both.
func (hi *hierarchy) usable(name string) error {
	if !hi.v2 {
		return nil
	}
	if text, err := hi.host.Read(filepath.Join(hi.dir(name), "cgroup.type")); err != nil || strings.TrimSpace(text) != "domain" {
		return threaded
	}
	if !hi.host.Writable(filepath.Join(hi.base, "cgroup.procs")) {
		return forbidden
	}
	return nil
}
