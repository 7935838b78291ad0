//go:build amd64 || arm64

package seccomp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// work does what tools do, with threads from before the filter and from after it.
func work() report {
	got := report{}
	installed := make(chan struct{})
	older := threads(4, installed)
	if err := install(Options{}); err != nil {
		return report{"install": err.Error()}
	}
	close(installed)
	got.add("older threads", older())
	got.add("newer threads", threads(4, installed)())
	got.add("shell", shell())
	got.add("loopback", exchange("tcp", "127.0.0.1:0"))
	got.add("stream pair", streamPair())
	_, err := net.Interfaces() // by netlink
	got.add("interfaces", err)
	got.add("personality", attempt(135, 92, 0xffffffff)())
	got.add("unix", exchange("unix", "@seccomp-test"))
	return got
}

func TestAllowed(t *testing.T) {
	want := report{
		"older threads": "ok", "newer threads": "ok", "shell": "ok", "loopback": "ok", "stream pair": "ok", "interfaces": "ok",
		"personality": "ok", "unix": "EPERM",
	}
	expect(t, "allowed", want)
	expect(t, "allowed to nobody", want)
}

// threads starts so many threads, which look at themselves when the channel is closed, and returns what they saw.
func threads(n int, look <-chan struct{}) func() error {
	started, answers := make(chan struct{}), make(chan error)
	for range n {
		go func() {
			runtime.LockOSThread()
			started <- struct{}{}
			<-look
			answers <- filtered()
		}()
	}
	for range n {
		<-started
	}
	return func() (err error) {
		for range n {
			err = errors.Join(err, <-answers)
		}
		return err
	}
}

// filtered says whether this thread has a filter and cannot gain privileges.
func filtered() error {
	text, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return err
	}
	for _, line := range []string{"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n"} {
		if !strings.Contains(string(text), line) {
			return fmt.Errorf("no line %q in %s", line, text)
		}
	}
	return nil
}

func shell() error {
	out, err := exec.Command("/bin/sh", "-c", "echo ok; ls / | head").Output()
	if err == nil && (!strings.HasPrefix(string(out), "ok\n") || len(out) < len("ok\nbin")) {
		err = fmt.Errorf("the shell printed %q", out)
	}
	return err
}

func exchange(network, address string) error {
	listener, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, err = conn.Write([]byte("hello"))
			err = errors.Join(err, conn.Close())
		}
		served <- err
	}()
	conn, err := net.Dial(network, listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	text, err := io.ReadAll(conn)
	if string(text) != "hello" {
		err = errors.Join(err, fmt.Errorf("read %q", text))
	}
	return errors.Join(err, <-served, conn.Close(), listener.Close())
}

func streamPair() error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	text := make([]byte, 5)
	_, writeErr := unix.Write(fds[0], []byte("hello"))
	n, readErr := unix.Read(fds[1], text)
	if string(text[:max(n, 0)]) != "hello" {
		return errors.Join(writeErr, readErr, fmt.Errorf("read %q", text))
	}
	return nil
}

// sockets tries what Options.Unix permits, and what it does not.
func sockets() report {
	if err := install(Options{Unix: true}); err != nil {
		return report{"install": err.Error()}
	}
	got := report{}
	got.add("path", exchange("unix", os.Args[1]))
	got.add("datagram pair", pair(unix.SOCK_DGRAM))
	got.add("vsock", attempts["vsock"]())
	return got
}

func TestOptionUnix(t *testing.T) {
	want := report{"path": "ok", "datagram pair": "EPERM", "vsock": "EPERM"}
	expect(t, "sockets", want, filepath.Join(t.TempDir(), "s"))
}
