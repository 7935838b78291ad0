package local_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// counted counts what is written.
type counted int64

func (c *counted) Write(data []byte) (int, error) { *c += counted(len(data)); return len(data), nil }

// TestBoundedOutput checks that the output of a command passes through the worker without staying there.
func TestBoundedOutput(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	const size, most = 64 * mib, 4 * mib
	s := started(t, newBackend(t, isolated), sandbox.Manifest{})
	sh(t, s, "true")
	var before, after runtime.MemStats
	var n counted
	runtime.ReadMemStats(&before)
	result, err := s.Exec(t.Context(), backend.Command{Args: []string{"head", "-c", strconv.Itoa(size), "/dev/zero"}, Stdout: &n})
	runtime.ReadMemStats(&after)
	if err != nil || result.ExitCode != 0 || n != size {
		t.Errorf("%d bytes of %d, %+v, %v", n, size, result, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("%d bytes were allocated for %d of output, want %d at most", grown, size, most)
	}
}

// drain is a worker that runs a command with much output, and prints how much memory it ever had before and after, in KiB.
func drain() {
	b, err := local.New(local.Options{Dir: os.Getenv("DIR"), Launcher: local.Native})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, err := b.Create(ctx, backend.Spec{ID: id})
	if err == nil {
		err = s.Start(ctx)
	}
	if err != nil {
		panic(err)
	}
	for _, size := range []string{"1", os.Getenv("SIZE")} {
		var n counted
		if _, err := s.Exec(ctx, backend.Command{Args: []string{"head", "-c", size, "/dev/zero"}, Stdout: &n}); err != nil || strconv.Itoa(int(n)) != size {
			panic(fmt.Sprint(n, err))
		}
		fmt.Println(highest())
	}
	if err := b.Close(); err != nil {
		panic(err)
	}
}

// highest is the most memory that this process had at once, in KiB.
func highest() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSuffix(strings.TrimSpace(kib), " kB")
		}
	}
	panic("no VmHWM")
}

// BenchmarkOutput passes 2 GiB through a worker, and tells what that grows by.
func BenchmarkOutput(b *testing.B) {
	const size = 2 << 30
	b.SetBytes(size)
	var grown int
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), part+"=drain", "DIR="+filepath.Join(b.TempDir(), "b"), "SIZE="+strconv.Itoa(size))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		var kib []int
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				b.Fatal(err)
			}
			kib = append(kib, n)
		}
		if len(kib) != 2 {
			b.Fatalf("the worker printed %q", out)
		}
		grown = max(grown, kib[1]-kib[0])
	}
	b.ReportMetric(float64(grown), "KiB-grown")
}
