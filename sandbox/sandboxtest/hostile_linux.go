package sandboxtest

import (
	"bytes"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// inherited adds the canaries that only Linux has: descriptors that stay open in programs that the worker starts,
// servers at abstract addresses, and the numbers of the host's file systems.
func inherited(t *testing.T, task *probe.Task) {
	t.Helper()
	fd, err := unix.Open(task.Files[0], unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, fd := range []int{fd, pair[0], pair[1]} {
			_ = unix.Close(fd)
		}
	})
	abstract := "@" + task.Token
	task.Stream = append(task.Stream, listen(t, "unix", abstract+"-stream"))
	for _, name := range []string{abstract + "-datagram", filepath.Join(filepath.Dir(task.Files[0]), "d")} {
		conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		task.Datagram = append(task.Datagram, name)
	}
	for _, dir := range []string{"/", "/usr", "/usr/bin", "/etc", "/var", "/root", "/home"} {
		var stat unix.Stat_t
		if unix.Stat(dir, &stat) == nil && !slices.Contains(task.Devices, stat.Dev) {
			task.Devices = append(task.Devices, stat.Dev)
		}
	}
}

// seen returns what others on this host can see of text: the processes that have it in their arguments, and those
// whose environment has it and can be read by more than their own account.
func seen(text string) []string {
	var out []string
	for _, name := range []string{"cmdline", "environ"} {
		for _, pid := range with(text, name) {
			var stat unix.Stat_t
			if err := unix.Stat(probe.Of(pid, name), &stat); err == nil && stat.Mode&0o044 != 0 {
				out = append(out, "the "+name+" of a process on the host")
			}
		}
	}
	return out
}

// accounts returns the accounts of the processes on this host with text in their arguments.
func accounts(text string) []int {
	var out []int
	for _, pid := range with(text, "cmdline") {
		status, err := probe.Read(probe.Of(pid, "status"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(status), "\nUid:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			if uid, err := strconv.Atoi(fields[0]); err == nil {
				out = append(out, uid)
			}
		}
	}
	return out
}

// with returns the processes on this host of which the named file in /proc holds text.
func with(text, name string) []int {
	var out []int
	for _, pid := range probe.Processes() {
		if data, err := probe.Read(probe.Of(pid, name)); err == nil && bytes.Contains(data, []byte(text)) {
			out = append(out, pid)
		}
	}
	return out
}
