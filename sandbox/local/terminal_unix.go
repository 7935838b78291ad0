//go:build linux || darwin

package local

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"github.com/creack/pty"
)

// onTerminal has a command run on a new terminal. The slave is to be closed when the command has it.
func onTerminal(cmd *exec.Cmd) (master, slave *os.File, err error) {
	if master, slave, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	// A terminal of no size confuses programs more than one of the wrong size.
	_ = pty.Setsize(master, &pty.Winsize{Cols: columns, Rows: lines})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr.Setctty = true // the input, which is the slave
	return master, slave, nil
}

// ignored guards the time in which signals are not.
var ignored sync.Mutex

// undisturbed starts a process that ignores none of the signals of terminals, although the worker does: what is
// ignored stays so in all children, which could not be interrupted then. Meanwhile they arrive and nobody is told.
func undisturbed(start func() error) error {
	ignored.Lock()
	defer ignored.Unlock()
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGPIPE} {
		if signal.Ignored(s) {
			nobody := make(chan os.Signal, 1)
			signal.Notify(nobody, s)
			defer signal.Ignore(s)
		}
	}
	return start()
}
