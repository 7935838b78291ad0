//go:build linux

package pid1

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
)

// errMade is that of a step that tests have fail.
var errMade = errors.New("made to fail")

// state is what the steps leave to each other.
type state struct {
	job     Job
	sources []int // of the mounts, as detached trees; -1 for one that is left out
	console *console
	tasks   []*os.File
	domain  *landlock.Domain // of what a keeper starts
}

// A step is a part of the way into the sandbox.
type step struct {
	name string
	do   func(*state) error
	// made is whether it is also done where a launcher has made the sandbox.
	made bool
}

// steps are in the order in which they are done. What needs rights of the host's side comes first.
var steps = []step{
	{name: "group", do: joinGroup},
	{name: "sources", do: openSources},
	{name: "account", do: setAccount},
	{name: "cgroup-namespace", do: newCgroupNamespace},
	{name: "root", do: makeRoot},
	{name: "mounts", do: putSources},
	{name: "etc", do: makeEtc},
	{name: "dev", do: makeDev},
	{name: "proc", do: makeProc},
	{name: "pivot", do: pivot},
	{name: "loopback", do: raiseLoopback},
	{name: "hostname", do: setHostname},
	{name: "takeover", do: takeOver, made: true},
	{name: "terminal", do: openConsole, made: true},
	{name: "directory", do: enterDirectory, made: true},
	{name: "limits", do: setLimits, made: true},
	{name: "capabilities", do: dropCapabilities, made: true},
	{name: "no-new-privileges", do: forbidPrivileges, made: true},
	{name: "seccomp", do: filterCalls, made: true},
	{name: "descriptors", do: closeDescriptors, made: true},
}

// Steps are the names of the steps, in their order.
func Steps() []string { return names(steps) }

func names(steps []step) []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}

// MadeSteps are those that are also done where a launcher has made the sandbox.
func MadeSteps() []string {
	var names []string
	for _, s := range steps {
		if s.made {
			names = append(names, s.name)
		}
	}
	return names
}

// failure is a step that failed.
type failure struct {
	step string
	err  error
}

func (f failure) Error() string { return f.step + ": " + f.err.Error() }

// errno is what the kernel said, 0 if it was not asked.
func (f failure) errno() int {
	var e syscall.Errno
	if errors.As(f.err, &e) {
		return int(e)
	}
	return 0
}

// enter does the steps into a sandbox of its own.
func (s *state) enter() error {
	return s.take(slices.DeleteFunc(slices.Clone(steps), func(st step) bool { return s.job.Made && !st.made }))
}

// take does steps, on one thread: most of what they give up they give up for the thread that starts the command.
func (s *state) take(steps []step) error {
	runtime.LockOSThread()
	for _, st := range steps {
		err := st.do(s)
		if s.job.FailAt == st.name {
			err = errMade
		}
		if err != nil {
			return failure{st.name, err}
		}
	}
	return nil
}
