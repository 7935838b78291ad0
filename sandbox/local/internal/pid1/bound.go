//go:build linux

package pid1

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A limit of the address space would end this process, which reserves more than it uses: so the worker's program is
// started once more, which sets it for itself and becomes the command.

// boundName is the name of the program in that part.
const boundName = Name + "-bound"

// bound is what it is told, over a socket that is its descriptor 3.
type bound struct {
	Program      string
	Args, Env    []string
	AddressSpace uint64
	FailAt       string
}

const (
	boundJob  = 3
	boundCode = 126 // that of shells for a command that cannot be started
)

// startBound returns once the other process is the command.
func (s *state) startBound(program string, attr *syscall.ProcAttr) (int, error) {
	b := bound{Program: program, Args: s.job.Args, Env: s.job.Env, AddressSpace: s.job.Limits.AddressSpace, FailAt: s.job.FailAt}
	return startAs(boundName, b, attr)
}

// startAs starts the worker's program once more under a name, tells it something, and returns once it is the command. If it
// does not become that the error is a failure, or errMissing.
func startAs(name string, told any, attr *syscall.ProcAttr) (int, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	own := os.NewFile(uintptr(ends[0]), "told")
	defer func() { _ = own.Close() }()
	attr.Env, attr.Files = nil, append(attr.Files, uintptr(ends[1]))
	pid, err := syscall.ForkExec(ownProgram, []string{name}, attr) //nolint:gosec // this program
	if err := errors.Join(err, unix.Close(ends[1])); err != nil {
		return 0, err
	}
	if err := gob.NewEncoder(own).Encode(told); err != nil {
		return 0, err
	}
	said, err := io.ReadAll(own)
	switch {
	case err != nil:
		return 0, err
	case len(said) == 0:
		return pid, nil
	case string(said[1:]) == missingStep:
		return 0, errMissing
	}
	return 0, failure{string(said[1:]), syscall.Errno(said[0])}
}

// say tells who started this process, over the socket, why it is not the command: the number of the error and the step. With
// the command the socket is closed, and nothing was said.
func (f failure) say(socket *os.File) int {
	_, _ = socket.Write(append([]byte{byte(f.errno())}, f.step...)) //nolint:gosec // they are small
	return boundCode
}

// runBound becomes the command. It returns only if that fails.
func runBound() int {
	socket := os.NewFile(boundJob, "job")
	return becomeBound(socket).say(socket)
}

func becomeBound(socket *os.File) failure {
	var b bound
	err := errors.Join(
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), gob.NewDecoder(socket).Decode(&b),
		unix.CloseRange(boundJob, ^uint(0), unix.CLOSE_RANGE_CLOEXEC),
	)
	if err != nil {
		return failure{AddressSpace, err}
	}
	return b.become()
}

// become sets the limit, if there is one, and becomes the command. It returns only if that fails.
func (b bound) become() failure {
	if b.AddressSpace > 0 {
		if err := lower(unix.RLIMIT_AS, b.AddressSpace); err != nil {
			return failure{AddressSpace, err}
		}
	}
	if b.FailAt != "" {
		return failure{b.FailAt, unix.ECANCELED}
	}
	return failure{startStep, syscall.Exec(b.Program, b.Args, b.Env)} //nolint:gosec // what a sandbox is for
}
