//go:build linux

package pid1

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

var errMissing = errors.New("pid1: no such program")

// enterDirectory enters the directory that the command starts in, as the account that it runs as.
func enterDirectory(s *state) error {
	if s.job.Dir == "" {
		return nil
	}
	return unix.Chdir(s.job.Dir)
}

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
	return syscall.ForkExec(program, s.job.Args, attr)
}

// look returns the path of a program. A name without a slash has it in one of the absolute directories of the
// command's own PATH.
func look(program string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		return program, executable(program)
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, in := range filepath.SplitList(list) {
			p := filepath.Join(in, program)
			if filepath.IsAbs(p) && executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", errMissing
}

func executable(p string) error {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return errMissing
	}
	return nil
}

// A limit of the address space would end this process, which reserves more than it uses: so the worker's program is
// started once more, which sets it for itself and becomes the command.

// boundName is the name of the program in that part.
const boundName = Name + "-bound"

// bound is what it is told, over a pipe that is its descriptor 3.
type bound struct {
	Program      string
	Args, Env    []string
	AddressSpace uint64
}

func (s *state) startBound(program string, attr *syscall.ProcAttr) (int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	b := bound{Program: program, Args: s.job.Args, Env: s.job.Env, AddressSpace: s.job.Limits.AddressSpace}
	attr.Env, attr.Files = nil, append(attr.Files, r.Fd())
	pid, err := syscall.ForkExec("/proc/self/fd/4", []string{boundName}, attr)
	if err != nil {
		return 0, errors.Join(err, w.Close())
	}
	return pid, errors.Join(json.NewEncoder(w).Encode(b), w.Close())
}

// startBound becomes the command. It returns, with the code that shells have for it, only if that fails.
func startBound() int {
	const cannot = 126
	if unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) != nil {
		return cannot
	}
	f := os.NewFile(3, "job")
	data, err := io.ReadAll(f)
	var b bound
	if err != nil || json.Unmarshal(data, &b) != nil || unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) != nil {
		return cannot
	}
	limit := unix.Rlimit{Cur: b.AddressSpace, Max: b.AddressSpace}
	if unix.Setrlimit(unix.RLIMIT_AS, &limit) != nil {
		return cannot
	}
	_ = syscall.Exec(b.Program, b.Args, b.Env)
	return cannot
}
