package probe

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxRead bounds what is read of a file.
const maxRead = 1 << 20

// guessed is how far ids are guessed where /proc cannot be listed, which leaves what is in it to whoever knows its name.
const guessed = 1 << 16

// Processes are the ids of all processes that can be seen.
func Processes() []int {
	entries, err := os.ReadDir("/proc")
	var out []int
	if err != nil {
		for pid := 1; pid <= guessed; pid++ {
			if _, err := os.Lstat(Of(pid, "")); err == nil {
				out = append(out, pid)
			}
		}
		return out
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// Of is the path of something of a process in /proc.
func Of(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// Read returns the beginning of a file. It does not wait for what is no regular file.
func Read(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, maxRead))
}

// holds reports whether a file can be read and holds text.
func holds(path, text string) (readable, has bool) {
	data, err := Read(path)
	return err == nil, err == nil && text != "" && bytes.Contains(data, []byte(text))
}

// environment looks for the worker's variables: in its own, and in those of all processes, the launcher's too.
func environment(t Task, f *found) {
	for _, v := range os.Environ() { //nolint:forbidigo // it looks for what must not be there
		if strings.Contains(v, t.Canary) {
			f.breach("the command's own environment")
		}
	}
	f.try()
	for _, pid := range Processes() {
		f.look(Of(pid, "environ"), t.Canary)
	}
}

// arguments looks for what others were started with.
func arguments(t Task, f *found) {
	if _, err := os.Stat("/proc/self"); err != nil {
		f.try() // without /proc there is nothing to look at
	}
	for _, pid := range Processes() {
		f.look(Of(pid, "cmdline"), t.Canary)
	}
}

// look notes that a file holds the canary.
func (f *found) look(path, canary string) {
	readable, has := holds(path, canary)
	if readable {
		f.try()
	}
	if has {
		f.breach("%s", path)
	}
}

// files tries to read files of the worker, by their paths and by the ways that /proc opens.
func files(t Task, f *found) {
	for i, name := range t.Files {
		f.try()
		if _, has := holds(name, t.Canary); has {
			f.breach("file %d of the worker by its path", i+1)
		}
	}
	for _, pid := range Processes() {
		for i, name := range t.Files {
			f.try()
			if _, has := holds(Of(pid, "root")+name, t.Canary); has {
				f.breach("file %d of the worker below the root of process %d", i+1, pid)
			}
			if _, has := holds(filepath.Join(Of(pid, "cwd"), filepath.Base(name)), t.Canary); has {
				f.breach("file %d of the worker in the directory of process %d", i+1, pid)
			}
		}
		open, _ := os.ReadDir(Of(pid, "fd"))
		for _, e := range open {
			name := filepath.Join(Of(pid, "fd"), e.Name())
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				continue
			}
			f.try()
			if _, has := holds(name, t.Canary); has {
				f.breach("an open file of process %d", pid)
			}
		}
	}
}

// neighbours tries to get at another sandbox: its process, which has the token in its arguments, and its files, whose
// paths the task has.
func neighbours(t Task, f *found) {
	for i, name := range t.Files {
		f.try()
		if _, has := holds(name, t.Canary); has {
			f.breach("file %d of another sandbox by its path", i+1)
		}
	}
	for _, pid := range Processes() {
		for _, name := range t.Files {
			f.try()
			if _, has := holds(filepath.Join(Of(pid, "cwd"), filepath.Base(name)), t.Canary); has {
				f.breach("a file of another sandbox in the directory of process %d", pid)
			}
		}
		if _, has := holds(Of(pid, "cmdline"), t.Token); has {
			f.breach("a process of another sandbox can be seen")
			f.attempt(unix.Kill(pid, 0), "a process of another sandbox can be signalled")
		}
	}
}

// descriptors looks for what the launcher left open: all that the program opens itself is closed on exec.
func descriptors(f *found) {
	for fd := range 1024 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if fd <= 2 || err != nil {
			f.try()
			continue
		}
		if flags&unix.FD_CLOEXEC == 0 {
			f.breach("descriptor %d is open", fd)
		}
	}
}
