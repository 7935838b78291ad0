package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group holds the processes of one command. Its methods can be called from several goroutines; once [Group.Remove]
// returned nil there is nothing in it, and the others have nothing to do.
type Group struct {
	tree     *Tree
	name     string
	limits   Limits
	controls []control    // of the limits that were asked for
	in       []*hierarchy // it has a directory in each of them

	mu sync.Mutex
	fd int // of the directory in version 2, -1 if there is none
}

// join adds a hierarchy to those that the group is in.
func (g *Group) join(hi *hierarchy) {
	if !slices.Contains(g.in, hi) {
		g.in = append(g.in, hi)
	}
}

// make makes the directories and sets the limits.
func (g *Group) make() error {
	for _, hi := range g.in {
		if err := hi.make(g.name); err != nil {
			return fmt.Errorf("cgroup: a group could not be made: %w", refused(err))
		}
	}
	for _, c := range g.controls {
		if err := c.set(g.tree.host, c.at.dir(g.name), g.limits); err != nil {
			return fmt.Errorf("cgroup: the limit of %s could not be set: %w", c.limit, err)
		}
	}
	if len(g.in) != 1 || !g.in[0].v2 {
		return nil
	}
	fd, err := unix.Open(g.in[0].dir(g.name), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cgroup: a group could not be opened (%s): try again with more descriptors", cause(err))
	}
	g.fd = fd
	return nil
}

// FD is the group's directory, for starting a process in it (SysProcAttr.CgroupFD). It stays the group's and is open
// until [Group.Remove]. It is false where that would not put the process into all hierarchies: use [Group.Add] there.
func (g *Group) FD() (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fd, g.fd >= 0
}

// Tasks are files through which a thread puts itself in, with what it starts from then on, by writing 0 to each. The caller
// closes them. There are none where a thread cannot be apart from its process, which is so in version 2: use [Group.FD] or
// [Group.Add] there. Unlike those in version 1, which take some milliseconds, this waits for no other processor.
func (g *Group) Tasks() ([]*os.File, error) {
	if _, real := g.tree.host.(kernel); !real || slices.ContainsFunc(g.in, func(hi *hierarchy) bool { return hi.v2 }) {
		return nil, nil
	}
	var files []*os.File
	for _, hi := range g.in {
		f, err := os.OpenFile(filepath.Join(hi.dir(g.name), "tasks"), os.O_WRONLY, 0)
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			return nil, fmt.Errorf("cgroup: a group could not be opened (%s): try again with more descriptors", cause(err))
		}
		files = append(files, f)
	}
	return files, nil
}

// Add puts a process in, with all its threads but not the processes that it started. On an error it may be in some of the
// hierarchies only, and must not go on.
func (g *Group) Add(pid int) error {
	if pid <= 0 {
		return errors.New("cgroup: a process id must be positive")
	}
	for _, hi := range g.in {
		if err := g.tree.host.Write(filepath.Join(hi.dir(g.name), "cgroup.procs"), strconv.Itoa(pid)); err != nil {
			return fmt.Errorf("cgroup: the process could not be put into its group (%s): end it, and see that it did not end before", cause(err))
		}
	}
	return nil
}

// Hits reports which of the limits that were asked for were hit so far. Processor time is not among them: it only makes
// things slow. Read it before the group is removed.
func (g *Group) Hits() ([]Hit, error) {
	var hits []Hit
	for _, c := range g.controls {
		if c.hits == nil {
			continue
		}
		count, by, err := c.hits(g.tree.host, c.at.dir(g.name))
		if err != nil {
			return hits, fmt.Errorf("cgroup: it cannot be told whether the limit of %s was hit (%s): ask before the group is removed", c.limit, cause(err))
		}
		if count > 0 {
			hits = append(hits, Hit{Limit: c.limit, Mechanism: by, Value: g.limits.value(c.limit), Count: count})
		}
	}
	return hits, nil
}

// Empty reports whether there is no process in the group.
func (g *Group) Empty() (bool, error) {
	for _, hi := range g.in {
		if empty, err := hi.empty(hi.dir(g.name)); err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

var errLook = errors.New("cgroup: it cannot be told whether the group is empty: let the worker read its own group")

// empty is true for a group that is not there, too.
func (hi *hierarchy) empty(dir string) (bool, error) {
	file := "cgroup.procs"
	if hi.v2 {
		file = "cgroup.events"
	}
	text, err := hi.host.Read(filepath.Join(dir, file))
	switch {
	case ignoreGone(err) != nil:
		return false, errLook
	case err != nil:
		return true, nil
	case !hi.v2:
		return strings.TrimSpace(text) == "", nil
	}
	populated, ok := keyed(text, "populated")
	if !ok {
		return false, errLook
	}
	return populated == 0, nil
}

// Remove removes the group once its processes are over, for which it waits some seconds. Call [Group.Kill] before. It can
// be called again.
func (g *Group) Remove() error {
	g.mu.Lock()
	if g.fd >= 0 {
		_ = unix.Close(g.fd)
		g.fd = -1
	}
	g.mu.Unlock()
	for _, hi := range g.in {
		if err := hi.removeEmptied(hi.dir(g.name)); err != nil {
			return err
		}
	}
	return nil
}

var errBusy = errors.New("cgroup: a process is still in the group: kill it and remove it again")

// removeEmptied waits until the last process is over.
func (hi *hierarchy) removeEmptied(dir string) error {
	w := newWait(hi, dir)
	defer w.stop()
	for {
		err := hi.remove(dir)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EBUSY):
			return fmt.Errorf("cgroup: a group could not be removed (%s)", cause(err))
		case !w.next():
			return errBusy
		}
	}
}
