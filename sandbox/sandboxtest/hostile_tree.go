package sandboxtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// treeSize is how many sessions a tree has, few enough for a usual limit of processes.
const treeSize = 16

var (
	errNoTree  = errors.New("the tree of processes did not start")
	errNoLock  = errors.New("the tree cannot be seen while it runs, so neither can its end: the workspace has no locks")
	errForever = errors.New("the command goes on after its end")
)

// processes ends commands that made a tree of processes, one by its time and one by its context, and looks for what is
// left.
func (b *battery) processes(t *testing.T) probe.Report {
	t.Helper()
	const id = "processes"
	s := b.sandbox(t, idTwo)
	var reports []probe.Report
	for _, byTime := range []bool{true, false} {
		token := "token-" + rand.Text()
		if _, err := b.endTree(t, s, token, byTime); err != nil {
			return noTree(id, err)
		}
		left := b.probe(t, s, "survivors", b.task)
		left.Probe = id
		reports = append(reports, left)
		if n := len(accounts(token)); b.Local && n > 0 {
			reports = append(reports, probe.Unsafe(id, fmt.Sprintf("%d processes of a command that was ended live on", n)))
		}
		if err := restart(t, s); err != nil { // whatever is left would stand in the way of the next
			return noTree(id, err)
		}
	}
	return worse(reports...)
}

// background is a command of which processes in sessions of their own keep the output open.
func (b *battery) background(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-background"
	ended, err := b.endTree(t, b.sandbox(t, idTwo), "token-"+rand.Text(), true)
	switch {
	case err != nil:
		return noTree(id, err)
	case backend.CodeOf(ended) != backend.ExecTimeout:
		return probe.Unsafe(id, "the command ended with another error than that of its time")
	}
	return probe.Safe(id, "the command ended with its time")
}

// noTree is the report when a tree was not ended.
func noTree(id string, err error) probe.Report {
	if errors.Is(err, errForever) {
		return probe.Unsafe(id, err.Error())
	}
	return probe.Unknown(id, err.Error())
}

// endTree runs a command that makes a tree of processes and ends it, by its time or by its context. It returns the
// error that the command ended with.
func (b *battery) endTree(t *testing.T, s backend.Sandbox, token string, byTime bool) (ended, err error) {
	t.Helper()
	if !byTime {
		return b.tree(t, s, token, 0)
	}
	// A slow host may need longer for the tree than the command has.
	for timeout := 2 * time.Second; timeout <= wait; timeout *= 3 {
		if ended, err = b.tree(t, s, token, timeout); !errors.Is(err, errNoTree) {
			return ended, err
		}
		if err := restart(t, s); err != nil {
			return nil, err
		}
	}
	return nil, errNoTree
}

// restart ends all processes of a sandbox.
func restart(t *testing.T, s backend.Sandbox) error {
	t.Helper()
	if err := s.Stop(t.Context()); err != nil {
		return fmt.Errorf("what is left cannot be ended: %w", err)
	}
	return s.Start(t.Context())
}

// tree makes a tree and ends it after the timeout, or as soon as it is there if that is 0. That its processes hold a
// lock then shows that the lock would show them later.
func (b *battery) tree(t *testing.T, s backend.Sandbox, token string, timeout time.Duration) (ended, err error) {
	t.Helper()
	cmd := command("tree", strconv.Itoa(treeSize), token)
	up := newSaid()
	cmd.Stdout, cmd.Timeout = up, timeout
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Exec(ctx, cmd)
		done <- err
	}()
	if timeout == 0 {
		select {
		case <-up.came:
		case ended = <-done:
			return ended, errNoTree
		case <-time.After(wait):
			return nil, errNoTree
		}
		if b.probe(t, s, "survivors", b.task).IsSafe() {
			return nil, errNoLock
		}
		cancel()
	}
	select {
	case ended = <-done:
	case <-time.After(2 * wait):
		return nil, errForever
	}
	if ended == nil || !up.said() {
		return nil, errNoTree
	}
	return ended, nil
}
