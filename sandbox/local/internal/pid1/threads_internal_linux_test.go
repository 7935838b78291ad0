package pid1

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMakeThreads checks that no thread is missing when as many goroutines as a keeper has wait in the kernel at once.
func TestMakeThreads(t *testing.T) {
	const waiting = 6
	if os.Getenv("PID1_TEST_THREADS") == "" {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestMakeThreads$")
		cmd.Env = append(os.Environ(), "PID1_TEST_THREADS=1") // a process that does nothing else
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	runtime.LockOSThread() // as the keeper is
	defer runtime.UnlockOSThread()
	makeThreads()
	before := threads(t)
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	up, over := make(chan struct{}), make(chan error)
	for range waiting {
		go func() {
			up <- struct{}{}
			_, err := unix.Read(ends[0], make([]byte, 1))
			over <- err
		}()
	}
	for range waiting {
		<-up
	}
	for range waiting {
		if _, err := unix.Write(ends[1], []byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
	}
	if after := threads(t); after > before {
		t.Errorf("there were %d threads, and are %d", before, after)
	}
}

func threads(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
