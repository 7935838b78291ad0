package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// script is a command that runs a shell script.
func (c Conformance) script(text string) backend.Command {
	return backend.Command{Args: append(append([]string(nil), c.Shell...), text)}
}

// run runs a script and returns what it put out.
func (c Conformance) run(t *testing.T, s backend.Sandbox, text string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := c.script(text)
	cmd.Stdout = &out
	if result, err := s.Exec(t.Context(), cmd); err != nil || result.ExitCode != 0 {
		t.Fatalf("script %q: exit code %d, %v", text, result.ExitCode, err)
	}
	return out.String()
}

// exit is how commands end by themselves, and what they read and write.
func (c Conformance) exit(t *testing.T) {
	s := c.started(t, sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"bin": {Type: sandbox.EntryDir}, "tool": {
			Type: sandbox.EntryFile, Content: "#!/bin/sh\necho tool \"$@\"\n",
			Permissions: &sandbox.Permissions{Owner: 7, Group: 5, Other: 5},
		},
	}})
	for _, x := range []struct {
		script, stdin string
		dir           string
		exit          int
		out, err      string
	}{
		{script: "true"},
		{script: "exit 3", exit: 3},
		{script: "kill -9 $$", exit: -9},
		{script: "kill -15 $$", exit: -15},
		{script: "no-such-program-at-all 2>/dev/null", exit: 127},
		{script: "echo out; echo err >&2", out: "out\n", err: "err\n"},
		{script: `printf 'a\000\377\n'`, out: "a\x00\xff\n"},
		{script: "cat", stdin: "in\x00put", out: "in\x00put"},
		{script: "cat"},
		{script: "true", stdin: strings.Repeat("not read ", 100_000)},
		{script: "basename $(pwd)", dir: "bin", out: "bin\n"},
		{script: "basename $(pwd)", dir: "/workspace/bin", out: "bin\n"},
		{script: "./tool a 'b c'", out: "tool a b c\n"},
	} {
		var out, errOut bytes.Buffer
		cmd := c.script(x.script)
		cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errOut, x.dir
		if x.stdin != "" {
			cmd.Stdin = strings.NewReader(x.stdin)
		}
		result, err := s.Exec(t.Context(), cmd)
		if err != nil || result.ExitCode != x.exit || out.String() != x.out || errOut.String() != x.err {
			t.Errorf("%q: exit code %d, %v, out %q, err %q", x.script, result.ExitCode, err, out.String(), errOut.String())
		}
	}
	// As the composed operations of a client send it.
	if result, err := s.Exec(t.Context(), backend.Command{Args: []string{"mkdir", "-p", "--", "/workspace/made/by"}}); err != nil || result.ExitCode != 0 {
		t.Errorf("mkdir of an absolute path: exit code %d, %v", result.ExitCode, err)
	}
	if got := c.run(t, s, "ls"); got != "bin\nmade\ntool\n" {
		t.Errorf("ls = %q", got)
	}
	var out bytes.Buffer
	if _, err := s.Exec(t.Context(), backend.Command{Args: []string{"/workspace/tool", "x"}, Stdout: &out}); err != nil || out.String() != "tool x\n" {
		t.Errorf("a program by its path in the workspace: %q, %v", out.String(), err)
	}
}

// environment is what commands see: what they were given and what is listed here, and TMPDIR if the backend says so.
func (c Conformance) environment(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	var out bytes.Buffer
	cmd := backend.Command{
		Args: []string{"env"}, Stdout: &out,
		Env: []string{"GIVEN=a b=c", "TWICE=1", "TWICE=2", "EMPTY=", "LINES=a\nb"},
	}
	if result, err := s.Exec(t.Context(), cmd); err != nil || result.ExitCode != 0 {
		t.Fatalf("env: exit code %d, %v", result.ExitCode, err)
	}
	got := map[string]string{}
	for line := range strings.Lines(strings.Replace(out.String(), "a\nb", "a b", 1)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		got[name] = value
	}
	for _, name := range []string{"PATH", "HOME", "PWD", "LANG"} {
		if got[name] == "" {
			t.Errorf("%s is not set", name)
		}
		delete(got, name)
	}
	delete(got, "TMPDIR") // of sandboxes that have no /tmp of their own
	if diff := cmp.Diff(map[string]string{"GIVEN": "a b=c", "TWICE": "2", "EMPTY": "", "LINES": "a b"}, got); diff != "" {
		t.Errorf("environment (-want +got)\n%s", diff)
	}
}

