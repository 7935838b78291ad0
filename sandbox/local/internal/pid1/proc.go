//go:build linux

package pid1

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// What the kernel tells or does under these names concerns the whole host.
var (
	maskedFiles = []string{
		"cmdline", "kallsyms", "kcore", "keys", "key-users", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "modules", "mtrr",
		"sched_debug", "slabinfo", "sysrq-trigger", "timer_list", "timer_stats", "vmallocinfo", "interrupts", "softirqs",
	}
	maskedDirs = []string{"acpi", "asound", "bus", "driver", "firmware", "fs", "irq", "scsi", "tty", "sysvipc", "pressure"}
	closedDirs = []string{"sys"}
)

// makeProc makes a /proc that shows the sandbox's processes, and of the rest what programs need.
func makeProc(*state) error {
	if err := makeDirs("proc"); err != nil {
		return err
	}
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("proc", "proc", "proc", quiet, ""); err != nil {
		return err
	}
	if err := setQuotas(); err != nil {
		return err
	}
	for _, name := range closedDirs {
		if err := cover("proc/"+name, "proc/"+name, unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	for _, name := range maskedFiles {
		if err := cover("proc/"+name, "dev/null", unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	for _, name := range maskedDirs {
		info, err := os.Stat("proc/" + name)
		if err != nil || !info.IsDir() {
			continue
		}
		if err := mountTmpfs("proc/"+name, quiet|unix.MS_RDONLY, 0o555, rootSize); err != nil {
			return err
		}
	}
	return nil
}

// quotas are what the user namespace may have of things that the kernel counts for the account that made it, too. They
// are enough for tools that watch files.
var quotas = map[string]string{"max_inotify_instances": "32", "max_inotify_watches": "16384"}

// setQuotas sets those that the kernel has.
func setQuotas() error {
	for name, most := range quotas {
		err := os.WriteFile("proc/sys/user/"+name, []byte(most), 0)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cover mounts a file or directory over one, if that is there.
func cover(name, by string, attributes uint64) error {
	if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := unix.Mount(by, name, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, name, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
}
