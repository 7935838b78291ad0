//go:build linux

package pid1

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
)

// A keeper is to a command without namespaces what a first process is to one with them: it starts the command, and ends with
// all that came of it. The kernel does not do that for it. So all that it starts is in a Landlock domain, in which the keeper
// signals everything at once, and its orphans become the keeper's children, which it waits for until there are none.

// keeperSteps are those of the keeper. What it starts does the rest: see [confinedSteps].
var keeperSteps = []step{
	{name: "group", do: joinGroup},
	{name: "keeper", do: becomeKeeper},
	{name: "scope", do: enterScope},
	{name: "terminal", do: openConsole},
}

// KeeperSteps are the names of the steps of a keeper and of the command that it starts, in their order.
func KeeperSteps() []string { return append(names(keeperSteps), names(confinedSteps)...) }

// becomeKeeper makes this process the parent of the command's orphans. It must be able to end them.
func becomeKeeper(s *state) error {
	if s.job.UID != 0 {
		var has [2]unix.CapUserData
		if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &has[0]); err != nil {
			return err
		}
		if has[0].Effective&(1<<unix.CAP_KILL) == 0 {
			return unix.EPERM
		}
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// enterScope puts this thread into the domain, from which no signal gets out. The domain of the command is one within that,
// so the command cannot signal this thread.
func enterScope(s *state) error {
	if err := forbidPrivileges(s); err != nil {
		return err
	}
	var err error
	s.domain, err = landlock.NewDomain(os.Getppid())
	return err
}

// runKeeper returns when nothing of the command is left.
func runKeeper() int {
	if unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) != nil { // it has the command's secrets
		return 1
	}
	calm() // as to what a service manager tells all processes of a worker
	unix.CloseOnExec(Control)
	unix.CloseOnExec(Program)
	c, err := NewChannel(os.NewFile(Control, "control"))
	if err != nil || c.Send(Report{Hello: true}) != nil {
		return 1
	}
	s := &state{}
	if c.Receive(&s.job) != nil || s.takeTasks(c) != nil {
		return 1
	}
	makeThreads()
	s.keep(c)
	return 0
}

// keep starts the command, and returns when nothing of it is left, which is told then. What cannot be told is for nobody:
// the worker is gone, which ends the command, too.
func (s *state) keep(c *Channel) {
	if err := s.take(keeperSteps); err != nil {
		s.report(c, err)
		send(c, Report{Emptied: true}) // nothing was started
		return
	}
	if len(s.job.Args) > 0 && c.Send(Report{Entered: true}) != nil {
		return
	}
	pid, err := s.startConfined()
	orders, over, empty := make(chan Order), make(chan unix.WaitStatus, 1), make(chan struct{})
	go listen(c, orders)
	go func() {
		defer close(empty)
		waitAll(pid, over)
	}()
	if err != nil {
		s.report(c, err)
	} else if s.sayStarted(c) == nil {
		s.serve(c, orders, over)
	}
	if s.domain.Signal(unix.SIGKILL) != nil {
		return
	}
	<-empty
	send(c, Report{Emptied: true})
}

// sayStarted says that the command runs, and hands its terminal over.
func (s *state) sayStarted(c *Channel) error {
	if s.console == nil {
		return c.Send(Report{Started: true})
	}
	var files []*os.File
	if len(s.job.Args) > 0 {
		files = append(files, s.console.master)
	}
	return errors.Join(c.Send(Report{Started: true}, files...), s.console.master.Close(), s.console.slave.Close())
}

// serve does what the worker orders until the command is over, which it says, or the worker gone.
func (s *state) serve(c *Channel, orders <-chan Order, over <-chan unix.WaitStatus) {
	for {
		select {
		case o, ok := <-orders:
			if !ok {
				return
			}
			_ = s.domain.Signal(syscall.Signal(o.Signal)) // only that of the end counts
		case status := <-over:
			send(c, Report{Exited: true, Code: codeOf(status)})
			return
		}
	}
}

// listen hands on what the worker orders, until there is no more to come.
func listen(c *Channel, orders chan<- Order) {
	defer close(orders)
	for {
		var o Order
		if c.Receive(&o) != nil {
			return
		}
		orders <- o
	}
}

// waitAll waits for the command and for all that it left to this process. It returns when there is nothing to wait for.
func waitAll(command int, over chan<- unix.WaitStatus) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return
		case pid == command:
			over <- status
		}
	}
}