// refused are commands of which nothing runs, which the error says.
func (c Conformance) refused(t *testing.T) {
	b := c.New(t)
	s := created(t, b, idOne, sandbox.Manifest{Entries: map[string]sandbox.Entry{"file": {
		Type: sandbox.EntryFile, Permissions: &sandbox.Permissions{Owner: 6},
	}}})
	ran := c.script("echo ran >> ran")
	refuse := func(what string, cmd backend.Command) {
		t.Helper()
		_, err := s.Exec(t.Context(), cmd)
		wantCode(t, what, err, backend.ExecTransport)
	}
	refuse("before start", ran)
	start(t, s)
	with := func(change func(*backend.Command)) backend.Command {
		cmd := ran
		change(&cmd)
		return cmd
	}
	refuse("no arguments", backend.Command{})
	refuse("empty program", backend.Command{Args: []string{""}})
	refuse("missing program", backend.Command{Args: []string{"no-such-program-at-all"}})
	refuse("missing path", backend.Command{Args: []string{"./missing"}})
	refuse("file without the right to be executed", backend.Command{Args: []string{"./file"}})
	refuse("directory as a program", backend.Command{Args: []string{"/workspace"}})
	refuse("NUL in an argument", with(func(c *backend.Command) { c.Args = append(c.Args, "a\x00b") }))
	refuse("NUL in a variable", with(func(c *backend.Command) { c.Env = []string{"A=\x00"} }))
	refuse("variable without a name", with(func(c *backend.Command) { c.Env = []string{"=x"} }))
	refuse("directory outside", with(func(c *backend.Command) { c.Dir = "../" }))
	refuse("directory that is missing", with(func(c *backend.Command) { c.Dir = "missing" }))
	refuse("directory that is a file", with(func(c *backend.Command) { c.Dir = "file" }))
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	refuse("after stop", ran)
	if _, err := s.Read(t.Context(), "ran"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("a refused command ran: %v", err)
	}
}

// firstLine is a writer that tells when a line came.
type firstLine struct {
	once sync.Once
	came chan struct{}
}

func newFirstLine() *firstLine { return &firstLine{came: make(chan struct{})} }

func (f *firstLine) Write(data []byte) (int, error) {
	if bytes.ContainsRune(data, '\n') {
		f.once.Do(func() { close(f.came) })
	}
	return len(data), nil
}

// wait waits for the line. It reports false for a command that had too little time to begin, if it may have that.
func (f *firstLine) wait(t *testing.T, ended <-chan error, mayBeLate bool) bool {
	t.Helper()
	select {
	case <-f.came:
	case err := <-ended:
		if mayBeLate && backend.CodeOf(err) == backend.ExecTimeout {
			return false
		}
		t.Fatalf("the command ended before it said that it runs: %v", err)
	case <-time.After(wait):
		t.Fatal("the command did not say that it runs")
	}
	return true
}

// The scripts of processes that are hard to end. Each notes what it starts, then writes a line.
var stubborn = map[string]string{
	"plain":            "echo $$ > pids; echo up; exec sleep 1000",
	"ignores SIGTERM":  "trap '' TERM; echo $$ > pids; echo up; sleep 1000; sleep 1000",
	"children":         "for i in 1 2 3; do (trap '' TERM; while :; do sleep 1; done) & echo $! >> pids; done; echo up; wait",
	"orphan":           "(trap '' TERM; sleep 1000 & echo $! > pids); echo up; sleep 1000",
	"holds the output": "(trap '' TERM; sleep 1000) & echo $! > pids; echo up; sleep 1000",
}

// mark is a variable of stubborn scripts. Where each command has numbers of its own for processes, one of another command
// can have that of a process which is looked for.
const mark = "STUBBORN=1"

// left prints the processes of a script that are still there. One that is over but was not waited for does not count.
const left = `for p in $(cat pids); do
	kill -0 $p 2>/dev/null || continue
	if [ -d /proc/$$ ]; then
		tr '\0' '\n' 2>/dev/null </proc/$p/environ | grep -qx ` + mark + ` || continue
		case $(cat /proc/$p/stat) in *") Z "*) continue;; esac
	fi
	echo $p
done`

// wantNoneLeft checks that nothing is left of a script.
func (c Conformance) wantNoneLeft(t *testing.T, s backend.Sandbox) {
	t.Helper()
	if pids := strings.Fields(read(t, s, "pids")); len(pids) == 0 {
		t.Error("the script noted no process")
	}
	if got := c.run(t, s, left); got != "" {
		t.Errorf("still there: %q", got)
	}
}

