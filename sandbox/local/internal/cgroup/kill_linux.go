package cgroup

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Kill ends all processes of the group and those that they start meanwhile. It does not wait for their end, except where
// they must be looked for, as [Tree.Support] says. There no process of the group can start another any more.
func (g *Group) Kill() error {
	if hi := g.tree.killer; hi != nil {
		if err := ignoreGone(g.tree.host.Write(filepath.Join(hi.dir(g.name), "cgroup.kill"), "1")); err != nil {
			return fmt.Errorf("cgroup: a group could not be killed (%s): end its processes and remove it", cause(err))
		}
		return nil
	}
	i := g.tree.control(Processes)
	if i < 0 {
		return ErrUnavailable
	}
	hi := g.tree.controls[i].at
	dir := hi.dir(g.name)
	if err := ignoreGone(g.tree.host.Write(filepath.Join(dir, "pids.max"), "0")); err != nil {
		return fmt.Errorf("cgroup: a group could not be kept from starting processes (%s): end its processes and remove it", cause(err))
	}
	return hi.endAll(dir)
}

// endAll ends processes until none is left.
func (hi *hierarchy) endAll(dir string) error {
	w := newWait(hi, dir)
	defer w.stop()
	for {
		members := hi.members(dir)
		for _, pid := range members {
			hi.end(dir, pid)
		}
		if empty, err := hi.empty(dir); err != nil || empty {
			return err
		}
		if !w.next() {
			return errBusy
		}
	}
}

func (hi *hierarchy) members(dir string) []int {
	text, _ := hi.host.Read(filepath.Join(dir, "cgroup.procs"))
	return pids(text)
}

// end kills a member. It is looked at again once it is held, so that another process that got its id meanwhile is left
// alone.
func (hi *hierarchy) end(dir string, pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if slices.Contains(hi.members(dir), pid) {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}
