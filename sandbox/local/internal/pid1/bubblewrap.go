//go:build linux

package pid1

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownProgram is where the first process finds its program, and the name that bwrap gives it.
var ownProgram = fmt.Sprintf("/proc/self/fd/%d", Program)

// plan collects what bwrap is told.
type plan struct {
	arguments []string
	made      map[string]bool // directories that are there
}

func (p *plan) say(arguments ...string) { p.arguments = append(p.arguments, arguments...) }

// dirs makes the directories that lead to a path: those that bwrap makes by itself are not for everybody.
func (p *plan) dirs(to string) {
	dir := path.Dir(to)
	if dir == "/" || p.made[dir] {
		return
	}
	p.dirs(dir)
	p.made[dir] = true
	p.say("--dir", dir)
}

func (p *plan) tmpfs(at string, mode uint32, size int64) {
	p.say("--perms", fmt.Sprintf("%04o", mode), "--size", strconv.FormatInt(size, 10), "--tmpfs", at)
}

// arguments tell bwrap to make what the steps make that are left out then: see [Job.Made]. What it writes into files
// comes from descriptors that it inherits.
func arguments(job Job) ([]string, error) {
	p := &plan{made: map[string]bool{}}
	p.say(
		"--die-with-parent", "--as-pid-1", "--cap-drop", "ALL",
		"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
		"--uid", strconv.Itoa(job.UID), "--gid", strconv.Itoa(job.GID), "--hostname", hostname, "--chdir", "/",
	)
	p.tmpfs("/", 0o755, rootSize)
	for _, name := range slices.Sorted(maps.Keys(job.Links)) {
		p.say("--symlink", job.Links[name], "/"+name)
	}
	p.tmpfs("/tmp", 0o1777, job.Scratch)
	p.say("--dir", "/run", "--dir", "/var", "--dir", "/home", "--symlink", "/tmp", "/var/tmp")
	p.say("--dev", "/dev")
	p.tmpfs("/dev/shm", 0o1777, job.Scratch)
	p.proc()
	for _, m := range job.Mounts {
		switch p.dirs(m.Target); {
		case m.Device: // those that --dev makes
		case m.Writable:
			p.say("--bind", m.Source, m.Target)
		default:
			p.say("--ro-bind", m.Source, m.Target)
		}
	}
	files := etcFiles(job)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fd, err := content(files[name])
		if err != nil {
			return nil, err
		}
		p.dirs("/etc/" + name)
		p.say("--perms", "0644", "--file", fd, "/etc/"+name)
	}
	p.say("--remount-ro", "/dev", "--remount-ro", "/")
	return p.arguments, nil
}

// proc is for [makeProc].
func (p *plan) proc() {
	p.say("--proc", "/proc")
	for _, name := range closedDirs {
		p.say("--ro-bind", "/proc/"+name, "/proc/"+name)
	}
	for _, name := range maskedFiles {
		if _, err := os.Lstat("/proc/" + name); err == nil {
			p.say("--dev-bind", "/dev/null", "/proc/"+name)
		}
	}
	for _, name := range slices.Concat(maskedMounts, maskedDirs) {
		if info, err := os.Stat("/proc/" + name); err == nil && info.IsDir() {
			p.tmpfs("/proc/"+name, 0o555, rootSize)
			p.say("--remount-ro", "/proc/"+name)
		}
	}
}

// maskedMounts come with the directory of the host's /proc that bwrap shows, if the host has mounted them there.
var maskedMounts = []string{"sys/fs/binfmt_misc"}

// content returns a descriptor from which bwrap can read a text.
func content(text string) (string, error) {
	fd, err := unix.MemfdCreate("sandboxguard", 0)
	if err != nil {
		return "", err
	}
	for rest := []byte(text); len(rest) > 0; {
		n, err := unix.Pwrite(fd, rest, int64(len(text)-len(rest)))
		if err != nil {
			return "", err
		}
		rest = rest[n:]
	}
	return strconv.Itoa(fd), nil
}