// ended is how commands are ended by others: by their time, their context, Stop and Delete. Nothing of them is left
// then.
func (c Conformance) ended(t *testing.T) {
	ends := []struct {
		name string
		end  func(t *testing.T, cancel func(), s backend.Sandbox)
		is   func(error) bool
	}{
		{"timeout", nil, func(err error) bool {
			return backend.CodeOf(err) == backend.ExecTimeout && err.Error() == backend.TimedOut().Error()
		}},
		{"cancellation", func(_ *testing.T, cancel func(), _ backend.Sandbox) { cancel() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"stop", func(t *testing.T, _ func(), s backend.Sandbox) {
			t.Helper()
			if err := s.Stop(t.Context()); err != nil {
				t.Errorf("stop: %v", err)
			}
		}, func(err error) bool { return err != nil }},
		{"delete", func(t *testing.T, _ func(), s backend.Sandbox) {
			t.Helper()
			if err := s.Delete(t.Context()); err != nil {
				t.Errorf("delete: %v", err)
			}
		}, func(err error) bool { return err != nil }},
	}
	for _, e := range ends {
		for name, text := range stubborn {
			t.Run(e.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := c.started(t, sandbox.Manifest{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var done chan error
				for timeout, begun := 500*time.Millisecond, false; !begun; timeout *= 2 { // until there is time to begin
					up := newFirstLine()
					cmd := c.script(text)
					cmd.Stdout, cmd.Env = up, []string{mark}
					if e.end == nil {
						cmd.Timeout = timeout
					}
					done = make(chan error, 1)
					go func() {
						_, err := s.Exec(ctx, cmd)
						done <- err
					}()
					begun = up.wait(t, done, e.end == nil && timeout < wait)
				}
				if e.end != nil {
					e.end(t, cancel, s)
				}
				select {
				case err := <-done:
					if !e.is(err) {
						t.Errorf("exec: %v", err)
					}
				case <-time.After(wait):
					t.Fatal("the command goes on")
				}
				if e.name == "delete" {
					return // nobody to ask
				}
				start(t, s)
				c.wantNoneLeft(t, s)
			})
		}
	}
	t.Run("a child that holds the output", func(t *testing.T) {
		s := c.started(t, sandbox.Manifest{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			if got := c.run(t, s, mark+"; export STUBBORN; sleep 1000 & echo $! > pids; echo over"); got != "over\n" {
				t.Errorf("output %q", got)
			}
			c.wantNoneLeft(t, s)
		}()
		select {
		case <-done:
		case <-time.After(wait):
			t.Fatal("the command is not over")
		}
	})
	t.Run("a context that ended before", func(t *testing.T) {
		s := c.started(t, sandbox.Manifest{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Exec(ctx, c.script("echo ran > ran")); err == nil {
			t.Error("the command ran")
		}
		if _, err := s.Read(t.Context(), "ran"); backend.CodeOf(err) != backend.ReadNotFound {
			t.Errorf("the command ran: %v", err)
		}
	})
	t.Run("two at once", func(t *testing.T) {
		s := c.started(t, sandbox.Manifest{})
		first := make(chan string, 1)
		go func() { first <- c.run(t, s, "until [ -e go ]; do sleep 0.01; done; cat go") }()
		write(t, s, "go", "gone")
		if got := c.run(t, s, "cat go"); got != "gone" {
			t.Errorf("second command: %q", got)
		}
		select {
		case got := <-first:
			if got != "gone" {
				t.Errorf("first command: %q", got)
			}
		case <-time.After(wait):
			t.Fatal("the first command goes on")
		}
	})
}

// concurrent is everything at once, which must neither block nor leave anything.
func (c Conformance) concurrent(t *testing.T) {
	b := c.New(t)
	s := created(t, b, idOne, sandbox.Manifest{})
	start(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		for _, do := range []func(){
			func() { _, _ = s.Exec(ctx, c.script("echo x; sleep 1000")) },
			func() { _, _ = s.Exec(ctx, c.script("sleep 1000 &")) },
			func() { _ = s.Write(ctx, "dir/file", []byte("x")) },
			func() { _, _ = s.Read(ctx, "dir/file") },
			func() { _ = s.Persist(ctx, io.Discard) },
			func() { _ = s.Hydrate(ctx, bytes.NewReader(tarOf(t, tarFile("dir/file", "y")))) },
			func() { _ = s.Stop(ctx) },
			func() { _ = s.Start(ctx) },
			func() { _, _ = b.Open(ctx, backend.Spec{ID: idOne}) },
		} {
			wg.Go(do)
		}
	}
	for range 3 {
		wg.Go(func() {
			if err := s.Delete(ctx); err != nil {
				t.Errorf("delete: %v", err)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		t.Errorf("something blocked: %v", err)
	}
	wantList(t, b)
}

// output is large, or nobody takes it.
func (c Conformance) output(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	var count counter
	cmd := c.script("head -c 20000000 /dev/zero")
	cmd.Stdout = &count
	if result, err := s.Exec(t.Context(), cmd); err != nil || result.ExitCode != 0 || count != 20_000_000 {
		t.Errorf("20 MB: exit code %d, %v, %d bytes", result.ExitCode, err, count)
	}
	full := errors.New("full")
	cmd = c.script("while :; do echo more; done")
	cmd.Stdout = limited{full}
	if _, err := s.Exec(t.Context(), cmd); !errors.Is(err, full) {
		t.Errorf("output that is not taken: %v, want the error of the writer", err)
	}
	if err := s.Persist(t.Context(), limited{full}); !errors.Is(err, full) {
		t.Errorf("archive that is not taken: %v, want the error of the writer", err)
	}
	unread := errors.New("unread")
	if err := s.Hydrate(t.Context(), io.MultiReader(strings.NewReader("x"), failing{unread})); err == nil {
		t.Error("an archive that cannot be read was taken")
	}
}

type counter int

func (c *counter) Write(data []byte) (int, error) { *c += counter(len(data)); return len(data), nil }

type limited struct{ err error }

func (l limited) Write([]byte) (int, error) { return 0, l.err }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
