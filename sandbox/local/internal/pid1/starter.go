//go:build linux

package pid1

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start is what a starter is asked to start: the worker's program once more, in the namespaces of its attributes. With it
// come the files of the process, after the end of a socket pair for what there is to say about it. The process ends with
// the starter, and with the other end of that.
type Start struct {
	// Name is what the program is to become.
	Name       string
	Attributes syscall.SysProcAttr
	// Keeps is whether the process ends by itself when the worker is gone, once it has ended what it started: so it is not
	// ended here, only waited for.
	Keeps bool
}

// A Birth is what the starter says of a process: that it runs, or why it does not.
type Birth struct {
	// PID stays the process's own until it is ended from the other side, also if it is over before.
	PID   int
	Errno int
}

// An End says that a process was ended and waited for.
type End struct{ Over bool }

// runStarter starts processes until the worker is gone. It stays on the main thread, with which its processes end.
func runStarter() int {
	// What a service manager tells all processes of a worker is for that to act on: this one ends with it.
	calm()
	unix.CloseOnExec(Control)
	unix.CloseOnExec(Program)
	// Nor does what the worker left open go any further. Where that is denied the first process says so.
	_ = unix.CloseRange(Program, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	c, err := NewChannel(os.NewFile(Control, "control"))
	if err != nil {
		return 1
	}
	for {
		var s Start
		if c.Receive(&s) != nil {
			return 0
		}
		if err := s.start(c); err != nil {
			return 1
		}
	}
}

// start starts a process, and says so. The error is that of a worker which is no longer to be understood.
func (s Start) start(c *Channel) error {
	socket := c.File()
	if socket == nil {
		return errMessage
	}
	var files []uintptr
	for f := c.File(); f != nil; f = c.File() {
		defer func() { _ = f.Close() }()
		files = append(files, f.Fd())
	}
	said, err := NewChannel(socket)
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec(ownProgram, []string{s.Name}, &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: files, Sys: &s.Attributes}) //nolint:gosec // this program
	if err != nil {
		e := unix.EIO // the kernel's errors are all that there are
		errors.As(err, &e)
		_, _ = said.Send(Birth{Errno: int(e)}), said.Close() // who asked may be gone, but not the others
		return nil
	}
	go s.follow(pid, said)
	return nil
}

// follow ends a process, with the group that it leads, when the worker says so or is gone. Until then it is not waited for,
// so that its id is no other's.
func (s Start) follow(pid int, said *Channel) {
	defer func() { _ = said.Close() }()
	if said.Send(Birth{PID: pid}) == nil {
		_ = said.Receive(&struct{}{}) // there is nothing but its end
	}
	if !s.Keeps {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	for {
		// The kernel lets the first process of a namespace be waited for when no other is left in it.
		if _, err := unix.Wait4(pid, nil, 0, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = said.Send(End{Over: true})
}
