package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mounts tries to mount, and to write where the system is.
func mounts(t Task, f *found) {
	const dir = "sandboxguard-probe-mount"
	if err := os.Mkdir(dir, 0o700); err == nil {
		defer os.Remove(dir) //nolint:errcheck // it is empty, or the mount could not be undone
		f.mount("a new file system", "tmpfs", dir, "tmpfs", 0)
		f.mount("a directory somewhere else", ".", dir, "", unix.MS_BIND)
	}
	for _, dir := range []string{"/", "/usr"} {
		var was unix.Statfs_t
		if err := unix.Statfs(dir, &was); err != nil || was.Flags&unix.ST_RDONLY == 0 {
			continue // one that is writable is written to below; to remount it could change it
		}
		f.try()
		if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND, ""); err == nil {
			f.breach("%s can be made writable", dir)
			_ = unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")
		}
	}
	for _, dir := range []string{"/", "/usr", "/usr/bin", "/etc", "/var", "/root", "/home"} {
		f.try()
		if t.writes(filepath.Join(dir, "sandboxguard-probe-"+strconv.Itoa(os.Getpid()))) {
			f.breach("%s of the host can be written", dir)
		}
	}
}

// mount tries to mount something, and undoes it.
func (f *found) mount(what, source, target, kind string, flags uintptr) {
	err := unix.Mount(source, target, kind, flags, "")
	f.attempt(err, "can mount "+what)
	if err == nil {
		_ = unix.Unmount(target, unix.MNT_DETACH)
	}
}

// writes reports whether a file can be made that is on a file system of the host's: a sandbox may have an /etc of its
// own. Where these are not known, every file counts.
func (t Task) writes(name string) bool {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // a name of its own
	if err != nil {
		return false
	}
	defer os.Remove(name) //nolint:errcheck // nobody could be told
	defer file.Close()    //nolint:errcheck // nothing was written
	if len(t.Devices) == 0 {
		return true
	}
	var stat unix.Stat_t
	return unix.Fstat(int(file.Fd()), &stat) != nil || slices.Contains(t.Devices, stat.Dev)
}

// settings tries to open what changes the kernel of the host, or shows its memory.
func settings(_ Task, f *found) {
	for _, name := range []string{
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/panic", "/proc/sys/vm/drop_caches",
		"/proc/sys/fs/binfmt_misc/register", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/mtrr",
		"/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/release_agent",
		"/sys/fs/cgroup/memory/release_agent", "/sys/kernel/debug/sched_features",
	} {
		f.try()
		if opens(name, unix.O_WRONLY) {
			f.breach("%s is writable", name)
		}
	}
	for _, name := range []string{"/proc/kcore", "/proc/kmsg", "/sys/firmware/dmi/tables/DMI"} {
		f.try()
		if opens(name, unix.O_RDONLY) {
			f.breach("%s is readable", name)
		}
	}
}

// opens reports whether something can be opened that is not just /dev/null in its place. Nothing is read or written.
func opens(name string, flags int) bool {
	fd, err := unix.Open(name, flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	var stat unix.Stat_t
	return unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFCHR || stat.Rdev != unix.Mkdev(1, 3)
}

// privileges looks at what the process may do, and whether a setuid program could give it more.
func privileges(_ Task, f *found) {
	data, err := Read("/proc/self/status")
	if err != nil {
		return
	}
	want := map[string]string{
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapBnd": "0000000000000000", "CapAmb": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2",
	}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, ":")
		safe, ok := want[name]
		if !ok {
			continue
		}
		f.try()
		delete(want, name)
		if value = strings.TrimSpace(value); value != safe {
			f.breach("%s is %s", name, value)
		}
	}
	for name := range want {
		f.breach("%s is not told", name)
	}
}

// identity looks at which account of the host the process is: a process with the kernel's own account owns the
// settings of the kernel, whatever else was taken from it.
func identity(t Task, f *found) {
	f.attempt(becomes(0), "can become account 0")
	if t.Outside {
		return
	}
	for _, m := range []struct {
		name string
		own  int
	}{{"uid_map", os.Getuid()}, {"gid_map", os.Getgid()}} {
		data, err := Read("/proc/self/" + m.name)
		if err != nil {
			continue
		}
		f.try()
		if outside, ok := mapped(string(data), m.own); !ok || outside == 0 {
			f.breach("%s: account 0 of the host", m.name)
		}
	}
}

// becomes tries to become another account than the process is now.
func becomes(id int) error {
	if os.Getuid() == id {
		return unix.EPERM
	}
	return unix.Setuid(id)
}

// mapped returns which id outside a user namespace is id inside.
func mapped(table string, id int) (int, bool) {
	for line := range strings.Lines(table) {
		var inside, outside, count int
		if _, err := fmt.Sscan(line, &inside, &outside, &count); err == nil && id >= inside && id-inside < count {
			return outside + id - inside, true
		}
	}
	return 0, false
}
