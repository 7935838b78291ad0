package integration_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// types is a workflow that talks to a shell which has the token: it has it shown in two pieces, between which it asks,
// interrupts what runs, and leaves.
func types(ctx workflow.Context) (shown []string, err error) {
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	soon := sandboxclient.Yield{Time: 500 * time.Millisecond}
	term, first, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"sh", "-i"}}, sandboxclient.TerminalOptions{Yield: soon})
	if err != nil {
		return nil, err
	}
	shown = append(shown, string(first.Text))
	// What is typed may be echoed, and is not what is waited for.
	for _, step := range []struct{ input, until string }{
		{`stty -echo; mkfifo hold; half=$(( ${#API_TOKEN} / 2 )); printf "be""gin%.${half}s" "$API_TOKEN"` + "\n", "begin"},
		{`printf '%s#\n' "${API_TOKEN#$(printf "%.${half}s" "$API_TOKEN")}"; echo sec""ond` + "\n", "second"},
		{`echo u""p; cat <hold` + "\n", "up"},
		{"\x03", ""},
		{`echo whole $API_TOKEN e""nd#; : >up` + "\n", "end#"},
	} {
		out, err := term.Write(ctx, step.input, soon)
		text := string(out.Text)
		for tries := 0; err == nil && tries < 5 && !strings.Contains(text, step.until); tries++ { // on a busy machine
			out, err = term.Read(ctx, soon)
			text += string(out.Text)
		}
		if err != nil {
			return shown, err
		}
		shown = append(shown, text)
	}
	if _, err := term.Write(ctx, "exit 7\n", sandboxclient.Yield{Time: 20 * time.Second}); err != nil {
		return shown, err
	}
	if _, err = term.Read(ctx, soon); sandboxclient.CodeOf(err) != "pty_session_not_found" {
		return shown, errors.Join(err, errors.New("the shell is still there"))
	}
	// Another one, which Close ends.
	_, _, err = box.OpenTerminal(ctx, shell(linger, "pids"), sandboxclient.TerminalOptions{Yield: soon})
	return shown, err
}

// TestTerminalKeepsItsSecret talks to a shell that has a token and shows it, also in two pieces that two answers would
// have. The token is in no place that is kept, Ctrl-C ends what is in the foreground alone, and nothing is left.
func TestTerminalKeepsItsSecret(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	h := hosts(t, r.client, r.queue, t.TempDir(), r.log, func(w worker.Registry) { named(w, "Types", types) })
	run := r.start(ctx, t, r.plain, "Types")
	appears(ctx, t, run, filepath.Join(h.sandboxes, "*", "workspace", "up"))
	blobs := files(t, h.sessions, "record")
	pids := lingers(ctx, t, run, filepath.Join(h.sandboxes, "*", "workspace", "pids"))
	var shown []string
	if err := run.Get(ctx, &shown); err != nil {
		t.Fatal(err)
	}
	h.wantNothingLeft(ctx, t, pids...)
	for _, want := range []string{"begin", "[redacted:deploy]#", "up", "whole [redacted:deploy] end#"} {
		if !strings.Contains(strings.Join(shown, ""), want) {
			t.Errorf("%q was not shown: %q", want, shown)
		}
	}
	visible, err := harness.VisibleFamily(ctx, r.plain, server.Namespace(), r.family(ctx, t))
	if err != nil {
		t.Fatal(err)
	}
	blobs = append(append(blobs, visible...), harness.Blob{Where: "log", Data: r.log.Bytes()}, harness.Blob{Where: "audit", Data: r.sink.json(t)})
	for _, hit := range harness.Search(r.secret, blobs) {
		t.Errorf("the token stands in: %s", hit)
	}
	for _, half := range []string{r.secret[:len(r.secret)/2], r.secret[len(r.secret)/2:]} {
		if strings.Contains(strings.Join(shown, "\n"), half) {
			t.Errorf("half of the token was shown: %q", shown)
		}
	}
}
