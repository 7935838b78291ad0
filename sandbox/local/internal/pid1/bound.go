//go:build linux

package pid1

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"slices"
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

// The steps of that part. What it says is the number of the one that failed, and that of the error; it says nothing if it
// becomes the command, with which the socket is closed.
var boundSteps = []string{AddressSpace, startStep}

const (
	boundJob  = 3
	boundCode = 126 // that of shells for a command that cannot be started
)

// startBound returns once the other process is the command.
func (s *state) startBound(program string, attr *syscall.ProcAttr) (int, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	own := os.NewFile(uintptr(ends[0]), "bound")
	defer func() { _ = own.Close() }()
	attr.Env, attr.Files = nil, append(attr.Files, uintptr(ends[1]))
	pid, err := syscall.ForkExec(ownProgram, []string{boundName}, attr) //nolint:gosec // this program
	if err := errors.Join(err, unix.Close(ends[1])); err != nil {
		return 0, err
	}
	b := bound{Program: program, Args: s.job.Args, Env: s.job.Env, AddressSpace: s.job.Limits.AddressSpace, FailAt: s.job.FailAt}
	if err := gob.NewEncoder(own).Encode(b); err != nil {
		return 0, err
	}
	said, err := io.ReadAll(own)
	if err != nil {
		return 0, err
	}
	if len(said) == 2 && int(said[0]) < len(boundSteps) {
		return 0, failure{boundSteps[said[0]], syscall.Errno(said[1])}
	}
	return pid, nil
}

// runBound becomes the command. It returns only if that fails.
func runBound() int {
	socket := os.NewFile(boundJob, "job")
	f := becomeBound(socket)
	_, _ = socket.Write([]byte{byte(slices.Index(boundSteps, f.step)), byte(f.errno())}) //nolint:gosec // both are small
	return boundCode
}

func becomeBound(socket *os.File) failure {
	var b bound
	err := errors.Join(
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), gob.NewDecoder(socket).Decode(&b),
		unix.CloseRange(boundJob, ^uint(0), unix.CLOSE_RANGE_CLOEXEC),
	)
	if err == nil {
		err = lower(unix.RLIMIT_AS, b.AddressSpace)
	}
	switch {
	case err != nil:
		return failure{AddressSpace, err}
	case b.FailAt != "":
		return failure{b.FailAt, unix.ECANCELED}
	}
	return failure{startStep, syscall.Exec(b.Program, b.Args, b.Env)} //nolint:gosec // what a sandbox is for
}
