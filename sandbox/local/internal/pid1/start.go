//go:build linux

package pid1

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The names of what can fail once all steps are done. The worker is told of both that the command was never run.
const (
	startStep = "start"
	// AddressSpace is the limit that the command sets for itself.
	AddressSpace = "address-space"
)

// start starts the command, as the leader of a session.
func (s *state) start() (int, error) {
	program, err := look(s.job.Args[0], s.job.Env)
	if err != nil {
		return 0, err
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
		return s.startBound(program, attr)
	}
	if s.job.FailAt == startStep {
		return 0, failure{startStep, unix.ECANCELED}
	}
	return syscall.ForkExec(program, s.job.Args, attr) //nolint:gosec // what a sandbox is for
}
