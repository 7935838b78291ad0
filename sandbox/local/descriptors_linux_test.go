package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// starve is a worker that may open no more files when it runs a command, then one more with each, until one runs. It
// prints why the others did not.
func starve() {
	ctx := context.Background()
	b, err := local.New(local.Options{Dir: os.Getenv("DIR"), Launcher: launcherOfPart()})
	if err != nil {
		panic(err)
	}
	s, err := b.Create(ctx, backend.Spec{ID: id})
	if err == nil {
		err = s.Start(ctx)
	}
	var all unix.Rlimit
	if err = errors.Join(err, unix.Getrlimit(unix.RLIMIT_NOFILE, &all)); err != nil {
		panic(err)
	}
	free := lowest() // nothing above it is open
	for most, ran := free, false; !ran; most++ {
		few := unix.Rlimit{Cur: most, Max: all.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			panic(err)
		}
		runErr := touch(ctx, s, os.Getenv("TERMINAL") != "")
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &all); err != nil {
			panic(err)
		}
		_, err := s.Read(ctx, "ran")
		if ran = err == nil; ran != (runErr == nil) || lowest() != free || most > free+100 {
			panic(fmt.Sprintf("ran: %t, %v; the lowest free descriptor is %d, before %d", ran, runErr, lowest(), free))
		}
		if runErr != nil {
			var why *backend.Error
			fmt.Println(backend.CodeOf(runErr), errors.As(runErr, &why) && why.Retryable, runErr)
		}
	}
	if err := b.Close(); err != nil {
		panic(err)
	}
}

// launcherOfPart is the launcher of the part that this process plays.
func launcherOfPart() local.Launcher {
	for _, l := range []local.Launcher{local.Bubblewrap, local.Landlock} {
		if os.Getenv("LAUNCHER") == l.String() {
			return l
		}
	}
	return local.Native
}

func touch(ctx context.Context, s backend.Sandbox, tty bool) error {
	cmd := backend.Command{Args: []string{"touch", "ran"}}
	if !tty {
		_, err := s.Exec(ctx, cmd)
		return err
	}
	p, err := s.(backend.Terminals).OpenTerminal(ctx, cmd, true)
	if err == nil {
		<-p.Done()
		_, err = p.Result()
	}
	return err
}

// lowest is the lowest free descriptor.
func lowest() uint64 {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err = errors.Join(err, unix.Close(fd)); err != nil {
		panic(err)
	}
	return uint64(fd)
}

// TestStarvedWorker checks that a worker which may open no more files refuses commands, whatever there is no descriptor
// for, goes on, and leaves none open.
func TestStarvedWorker(t *testing.T) {
	isolating(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for name, tty := range map[string]string{"exec": "", "terminal": "yes"} {
			t.Run(name, func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), part+"=starve", "LAUNCHER="+l.String(), "TERMINAL="+tty, "DIR="+filepath.Join(t.TempDir(), "b"))
				passable(t, local.Options{Launcher: l})
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				want := []string{"exec_transport_error true local: nothing was done: the worker has no descriptors left: raise its limit of open files"}
				if diff := cmp.Diff(want, slices.Compact(strings.Split(strings.TrimSpace(string(out)), "\n"))); diff != "" {
					t.Errorf("refusals (-want +got):\n%s", diff)
				}
			})
		}
	})
}
