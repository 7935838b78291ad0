package local

import (
	"io"
	"runtime"
	"sync/atomic"
	"testing"
)

type writer func(data []byte)

func (w writer) Write(data []byte) (int, error) { w(data); return len(data), nil }

// TestLateWrite checks that the last write of an output that nobody waits for any more is over when that is told, and that
// an input which never ends is not waited for.
func TestLateWrite(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var written atomic.Bool
	never, hold := io.Pipe()
	defer func() { _ = hold.Close() }()
	s, err := newStreams(command{stdin: never, stderr: io.Discard, stdout: writer(func([]byte) {
		close(entered)
		<-release
		written.Store(true)
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.theirs[1].WriteString("x"); err != nil {
		t.Fatal(err)
	}
	s.begin()
	<-entered
	told := make(chan bool)
	go func() {
		if err := s.finish(0); err != nil {
			t.Error(err)
		}
		told <- written.Load()
	}()
	for range 1000 { // long enough for who does not wait
		runtime.Gosched()
	}
	close(release)
	if !<-told {
		t.Error("something was still written")
	}
}
