//go:build unix

package sandboxclient_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// machine has the commands of a host run on this machine, with dir as the workspace.
func (h *host) machine(t *testing.T, dir string) {
	t.Helper()
	real := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "/workspace"); ok {
			return dir + rest
		}
		return path
	}
	h.exec = func(ctx context.Context, args operation.ExecArgs) (operation.ExecResult, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for name, data := range h.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Error(err)
			}
		}
		words := slices.Clone(args.Command)
		for i, word := range words {
			words[i] = real(word)
		}
		if !args.Shell.Off {
			words = append(slices.Clone(args.Shell.Prefix), strings.Join(words, " "))
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &stdout, &stderr, []string{"PATH=" + os.Getenv("PATH"), "KEPT=from the manifest"}
		err := cmd.Run()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = nil
		}
		return operation.ExecResult{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: cmd.ProcessState.ExitCode()}, err
	}
}

// TestPrepared: the directory, the variables and the input of a command are what it was given, byte by byte, whatever
// they hold, and its words are its own.
func TestPrepared(t *testing.T) {
	const odd = "a 'b' \"c\" $(d) `e` \\ --\n*;&|<>\t!"
	literal := func(s string) map[string]sandbox.EnvValue {
		return map[string]sandbox.EnvValue{"V": sandbox.EnvLiteral(s), "A": sandbox.EnvLiteral("--")}
	}
	sh := []string{"sh", "-c"}
	for _, c := range []struct {
		name    string
		cwd     string
		command sandboxclient.Command
		want    string
		code    int
	}{
		{"directory", "", sandboxclient.Command{Args: []string{"sh", "-c", `pwd | sed 's|.*/||'`}, Dir: odd}, odd + "\n", 0},
		{"directory of the run config", "sub", sandboxclient.Command{Args: []string{"cat", "here"}}, "sub", 0},
		{"no directory", "", sandboxclient.Command{Args: []string{"cat"}, Dir: "missing", Stdin: []byte("x")}, "", -1},
		{"variables", "", sandboxclient.Command{Args: []string{`printf %s "$V$A$KEPT"`}, Shell: sh, Env: literal(odd)}, odd + "--from the manifest", 0},
		{"words", "", sandboxclient.Command{Args: []string{"printf", "%s", odd, "--", "A=b"}, Env: literal("x")}, odd + "--A=b", 0},
		{"words of a script", "", sandboxclient.Command{Args: []string{"printf", "%s", odd}, Shell: sh, Dir: "."}, odd, 0},
		{"program with an equals sign", "", sandboxclient.Command{Args: []string{"./sub/a=b"}, Env: literal("x")}, "ran", 0},
		{"input", "", sandboxclient.Command{Args: []string{"cat"}, Stdin: []byte(odd + "\x00\xff")}, odd + "\x00\xff", 0},
		{"empty input", "", sandboxclient.Command{Args: []string{"cat"}, Stdin: []byte{}}, "", 0},
		{"input of a script", "", sandboxclient.Command{Args: []string{`cat; ls -A | grep stdin; printf %s "$V"; exit 7`}, Shell: sh, Stdin: []byte("in"), Env: literal("v")}, "inv", 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, sub := range []string{"sub", odd} {
				if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range map[string]string{"sub/here": "sub", "sub/a=b": "#!/bin/sh\nprintf ran\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			h := newHost()
			h.machine(t, dir)
			err := run(t, h, func(ctx workflow.Context) error {
				box, err := client.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Cwd: c.cwd}})
				if err != nil {
					return err
				}
				got, err := box.Exec(ctx, c.command)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(c.want, string(got.Stdout)); diff != "" {
					t.Errorf("%s\nstderr: %s", diff, got.Stderr)
				}
				if c.code >= 0 && got.ExitCode != c.code || c.code < 0 && got.ExitCode == 0 {
					t.Errorf("exit code %d", got.ExitCode)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".stdin-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestListReal reads what the ls of this machine prints.
func TestListReal(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a file": "12345", " leading": "", "-dash": "1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "sub"), 0o755), os.Symlink("a file", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	h := newHost()
	h.machine(t, dir)
	got := map[string]sandboxclient.DirEntry{}
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		entries, err := box.List(ctx, ".")
		for _, e := range entries {
			got[e.Path] = sandboxclient.DirEntry{Kind: e.Kind, Size: e.Size, Target: e.Target}
			if e.Kind != sandboxclient.KindFile {
				got[e.Path] = sandboxclient.DirEntry{Kind: e.Kind, Target: e.Target}
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]sandboxclient.DirEntry{}
	for name, e := range map[string]sandboxclient.DirEntry{
		"a file":   {Kind: sandboxclient.KindFile, Size: 5},
		" leading": {Kind: sandboxclient.KindFile},
		"-dash":    {Kind: sandboxclient.KindFile, Size: 1},
		"sub":      {Kind: sandboxclient.KindDir},
		"link":     {Kind: sandboxclient.KindSymlink, Target: "a file"},
	} {
		want["/workspace/"+name] = e
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestListFile: a file is listed by the path that was asked for, whatever the host makes of it for ls.
func TestListFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost()
	h.machine(t, dir) // whose ls is given the path on this machine
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		entries, err := box.List(ctx, "./a")
		if len(entries) != 1 || entries[0].Path != "/workspace/a" || entries[0].Size != 1 {
			t.Errorf("got %+v", entries)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
