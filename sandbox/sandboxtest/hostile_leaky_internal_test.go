package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// leaky is a backend of which the host's side does what it must not.
type leaky struct {
	backend.Backend
	exec    func(backend.Command) (backend.Result, error)
	read    func(path string) ([]byte, error)
	write   func(path string, data []byte) error
	persist func(io.Writer) error
}

func (l leaky) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	s, err := l.Backend.Create(ctx, spec)
	return leakyBox{s, l}, err
}

type leakyBox struct {
	backend.Sandbox
	leaky leaky
}

func (b leakyBox) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	if b.leaky.exec != nil {
		return b.leaky.exec(cmd)
	}
	return b.Sandbox.Exec(ctx, cmd)
}

func (b leakyBox) Read(ctx context.Context, path string) ([]byte, error) {
	if b.leaky.read != nil {
		return b.leaky.read(path)
	}
	return b.Sandbox.Read(ctx, path)
}

func (b leakyBox) Write(ctx context.Context, path string, data []byte) error {
	if b.leaky.write != nil {
		return b.leaky.write(path, data)
	}
	return b.Sandbox.Write(ctx, path, data)
}

func (b leakyBox) Persist(ctx context.Context, w io.Writer) error {
	if b.leaky.persist != nil {
		return b.leaky.persist(w)
	}
	return b.Sandbox.Persist(ctx, w)
}

// putsOut is a command that puts n bytes out and ends.
func putsOut(n, exit int) func(backend.Command) (backend.Result, error) {
	return func(cmd backend.Command) (backend.Result, error) {
		part := make([]byte, 1<<20)
		for ; n > 0; n -= len(part) {
			if _, err := cmd.Stdout.Write(part[:min(n, len(part))]); err != nil {
				return backend.Result{}, err
			}
		}
		return backend.Result{ExitCode: exit}, nil
	}
}

// TestHostSide: the checks of what the host itself does find a host that does it.
func TestHostSide(t *testing.T) {
	done := func(backend.Command) (backend.Result, error) { return backend.Result{}, nil }
	b := &battery{}
	b.task = canaries(t)
	file := b.task.Files[0]
	host := func() ([]byte, error) { return os.ReadFile(file) }
	for _, c := range []struct {
		name string
		run  func(*testing.T) probe.Report
		with leaky
		safe bool
		want string
	}{
		{name: "links that lead nowhere", run: b.links, with: leaky{exec: done}, safe: true, want: "links"},
		{name: "no links", run: b.links, want: "no link could be made"},
		{name: "read through a link", run: b.links, with: leaky{exec: done, read: func(string) ([]byte, error) { return host() }}, want: "reads its own file"},
		{name: "archived through a link", run: b.links, with: leaky{exec: done, persist: func(w io.Writer) error {
			data, err := host()
			if err != nil {
				return err
			}
			_, err = w.Write(tarOf(t, tarMember{tar.Header{Name: "./hard"}, string(data)}))
			return err
		}}, want: "the archive of the workspace has"},
		{name: "written through a link", run: b.links, with: leaky{exec: done, write: func(_ string, data []byte) error { return os.WriteFile(file, data, 0o600) }}, want: "writes to its own file 1"},
		{name: "ways up that are refused", run: b.wayUp, safe: true, want: "names"},
		{name: "way up", run: b.wayUp, with: leaky{read: func(p string) ([]byte, error) {
			if strings.HasSuffix(p, "passwd") {
				return nil, &backend.Error{Code: backend.InvalidManifestPath, Message: "no"}
			}
			return host()
		}}, want: "bytes were read"},
		{name: "a refusal of the system's", run: b.wayUp, with: leaky{read: func(string) ([]byte, error) { return os.ReadFile("/no/such/file") }}, want: "not one that may be shown"},
		{name: "whole output", run: b.output, with: leaky{exec: putsOut(outputBytes, 7)}, safe: true, want: "256 MiB"},
		{name: "cut output", run: b.output, with: leaky{exec: putsOut(outputBytes-1, 7)}, want: "268435455 of 268435456"},
		{name: "exit code lost", run: b.output, with: leaky{exec: putsOut(outputBytes, 0)}, want: "exit code 0"},
		{name: "output kept", run: b.output, with: leaky{exec: func(cmd backend.Command) (backend.Result, error) {
			var kept bytes.Buffer
			kept.Write(make([]byte, outputBytes))
			_, err := cmd.Stdout.Write(kept.Bytes())
			return backend.Result{ExitCode: 7}, err
		}}, want: "MiB of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.with.Backend = NewFake()
			b.backend = c.with
			b.box = b.bare(t, idOne)
			if r := c.run(t); r.IsSafe() != c.safe || !strings.Contains(r.Detail, c.want) {
				t.Errorf("safe %v: %s, want %s", r.IsSafe(), r.Detail, c.want)
			}
		})
	}
	if data, err := host(); err != nil || string(data) != b.task.Canary {
		t.Errorf("a file of the worker is not as it was: %v", err)
	}
}
