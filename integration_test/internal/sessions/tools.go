package sessions

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// ToolsType is the name of the second workflow.
const ToolsType = "Tools"

// soon is the shortest time that a terminal is given to answer.
var soon = sandboxclient.Yield{Time: 250 * time.Millisecond}

// tools does what the session of the first workflow does not: it gives up a
// sandbox while that is made, and in another one it works on directories, feeds
// commands, waits for the first of several, and talks to some at terminals. It
// returns what it was answered, in order.
func tools(ctx workflow.Context, secret bool) (answers []string, err error) {
	if err := givesUp(ctx, secret); err != nil {
		return nil, err
	}
	box, err := boxes().Create(ctx, config(secret))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	for _, use := range []func(workflow.Context, *sandboxclient.Sandbox) ([]string, error){directories, commands, keyboard, pipes} {
		answered, err := use(ctx, box)
		if answers = append(answers, answered...); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// toolAnswers are those that tools returns, if that stands for the token.
func toolAnswers(token string) []string {
	return []string{
		"/workspace/sub/deep/data.txt file -rw-r--r-- user 7",
		`["cat"] in "/workspace"` + "\n", `["echo" "here"] in "/workspace/sub"` + "\n", "first\n", "let go\n",
		"typed\r\ntyped\r\n^C, exited with -2", "pty_session_not_found",
		token, "8 tokens", "let go\n, exited with 0",
	}
}

// givesUp has a sandbox made and does not wait for it.
func givesUp(ctx workflow.Context, secret bool) error {
	inner, cancel := workflow.WithCancel(ctx)
	defer cancel()
	created, settable := workflow.NewFuture(ctx)
	workflow.Go(inner, func(ctx workflow.Context) { settable.Set(boxes().Create(ctx, config(secret))) })
	if err := workflow.Sleep(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	cancel()
	if err := created.Get(ctx, nil); !temporal.IsCanceledError(err) {
		return errors.Join(errors.New("sessions: a sandbox was made that was given up"), err)
	}
	return nil
}

func directories(ctx workflow.Context, box *sandboxclient.Sandbox) (answers []string, err error) {
	err = errors.Join(box.Mkdir(ctx, "sub/deep"), box.Write(ctx, "sub/deep/data.txt", []byte("written")))
	entries, failed := box.List(ctx, "sub/deep")
	for _, e := range entries {
		answers = append(answers, fmt.Sprint(e.Path, " ", e.Kind, " ", e.Permissions, " ", e.Owner, " ", e.Size))
	}
	return answers, errors.Join(err, failed, box.Remove(ctx, "sub/deep/data.txt"), box.RemoveAll(ctx, "sub/deep"))
}

func commands(ctx workflow.Context, box *sandboxclient.Sandbox) (answers []string, err error) {
	for _, cmd := range []sandboxclient.Command{
		{Args: []string{"cat"}, Stdin: []byte("fed")},
		{Args: []string{"echo", "here"}, Dir: "sub"},
	} {
		result, failed := box.Exec(ctx, cmd)
		answers, err = append(answers, string(result.Stdout)), errors.Join(err, failed)
	}
	// Which of the two ends first is no accident: the other one waits for let-go.
	selector := workflow.NewSelector(ctx)
	for _, args := range [][]string{{"hold"}, {"echo", "first"}} {
		selector.AddFuture(box.ExecAsync(ctx, sandboxclient.Command{Args: args}).Future(), func(f workflow.Future) {
			var result sandboxclient.Result
			err = errors.Join(err, f.Get(ctx, &result))
			answers = append(answers, string(result.Stdout))
		})
	}
	selector.Select(ctx)
	_, failed := box.Exec(ctx, sandboxclient.Command{Args: []string{"let-go"}})
	selector.Select(ctx)
	return answers, errors.Join(err, failed)
}

// keyboard types into a terminal, up to Ctrl-C and once more. In which answer
// something is shown depends on the length of the secret.
func keyboard(ctx workflow.Context, box *sandboxclient.Sandbox) (answers []string, err error) {
	term, out, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"cat"}}, sandboxclient.TerminalOptions{Yield: soon})
	if err != nil {
		return nil, err
	}
	text := shown(out)
	for _, input := range []string{"typed\n", "", "\x03"} {
		if input == "" {
			out, err = term.Read(ctx, soon)
		} else {
			out, err = term.Write(ctx, input, soon)
		}
		if text += shown(out); err != nil {
			return nil, err
		}
	}
	answers = append(answers, text)
	_, err = term.Write(ctx, "nobody is there\n", soon)
	code := sandboxclient.CodeOf(err)
	if code == "" {
		return answers, errors.Join(errors.New("sessions: a command that was interrupted can be talked to"), err)
	}
	return append(answers, string(code)), nil
}

// pipes reads from commands that have no terminal: one that may have the secret,
// one that puts out more than is wanted, and one that is waited for.
func pipes(ctx workflow.Context, box *sandboxclient.Sandbox) (answers []string, err error) {
	open := func(y sandboxclient.Yield, args ...string) (*sandboxclient.Terminal, sandboxclient.TerminalOutput, error) {
		return box.OpenTerminal(ctx, sandboxclient.Command{Args: args}, sandboxclient.TerminalOptions{Pipes: true, Yield: y})
	}
	_, token, err := open(soon, "printenv", "API_TOKEN")
	_, long, failed := open(sandboxclient.Yield{MaxTokens: 2}, "echo", "the beginning of a long line")
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	answers = append(answers, string(token.Text), fmt.Sprint(long.Tokens, " tokens"))
	held, _, err := open(soon, "hold")
	if err != nil {
		return answers, err
	}
	_, err = box.Exec(ctx, sandboxclient.Command{Args: []string{"let-go"}})
	out, failed := held.Wait(ctx)
	return append(answers, shown(out)), errors.Join(err, failed)
}

func shown(o sandboxclient.TerminalOutput) string {
	if o.Exited {
		return fmt.Sprintf("%s, exited with %d", o.Text, o.ExitCode)
	}
	return string(o.Text)
}
