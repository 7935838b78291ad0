package pid1_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// pair returns the two ends of a socket pair.
func pair(t *testing.T) (a, b *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fds[0]), "a"), os.NewFile(uintptr(fds[1]), "b")
}

func channel(t *testing.T, f *os.File) *pid1.Channel {
	t.Helper()
	c, err := pid1.NewChannel(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestChannel sends messages of each kind both ways, several one after the other, of all sizes and with a file.
func TestChannel(t *testing.T) {
	fa, fb := pair(t)
	a, b := channel(t, fa), channel(t, fb)
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	job := pid1.Job{
		Mounts: []pid1.Mount{{Source: "/a\xff", Target: "/b", Writable: true, Within: true}, {}}, Links: map[string]string{"bin": "usr/bin"},
		UID: 1000, GID: 1000, Workspace: "/w", Dir: "/w/\xc0", Scratch: 1 << 40, Limits: pid1.Limits{Processes: 1, OpenFiles: ^uint64(0)},
		Args: []string{"", "\xff\x00", strings.Repeat("x", 1<<20)}, Env: []string{"A=\xed\xa0\x80"},
	}
	sent := make(chan error, 1)
	go func() {
		sent <- errors.Join(
			a.Send(job), a.Send(pid1.Order{}), a.Send(pid1.Order{Signal: 15}), a.Send(pid1.Report{Started: true}, file),
			a.Send(pid1.Report{}), a.Send(pid1.Report{Exited: true, Code: -9, Full: true}),
		)
	}()
	var gotJob pid1.Job
	var orders [2]pid1.Order
	var reports [3]pid1.Report
	for _, message := range []any{&gotJob, &orders[0], &orders[1], &reports[0], &reports[1], &reports[2]} {
		if err := b.Receive(message); err != nil {
			t.Fatalf("%T: %v", message, err)
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(job, gotJob); diff != "" {
		t.Errorf("job (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([2]pid1.Order{{}, {Signal: 15}}, orders); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([3]pid1.Report{{Started: true}, {}, {Exited: true, Code: -9, Full: true}}, reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	came := b.File()
	if came == nil || b.File() != nil {
		t.Fatal("want one file")
	}
	defer func() { _ = came.Close() }()
	want, err := file.Stat()
	got, err2 := came.Stat()
	if errors.Join(err, err2) != nil || !os.SameFile(want, got) {
		t.Errorf("another file came: %v, %v", err, err2)
	}
	if flags, err := unix.FcntlInt(came.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("programs inherit the file: %v", err)
	}
}

// TestTooLong checks that what is longer than the other side takes is not sent.
func TestTooLong(t *testing.T) {
	fa, fb := pair(t)
	a, b := channel(t, fa), channel(t, fb)
	if err := a.Send(pid1.Job{Args: []string{strings.Repeat("x", 17<<20)}}); !errors.Is(err, pid1.ErrTooLong) {
		t.Errorf("sent: %v", err)
	}
	if err := a.Send(pid1.Order{Signal: 1}); err != nil {
		t.Fatal(err)
	}
	var o pid1.Order
	if err := b.Receive(&o); err != nil || o.Signal != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

// FuzzReceive puts anything on the socket: there is a message or an error for it, and an end. What was taken for a message
// is one: sent on, it comes as it was.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 'x'})
	f.Add([]byte{0, 0, 0, 9, 'x'})
	for _, message := range []any{pid1.Order{Signal: 9}, pid1.Report{Hello: true, Code: -1}, pid1.Job{Args: []string{"a"}, Links: map[string]string{"a": "b"}}} {
		f.Add(wire(f, message))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fa, fb := pair(t)
		c := channel(t, fb)
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, _ = bytes.NewReader(data).WriteTo(fa) // the other side may have had enough
			_ = fa.Close()
		}()
		var taken []any
		for _, message := range []any{&pid1.Job{}, &pid1.Report{}, &pid1.Order{}} {
			if c.Receive(message) != nil {
				break
			}
			taken = append(taken, message)
		}
		_ = c.Close() // so that who writes on is told
		<-written
		for _, message := range taken {
			again := reflect.New(reflect.TypeOf(message).Elem()).Interface()
			if sendOn(t, message, again); !cmp.Equal(message, again, cmpopts.EquateEmpty()) {
				t.Errorf("sent on (-before +after):\n%s", cmp.Diff(message, again, cmpopts.EquateEmpty()))
			}
		}
	})
}

// sendOn sends a message to where another one is received.
func sendOn(t *testing.T, message, as any) {
	t.Helper()
	fa, fb := pair(t)
	a, b := channel(t, fa), channel(t, fb)
	sent := make(chan error, 1)
	go func() { sent <- a.Send(message) }()
	if err := errors.Join(b.Receive(as), <-sent); err != nil {
		t.Errorf("sent on: %v", err)
	}
}

// wire is what a message is on the socket.
func wire(f *testing.F, message any) []byte {
	f.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		f.Fatal(err)
	}
	c, err := pid1.NewChannel(os.NewFile(uintptr(fds[0]), "a"))
	if err != nil {
		f.Fatal(err)
	}
	other := os.NewFile(uintptr(fds[1]), "b")
	if err := errors.Join(c.Send(message), c.Close()); err != nil {
		f.Fatal(err)
	}
	data, err := io.ReadAll(other)
	if err := errors.Join(err, other.Close()); err != nil {
		f.Fatal(err)
	}
	if size := binary.BigEndian.Uint32(data); int(size) != len(data)-4 {
		f.Fatalf("a message of %d bytes says %d", len(data)-4, size)
	}
	return data
}
