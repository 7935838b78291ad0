//go:build linux

package pid1

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// What this program was started as it becomes here, before its main function and most other packages: they would take longer
// to get ready, as those of a Temporal worker do, than all the steps of the way into the sandbox.
func init() {
	if len(os.Args) != 1 {
		return
	}
	// Not os.Exit, with which the race detector holds each of them up for a second.
	switch os.Args[0] {
	case Name, ownProgram:
		syscall.Exit(run())
	case StarterName:
		syscall.Exit(runStarter())
	case StageName:
		syscall.Exit(runStage())
	case boundName:
		syscall.Exit(runBound())
	case KeeperName:
		syscall.Exit(runKeeper())
	case confinedName:
		syscall.Exit(runConfined())
	}
}

// fatal are the signals that would end a Go program, or make it print its stacks. Each costs a wait for another thread, so
// that to ask for all there are would take longer than the way into the sandbox.
var fatal = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV,
	unix.SIGTERM, unix.SIGSTKFLT, unix.SIGSYS,
}

// calm lets signals of other processes do nothing to this one. Those of what it starts are as they were.
func calm() { signal.Notify(make(chan os.Signal, 1), fatal...) }

// run returns when the command is over. Its code is for nobody: what there is to say goes over the channel.
func run() int {
	// Nobody in the sandbox may look into this process, which has the command's secrets and the worker's program.
	if unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) != nil {
		return 1
	}
	calm() // as to the sandbox's processes
	unix.CloseOnExec(Control)
	c, err := NewChannel(os.NewFile(Control, "control"))
	if err != nil {
		return 1
	}
	if c.Send(Report{Hello: true}) != nil {
		return 1
	}
	s := &state{}
	if c.Receive(&s.job) != nil || s.takeTasks(c) != nil {
		return 1
	}
	if err := s.enter(); err != nil {
		return s.report(c, err)
	}
	if len(s.job.Args) == 0 {
		return send(c, Report{Started: true, Exited: true})
	}
	if c.Send(Report{Entered: true}) != nil {
		return 1
	}
	pid, err := s.start()
	if err != nil {
		return s.report(c, err)
	}
	if s.console != nil {
		err = c.Send(Report{Started: true}, s.console.master)
		err = errors.Join(err, s.console.master.Close(), s.console.slave.Close())
	} else {
		err = c.Send(Report{Started: true})
	}
	if err != nil {
		return 1
	}
	go obey(c)
	status, err := reap(pid)
	if err != nil {
		return 1 // the worker then knows no more than that the command is over
	}
	return send(c, Report{Exited: true, Code: codeOf(status), Full: full()})
}

func send(c *Channel, r Report) int {
	if c.Send(r) != nil {
		return 1
	}
	return 0
}

func (s *state) report(c *Channel, err error) int {
	r := Report{Step: startStep}
	var f failure
	var e syscall.Errno
	switch {
	case errors.As(err, &f):
		r.Step, r.Errno = f.step, f.errno()
	case errors.Is(err, errMissing):
		r.Missing = true
	case errors.As(err, &e):
		r.Errno = int(e)
	}
	return send(c, r)
}

// obey does what the worker orders. When the worker is gone, so is the sandbox.
func obey(c *Channel) {
	for {
		var o Order
		if c.Receive(&o) != nil {
			os.Exit(1)
		}
		_ = unix.Kill(-1, syscall.Signal(o.Signal))
	}
}

// reap waits for the command, and meanwhile for all that it left to this process.
func reap(command int) (unix.WaitStatus, error) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == command && err == nil {
			return status, nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
	}
}

func codeOf(status unix.WaitStatus) int {
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

// full reports whether there is no room left outside the workspace.
func full() bool {
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		var fs unix.Statfs_t
		if unix.Statfs(dir, &fs) == nil && (fs.Blocks > 0 && fs.Bfree == 0 || fs.Files > 0 && fs.Ffree == 0) {
			return true
		}
	}
	return false
}
