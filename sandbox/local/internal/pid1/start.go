//go:build linux

package pid1

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
)

var errMissing = errors.New("pid1: no such program")

// The names of what can fail once all steps are done. The worker is told of both that the command was never run.
const (
	startStep = "start"
	// missingStep is not told as one: there is no such program.
	missingStep = "missing"
	// AddressSpace is the limit that the command sets for itself.
	AddressSpace = "address-space"
)

// start starts the command, as the leader of a session.
func (s *state) start() (int, error) {
	// The directory that the command starts in is this process's own.
	path, err := program.Look(s.job.Args[0], ".", s.job.Env)
	if err != nil {
		return 0, errMissing
	}
	attr := &syscall.ProcAttr{
		Env: s.job.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	}
	if s.console != nil {
		tty := s.console.slave.Fd()
		attr.Files = []uintptr{tty, tty, tty}
		attr.Sys.Setctty = true
	}
	if s.job.Limits.AddressSpace > 0 {
		return s.startBound(path, attr)
	}
	if s.job.FailAt == startStep {
		return 0, failure{startStep, unix.ECANCELED}
	}
	return syscall.ForkExec(path, s.job.Args, attr) //nolint:gosec // what a sandbox is for
}
