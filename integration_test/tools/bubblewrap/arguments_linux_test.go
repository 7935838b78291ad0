package bubblewrap

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// bare are arguments that say nothing of a command: bwrap reads them from a descriptor, and starts the worker's program.
var bare = regexp.MustCompile(`^bwrap\x00--args\x00[0-9]+\x00--\x00/proc/self/fd/4\x00$`)

// testArguments checks that bwrap has nothing in its arguments and its environment, where others on the host read.
func testArguments(t *testing.T) {
	t.Setenv("WORKERS_OWN", "value")
	s := startedSandbox(t, bubblewrap(t, local.Options{}))
	up, out := io.Pipe()
	in, hold := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Exec(t.Context(), backend.Command{
			Args: []string{"sh", "-c", "echo up; read x", "argument"}, Env: []string{"NAME=value"}, Stdin: in, Stdout: out,
		})
		done <- err
	}()
	if _, err := io.ReadFull(up, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	proc := filepath.Join("/proc", fmt.Sprint(child(t, "bwrap")))
	if got, err := os.ReadFile(filepath.Join(proc, "cmdline")); err != nil || !bare.Match(got) {
		t.Errorf("arguments %q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(proc, "environ")); err != nil || len(got) > 0 {
		t.Errorf("environment of %d bytes, %v", len(got), err)
	}
	_ = hold.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// child returns the process of a name that the starter of this one started.
func child(t *testing.T, name string) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	named, parents := map[int]bool{}, map[int]int{}
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it is over
		}
		var pid, parent int
		var comm, state string
		if n, err := fmt.Sscanf(string(stat), "%d %s %s %d", &pid, &comm, &state, &parent); n == 4 && err == nil {
			named[pid], parents[pid] = comm == "("+name+")", parent
		}
	}
	for pid, is := range named {
		if is && parents[parents[pid]] == os.Getpid() {
			return pid
		}
	}
	t.Fatalf("no process %s was started", name)
	return 0
}
