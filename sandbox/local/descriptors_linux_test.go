package local_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func init() { parts["few descriptors"] = fewDescriptors }

// fewDescriptors is a worker that runs commands with ever more descriptors left, from none on, until one has enough. It
// prints what became of each.
func fewDescriptors() {
	const most = 64
	ctx := context.Background()
	b, err := local.New(local.Options{Dir: os.Getenv("DIR"), Launcher: local.Native})
	must(err)
	s, err := b.Create(ctx, backend.Spec{ID: id})
	must(err)
	must(s.Start(ctx))
	terminals := s.(backend.Terminals)
	var was unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: most, Max: was.Max}))
	var taken []int
	for {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	command := backend.Command{Args: []string{"echo", "ran"}}
	for err = io.EOF; err != nil && len(taken) > 0; taken = taken[1:] {
		var out strings.Builder
		command.Stdin, command.Stdout = strings.NewReader("x"), &out
		_, err = s.Exec(ctx, command)
		fmt.Printf("%q, %v\n", &out, err)
		if t, err := terminals.OpenTerminal(ctx, command, false); err == nil {
			<-t.Done()
		}
		must(unix.Close(taken[0]))
	}
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &was))
	must(b.Close())
}

// TestFewDescriptors checks that a worker without descriptors refuses commands, says that they were not run, and is none
// the worse for it.
func TestFewDescriptors(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), part+"=few descriptors", "DIR="+filepath.Join(t.TempDir(), "sandboxes"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the worker: %v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if last := len(lines) - 1; lines[last] != `"ran\n", <nil>` || last < 5 {
		t.Errorf("the worker says:\n%s", out)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.HasPrefix(line, `"", `) || !strings.Contains(line, "the worker has no descriptors") {
			t.Errorf("a command: %s", line)
		}
	}
}
