package sandboxtest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// noTerminals is what is said of a sandbox in which nothing can be typed.
const noTerminals = "there are no terminals"

// A dialogue is what is typed at a terminal, a line each, and what is to be shown before that. What is waited for is
// computed by the command, so that the echo of what is typed is not taken for it.
type dialogue []struct{ shown, typed string }

// talk runs a command at a terminal, and returns all that it showed.
func (b *battery) talk(t *testing.T, d dialogue, args ...string) (string, error) {
	t.Helper()
	out := new(transcript)
	p, err := b.box.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: args, Stdout: out, Stderr: out}, true)
	if err != nil {
		return "", err
	}
	defer p.Kill()
	for _, part := range d {
		if !out.shows(part.shown, p.Done()) {
			return out.String(), fmt.Errorf("%q was not shown", part.shown)
		}
		if err := p.Write(t.Context(), []byte(part.typed)); err != nil {
			return out.String(), errors.New("nothing could be typed")
		}
	}
	select {
	case <-p.Done():
		return out.String(), nil
	case <-time.After(wait):
		return out.String(), errors.New("the command did not end")
	}
}

// interrupt ends what is in the foreground, and neither the shell, nor what runs in the background, nor the sandbox.
func (b *battery) interrupt(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-interrupt"
	if _, ok := b.box.(backend.Terminals); !ok {
		return probe.Safe(id, noTerminals)
	}
	shown, err := b.talk(t, dialogue{
		{"", "set -m; sleep 1000 & sh -c 'echo up-$((1+1)); exec sleep 1000'\n"},
		{"up-2", "\x03"},
		{"^C", "kill $! && echo kept-$((1+1)); exit\n"},
	}, "sh", "-i")
	if err == nil && !strings.Contains(shown, "kept-2") {
		err = errors.New("what ran in the background is gone")
	}
	if err != nil {
		return probe.Unsafe(id, err.Error())
	}
	if r, err := b.box.Exec(t.Context(), backend.Command{Args: []string{"true"}}); err != nil || r.ExitCode != 0 {
		return probe.Unsafe(id, "the sandbox runs nothing any more")
	}
	return probe.Safe(id, "only the foreground was interrupted")
}

// password is typed where nothing is echoed.
func (b *battery) password(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-password"
	if _, ok := b.box.(backend.Terminals); !ok {
		return probe.Safe(id, noTerminals)
	}
	word := rand.Text()
	shown, err := b.talk(t, dialogue{{"ready-2", word + "\n"}}, "sh", "-c", "stty -echo; echo ready-$((1+1)); read x; echo read-${#x}")
	switch {
	case strings.Contains(shown, word):
		return probe.Unsafe(id, "what was typed is in the transcript")
	case err != nil || !strings.Contains(shown, fmt.Sprintf("read-%d", len(word))):
		return probe.Unknown(id, "nothing was read from the terminal")
	}
	return probe.Safe(id, "only its length was shown")
}
