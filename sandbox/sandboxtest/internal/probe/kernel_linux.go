package probe

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is the program as a process of its own that plays a part. It has the same environment, by which some backends
// find what they have to end.
func self(part string) *exec.Cmd {
	return exec.Command("/proc/self/exe", Marker, part) //nolint:gosec // itself
}

// nothing is the part of a process of which only the start matters.
func nothing([]string, io.Reader, io.Writer) int { return 0 }

// namespaces tries the ways to a new namespace, which would give all privileges inside it, and into those of others.
func namespaces(_ Task, f *found) {
	if err := self("nothing").Run(); err != nil {
		return // a process that cannot be started shows nothing
	}
	for name, flags := range map[string]uintptr{"user": unix.CLONE_NEWUSER, "mount": unix.CLONE_NEWNS, "network": unix.CLONE_NEWNET} {
		cmd := self("nothing")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		f.attempt(cmd.Run(), "clone: a new "+name+" namespace")
		cmd = self("nothing")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: flags}
		f.attempt(cmd.Run(), "unshare: a new "+name+" namespace")
	}
	// The kernel looks at the control group last: that it is wrong shows that all else was let through. With a
	// control group the process is made with clone3, of which a filter cannot see the flags.
	cmd := self("nothing")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UseCgroupFD: true, CgroupFD: 1 << 20}
	f.try()
	if err := cmd.Run(); err == nil || errors.Is(err, unix.EBADF) {
		f.breach("clone3: a new user namespace")
	}
	for _, pid := range Processes() {
		for name, kind := range map[string]int{"mnt": unix.CLONE_NEWNS, "net": unix.CLONE_NEWNET, "uts": unix.CLONE_NEWUTS} {
			fd, err := unix.Open(filepath.Join(Of(pid, "ns"), name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			if name != "mnt" { // no thread that shares its directory may enter one
				f.attempt(unix.Setns(fd, kind), "setns: the "+name+" namespace of another process")
			}
			_ = unix.Close(fd)
			if len(f.breaches) > maxBreaches {
				return
			}
		}
	}
}

// surfaces tries the parts of the kernel that ordinary programs do not need. The arguments are such that a call that is
// let through does nothing and fails with another error.
func surfaces(_ Task, f *found) {
	const none = ^uintptr(0) // no descriptor, and no flags that there are
	for _, c := range []struct {
		name string
		call uintptr
		args [6]uintptr
	}{
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, [6]uintptr{}},
		{"bpf", unix.SYS_BPF, [6]uintptr{none}},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, [6]uintptr{}},
		{"userfaultfd", unix.SYS_USERFAULTFD, [6]uintptr{none}},
		{"keyctl", unix.SYS_KEYCTL, [6]uintptr{1 << 20}},
		{"add_key", unix.SYS_ADD_KEY, [6]uintptr{}},
		{"request_key", unix.SYS_REQUEST_KEY, [6]uintptr{}},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, [6]uintptr{none}},
		{"kexec_load", unix.SYS_KEXEC_LOAD, [6]uintptr{0, 0, 0, 0xffff}},
		{"init_module", unix.SYS_INIT_MODULE, [6]uintptr{}},
		{"finit_module", unix.SYS_FINIT_MODULE, [6]uintptr{none}},
		{"delete_module", unix.SYS_DELETE_MODULE, [6]uintptr{}},
		{"fsopen", unix.SYS_FSOPEN, [6]uintptr{}},
		{"open_tree", unix.SYS_OPEN_TREE, [6]uintptr{none, 0, unix.OPEN_TREE_CLONE}},
	} {
		_, _, errno := unix.Syscall6(c.call, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5])
		f.try()
		switch errno {
		case unix.EPERM, unix.EACCES, unix.ENOSYS:
		default:
			f.breach("%s", c.name)
		}
	}
}

// memory tries to open the memory and the programs of other processes, which asks the kernel what tracing them asks.
func memory(_ Task, f *found) {
	f.try()
	for _, pid := range Processes() {
		if pid == os.Getpid() {
			continue
		}
		f.try()
		if opens(Of(pid, "mem"), unix.O_RDONLY) {
			f.breach("the memory of process %d", pid)
		}
	}
	if os.Getpid() == 1 {
		return // it is its own
	}
	f.try()
	// That the program is busy is said after all else was let through: it can be written later.
	fd, err := unix.Open("/proc/1/exe", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	if (err == nil || errors.Is(err, unix.ETXTBSY)) && !sealed("/proc/1/exe") {
		f.breach("the program of process 1 can be written")
	}
}

// sealed reports whether a file is one in memory that can never be written again.
func sealed(name string) bool {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	return err == nil && seals&unix.F_SEAL_WRITE != 0
}

// few are the devices that programs need.
var few = map[string]bool{
	"null": true, "zero": true, "full": true, "random": true, "urandom": true, "tty": true, "ptmx": true,
}

// devices looks at what is in /dev, and tries to make more.
func devices(_ Task, f *found) {
	_ = filepath.WalkDir("/dev", func(name string, e fs.DirEntry, err error) error {
		f.try()
		if err != nil || e.Type()&fs.ModeDevice == 0 {
			return nil //nolint:nilerr // what cannot be seen is not there
		}
		short := strings.TrimPrefix(name, "/dev/")
		if few[short] && e.Type()&fs.ModeCharDevice != 0 || terminalNumber(name) {
			return nil
		}
		f.breach("%s", name)
		return nil
	})
	for _, name := range []string{"/dev/kmsg", "/dev/mem", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/vsock"} {
		if opens(name, unix.O_RDONLY) {
			f.breach("%s can be opened", name)
		}
	}
	const node = "sandboxguard-probe-device"
	err := unix.Mknod(node, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) //nolint:gosec // a small number
	f.attempt(err, "mknod")
	if err == nil {
		_ = unix.Unlink(node)
	}
}

// terminalNumber reports whether a device is the end of a pseudo-terminal.
func terminalNumber(name string) bool {
	var stat unix.Stat_t
	if unix.Stat(name, &stat) != nil {
		return false
	}
	major := unix.Major(stat.Rdev)
	return stat.Mode&unix.S_IFMT == unix.S_IFCHR && (major >= 136 && major <= 143 || name == "/dev/pts/ptmx")
}
