package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// workerPID is the worker on hosts that are made up.
const workerPID = 4242

// made is a made-up hierarchy: what the kernel would say, and what it would do.
type made struct {
	controllers string // as in /proc/self/cgroup; empty in version 2
	group       string // the worker's own
	has         string // the controllers of version 2 at the top
	members     string // of the own group, the worker's id if empty
	noKill      bool   // before Linux 5.14
	inner       bool   // the top is not the root of the hierarchy, as in a container
	threads     bool   // groups below the worker's cannot hold processes
	mountedAs   string // the file system's root of the mount, "/" if empty
	refuse      error  // to make groups
	locked      bool   // processes may not be moved
	unmounted   bool
}

// fakeHost keeps made-up hierarchies in a directory, with the rules of the kernel that matter here.
type fakeHost struct {
	kernel
	mounts, groups string
	at             map[string]made // by mount point
	delegated      []string        // ends of paths
	lie            string          // a file that never holds what was written
}

func newFake(t *testing.T, hierarchies ...made) *fakeHost {
	t.Helper()
	h := &fakeHost{at: map[string]made{}}
	for i, m := range hierarchies {
		point := filepath.Join(t.TempDir(), "m")
		h.at[point] = m
		kind, options, number := "cgroup", "rw,"+m.controllers, i+1
		if m.controllers == "" {
			kind, options, number = "cgroup2", "rw", 0
		}
		root := m.mountedAs
		if root == "" {
			root = "/"
		}
		if m.unmounted {
			kind = "other"
		}
		h.mounts += fmt.Sprintf("%d 1 0:%d %s %s rw,relatime - %s none %s\n", 30+i, 30+i, root, point, kind, options)
		h.groups += fmt.Sprintf("%d:%s:%s\n", number, m.controllers, m.group)
		h.populate(t, point, m)
	}
	return h
}

// populate makes the groups that were there before the worker looked.
func (h *fakeHost) populate(t *testing.T, point string, m made) {
	t.Helper()
	m.refuse, m.threads = nil, false
	saved := h.at[point]
	h.at[point] = m
	defer func() { h.at[point] = saved }()
	dir := point
	must(t, h.Mkdir(dir))
	for name := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(m.group, m.mountedAs), "/"), "/") {
		if name == "" {
			continue
		}
		for c := range strings.FieldsSeq(m.has) {
			must(t, h.Write(filepath.Join(dir, "cgroup.subtree_control"), "+"+c))
		}
		dir = filepath.Join(dir, name)
		must(t, h.Mkdir(dir))
	}
	if m.members == "" {
		m.members = fmt.Sprint(workerPID)
	}
	put(t, filepath.Join(dir, "cgroup.procs"), m.members+"\n")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func (h *fakeHost) mount(path string) (string, made) {
	for point, m := range h.at {
		if path == point || strings.HasPrefix(path, point+"/") {
			return point, m
		}
	}
	return "", made{}
}

func (h *fakeHost) Mkdir(path string) error {
	point, m := h.mount(path)
	if m.refuse != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: m.refuse}
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	files := map[string]string{"cgroup.procs": ""}
	controllers := strings.Split(m.controllers, ",")
	if m.controllers == "" {
		above, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cgroup.subtree_control"))
		if path == point {
			above = []byte(m.has)
		}
		controllers = strings.Fields(string(above))
		files["cgroup.controllers"] = string(above)
		files["cgroup.subtree_control"] = ""
		files["cgroup.events"] = "populated 0\nfrozen 0\n"
		if !m.noKill {
			files["cgroup.kill"] = ""
		}
		if path != point || m.inner {
			files["cgroup.type"] = "domain\n"
		}
		if m.threads {
			files["cgroup.type"] = "domain invalid\n"
		}
	}
	for _, c := range controllers {
		for _, file := range filesOf[c+map[bool]string{true: "2"}[m.controllers == ""]] {
			files[file] = "max\n"
		}
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(path, file), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var filesOf = map[string][]string{
	"memory":  {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.failcnt", "memory.oom_control"},
	"pids":    {"pids.max", "pids.events"},
	"cpu":     {"cpu.cfs_period_us", "cpu.cfs_quota_us"},
	"memory2": {"memory.max", "memory.swap.max", "memory.events"},
	"pids2":   {"pids.max", "pids.events"},
	"cpu2":    {"cpu.max"},
}

func (h *fakeHost) Write(path, text string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	dir, file := filepath.Split(path)
	switch file {
	case h.lie:
		return nil
	case "cgroup.subtree_control":
		_, err := os.Stat(filepath.Join(dir, "cgroup.type"))
		members, err2 := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err == nil && (err2 != nil || len(members) > 0) {
			return syscall.EBUSY
		}
		now, err := os.ReadFile(path)
		text = string(now) + strings.TrimPrefix(text, "+") + " "
		if err != nil {
			return err
		}
	case "cgroup.procs":
		point, _ := h.mount(path)
		if err := leave(point, text); err != nil {
			return err
		}
		text += "\n"
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// leave takes a process out of the group that it is in.
func leave(point, pid string) error {
	return filepath.WalkDir(point, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "cgroup.procs" {
			return err
		}
		data, err := os.ReadFile(path)
		rest := slices.DeleteFunc(strings.Fields(string(data)), func(p string) bool { return p == pid })
		return errors.Join(err, os.WriteFile(path, []byte(strings.Join(rest, "\n")), 0o600))
	})
}

func (h *fakeHost) Rmdir(path string) error {
	below, err := h.List(path)
	if err != nil {
		return err
	}
	members, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
	if len(below) > 0 || len(members) > 0 {
		return syscall.EBUSY
	}
	return os.RemoveAll(path)
}

func (h *fakeHost) Writable(path string) bool {
	_, m := h.mount(path)
	return !m.locked
}

func (h *fakeHost) Delegated(path string) bool {
	return slices.ContainsFunc(h.delegated, func(end string) bool { return strings.HasSuffix(path, end) })
}

// groupsBelow lists all groups, without their mount points.
func (h *fakeHost) groupsBelow(t *testing.T) []string {
	t.Helper()
	found := []string{}
	for point := range h.at {
		must(t, filepath.WalkDir(point, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && path != point {
				found = append(found, strings.TrimPrefix(path, point))
			}
			return err
		}))
	}
	slices.Sort(found)
	return found
}
