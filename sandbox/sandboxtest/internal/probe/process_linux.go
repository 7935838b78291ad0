package probe

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience bounds the life of processes that nobody ends, so that a sandbox that lets them live is not full of them.
const patience = 2 * time.Minute

// hold says where it is, and waits until its input ends. Its arguments are there to be seen.
func hold(_ []string, in io.Reader, out io.Writer) int {
	where, err := os.Readlink("/proc/self/cwd")
	if err != nil {
		where = "."
	}
	if _, err := fmt.Fprintln(out, where); err != nil {
		return 1
	}
	time.AfterFunc(patience, func() { os.Exit(1) })
	_, _ = io.Copy(io.Discard, in)
	return 0
}

// Held is the file of the workspace that the processes of a tree keep locked.
const Held = "sandboxguard-probe-held"

// leaf is the script of a process that goes on in a session of its own, an orphan, deaf to SIGTERM. It says that it is
// there. It is a shell, which has one thread, so that a limit of processes leaves room for a tree of them.
const leaf = "(trap '' TERM HUP INT; printf x >&4; exec 4>&-; sleep 120; :) &"

// tree starts as many leaves as the first argument says, with the others among their arguments. All have the output,
// and a lock, which lasts as long as one of them. It says when they are there, then waits for ever.
func tree(args []string, _ io.Reader, out io.Writer) int {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	held, err := os.OpenFile(Held, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 2
	}
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return 2
	}
	up, ready, err := os.Pipe()
	if err != nil {
		return 2
	}
	for range n {
		cmd := exec.Command("/bin/sh", append([]string{"-c", leaf}, args[1:]...)...) //nolint:gosec // the arguments are there to be seen
		cmd.ExtraFiles, cmd.Stdout = []*os.File{held, ready}, os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if cmd.Run() != nil {
			return 2
		}
	}
	if _, err := io.ReadFull(up, make([]byte, n)); err != nil {
		return 2
	}
	if _, err := fmt.Fprintln(out, "up"); err != nil {
		return 1
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	<-time.After(patience)
	return 0
}

// survivors looks whether a process of a tree is there.
func survivors(_ Task, f *found) {
	held, err := os.OpenFile(Held, os.O_RDWR, 0)
	if err != nil {
		return // there was no tree
	}
	defer held.Close() //nolint:errcheck // nothing was written
	f.try()
	if unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		f.breach("processes of a command that was ended live on")
	}
}
