package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// battery is one run: a backend, a sandbox with the program in it, and what the worker has that nobody must get at.
type battery struct {
	Hostile
	program []byte
	backend backend.Backend
	box     backend.Sandbox
	task    probe.Task
}

// programName is where the probes are in the workspace.
const programName = "sandboxguard-probe"

// battery prepares a run.
func (h Hostile) battery(t *testing.T) *battery {
	t.Helper()
	path := h.Program
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatalf("sandboxtest: the executable of the test is not known: set Program (%v)", err)
		}
		path = self
	}
	program, err := os.ReadFile(path) //nolint:gosec // the caller's own
	if err != nil {
		t.Fatalf("sandboxtest: the program of the probes cannot be read: %v", err)
	}
	b := &battery{Hostile: h, program: program}
	b.task = canaries(t)
	b.backend = h.New(t) // only now, so that what a backend takes along when it is made is found, too
	b.box = b.sandbox(t, idOne)
	return b
}

// sandbox returns a started sandbox with the program in it, which is deleted when the test ends.
func (b *battery) sandbox(t *testing.T, id string) backend.Sandbox {
	t.Helper()
	s := b.bare(t, id)
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	err := w.WriteHeader(&tar.Header{Name: programName, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(b.program))})
	if err == nil {
		_, err = w.Write(b.program)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	hydrate(t, s, archive.Bytes())
	return s
}

// bare returns a started sandbox without the program.
func (b *battery) bare(t *testing.T, id string) backend.Sandbox {
	t.Helper()
	s := created(t, b.backend, id, sandbox.Manifest{})
	start(t, s)
	t.Cleanup(func() {
		if err := s.Delete(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
	return s
}

// command runs the program in a sandbox.
func command(part string, args ...string) backend.Command {
	return backend.Command{Args: append([]string{sandbox.DefaultRoot + "/" + programName, probe.Marker, part}, args...), Timeout: wait}
}

// probe runs the named probe in a sandbox.
func (b *battery) probe(t *testing.T, s backend.Sandbox, name string, task probe.Task) probe.Report {
	t.Helper()
	r, _ := b.probed(t, s, name, task)
	return r
}

// probed runs the named probe, and returns also what became of the command.
func (b *battery) probed(t *testing.T, s backend.Sandbox, name string, task probe.Task) (probe.Report, backend.Result) {
	t.Helper()
	in, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(name)
	out := &bounded{max: probe.MaxOutput}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), out
	result, err := s.Exec(t.Context(), cmd)
	return probe.Judge(name, out.data, result.ExitCode, err), result
}

// bounded keeps one byte more than max of what is written to it, so that too much can be told.
type bounded struct {
	data []byte
	max  int
}

func (b *bounded) Write(data []byte) (int, error) {
	b.data = append(b.data, data[:min(len(data), b.max+1-len(b.data))]...)
	return len(data), nil
}

// canaries puts what nobody must get at where workers have such: files, the environment, arguments of processes,
// descriptors and servers.
func canaries(t *testing.T) probe.Task {
	t.Helper()
	task := probe.Task{Canary: "canary-" + rand.Text(), Token: "token-" + rand.Text()}
	t.Setenv("SANDBOXGUARD_CANARY", task.Canary)
	dir := t.TempDir()
	task.Files = []string{filepath.Join(dir, "canary")}
	if err := os.WriteFile(task.Files[0], []byte(task.Canary), 0o600); err != nil {
		t.Fatal(err)
	}
	// A backend may take the working directory along. That of a test is a checkout, where one that is killed would leave
	// its file.
	t.Chdir(t.TempDir())
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	for _, in := range []string{home, "."} {
		if in, err = filepath.Abs(in); err != nil {
			continue
		}
		if f, err := os.CreateTemp(in, ".sandboxguard-canary-*"); err == nil { // some have no home that they may write to
			t.Cleanup(func() { _ = os.Remove(f.Name()) })
			_, err = f.WriteString(task.Canary)
			if err = errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			task.Files = append(task.Files, f.Name())
		}
	}
	task.TCP = listen(t, "tcp", "127.0.0.1:0")
	task.Stream = []string{listen(t, "unix", filepath.Join(dir, "s"))}
	inherited(t, &task)
	worker(t, task)
	return task
}

// listen starts a server that takes connections until the test ends, and returns its address.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// worker starts a process beside the worker that has the canary in its arguments and its environment.
func worker(t *testing.T, task probe.Task) {
	t.Helper()
	self, err := os.Executable()
	if err != nil || !initialised {
		return // the program is another's, which need not run here
	}
	cmd := exec.Command(self, probe.Marker, "hold", task.Canary) //nolint:gosec // itself
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal("sandboxtest: the process with the canary did not start: call sandboxtest.Init first in TestMain")
	}
}
