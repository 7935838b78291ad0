package sandboxtest

import (
	"context"
	"crypto/rand"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// held runs a command that waits until the test ends, and returns the line that it put out. The command is there when
// held returns.
func held(t *testing.T, s backend.Sandbox, cmd backend.Command) (line string, ok bool) {
	t.Helper()
	in, stop := io.Pipe()
	up := newSaid()
	cmd.Stdin, cmd.Stdout, cmd.Timeout = in, up, 0
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.Exec(ctx, cmd)
	}()
	t.Cleanup(func() {
		_ = stop.Close()
		cancel()
		<-done
	})
	select {
	case <-up.came:
		return up.line, true
	case <-done:
	case <-time.After(wait):
	}
	return "", false
}

// errHeld is the report when a process that something is tried on did not start.
func errHeld(id string) probe.Report {
	return probe.Unknown(id, "the process that it is tried on did not start")
}

// worse returns the first of the reports that is not safe, or the first.
func worse(reports ...probe.Report) probe.Report {
	if i := slices.IndexFunc(reports, func(r probe.Report) bool { return !r.IsSafe() }); i >= 0 {
		return reports[i]
	}
	return reports[0]
}

// arguments looks for arguments of others from inside, and for those of a command with a secret from outside.
func (b *battery) arguments(t *testing.T) probe.Report {
	t.Helper()
	const id = "arguments"
	secret := "secret-" + rand.Text()
	cmd := command("hold")
	cmd.Env = []string{"SECRET=" + secret}
	if _, ok := held(t, b.box, cmd); !ok {
		return errHeld(id)
	}
	inside := b.probe(t, b.box, id, b.task)
	other := b.task
	other.Canary = secret
	reports := []probe.Report{inside, b.probe(t, b.box, id, other)}
	if b.Local {
		if got := seen(secret); len(got) > 0 {
			reports = append(reports, probe.Unsafe(id, strings.Join(got, "; ")))
		}
	}
	return worse(reports...)
}

// neighbours looks for another sandbox with a file and a process.
func (b *battery) neighbours(t *testing.T) probe.Report {
	t.Helper()
	const id, file = "neighbours", "sandboxguard-neighbour"
	other := b.sandbox(t, idTwo)
	task := probe.Task{Canary: "canary-" + rand.Text(), Token: "token-" + rand.Text()}
	write(t, other, file, task.Canary)
	where, ok := held(t, other, command("hold", task.Token))
	if !ok {
		return errHeld(id)
	}
	task.Files = []string{path.Join(where, file)}
	return b.probe(t, b.box, id, task)
}

// identity looks which account a command is, from inside and from outside.
func (b *battery) identity(t *testing.T) probe.Report {
	t.Helper()
	const id = "identity"
	task := b.task
	task.Outside = b.Local
	inside := b.probe(t, b.box, id, task)
	if !b.Local {
		return inside
	}
	token := "token-" + rand.Text()
	if _, ok := held(t, b.box, command("hold", token)); !ok {
		return errHeld(id)
	}
	switch uids := accounts(token); {
	case len(uids) == 0:
		return worse(inside, probe.Unknown(id, "the host does not see the process, which Local says it does"))
	case slices.Contains(uids, 0):
		return worse(inside, probe.Unsafe(id, "the host sees a process of its account 0"))
	}
	return inside
}

// said is a writer that keeps the first line.
type said struct {
	came chan struct{} // is closed when the line is whole
	line string
}

func newSaid() *said { return &said{came: make(chan struct{})} }

func (s *said) said() bool {
	select {
	case <-s.came:
		return true
	default:
		return false
	}
}

// Write is called by one goroutine.
func (s *said) Write(data []byte) (int, error) {
	if s.said() {
		return len(data), nil
	}
	line, _, whole := strings.Cut(string(data), "\n")
	if s.line += line; whole {
		close(s.came)
	}
	return len(data), nil
}
