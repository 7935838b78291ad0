package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// owner is the worker that made a group. Process ids mean nothing in another namespace, so that is part of it; the start
// time tells apart those that had the same id.
type owner struct {
	namespace uint64
	pid       int
	start     uint64
}

// errProc is not the fault of control groups, but nothing can be told of owners then.
var errProc = errors.New("cgroup: /proc could not be read: mount it for the worker")

// self is the owner that this process is.
func self() (owner, error) {
	link, err := os.Readlink("/proc/self/ns/pid")
	namespace, ok := namespaceIn(link)
	start, err2 := started(os.Getpid())
	if !ok || errors.Join(err, err2) != nil {
		return owner{}, errProc
	}
	return owner{namespace, os.Getpid(), start}, nil
}

// namespaceIn reads the link that names a namespace of process ids.
func namespaceIn(link string) (uint64, bool) {
	text, found := strings.CutPrefix(link, "pid:[")
	text, closed := strings.CutSuffix(text, "]")
	namespace, err := strconv.ParseUint(text, 10, 64)
	return namespace, found && closed && err == nil
}

// started returns when a process started, in ticks since the host did. It fails with fs.ErrNotExist for one that is over.
func started(pid int) (uint64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH):
		return 0, fs.ErrNotExist
	case err != nil:
		return 0, errProc
	}
	return startIn(string(data))
}

// startIn reads a stat of /proc. The name of the program, in parentheses, may hold anything.
func startIn(stat string) (uint64, error) {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) < 20 {
		return 0, errProc
	}
	if f[0] == "Z" || f[0] == "X" {
		return 0, fs.ErrNotExist
	}
	start, err := strconv.ParseUint(f[19], 10, 64)
	if err != nil {
		return 0, errProc
	}
	return start, nil
}

// name is that of the owner's group with a number.
func (o owner) name(number uint64) string {
	return strings.Join([]string{
		strconv.FormatUint(o.namespace, 10), strconv.Itoa(o.pid),
		strconv.FormatUint(o.start, 10), strconv.FormatUint(number, 10),
	}, "-")
}

// ownerOf reads a name. It is false for what was not named here.
func ownerOf(name string) (owner, bool) {
	f := strings.Split(name, "-")
	if len(f) != 4 {
		return owner{}, false
	}
	namespace, err := strconv.ParseUint(f[0], 10, 64)
	pid, err2 := strconv.Atoi(f[1])
	start, err3 := strconv.ParseUint(f[2], 10, 64)
	number, err4 := strconv.ParseUint(f[3], 10, 64)
	o := owner{namespace, pid, start}
	return o, errors.Join(err, err2, err3, err4) == nil && pid > 0 && o.name(number) == name
}

// gone reports whether an owner is known to be over. Those of other namespaces than this process's cannot be looked at.
func (o owner) gone(here uint64) bool {
	if o.namespace != here {
		return false
	}
	start, err := started(o.pid)
	return errors.Is(err, fs.ErrNotExist) || err == nil && start != o.start
}
