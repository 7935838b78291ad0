package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// sigkill is the exit code of a command that was killed.
const sigkill = -9

// Program is what a command of a [Fake] does. It returns the exit code. It must end soon after ctx does, which is when
// the command is killed; its exit code does not count then.
type Program func(ctx context.Context, cmd backend.Command) int

// Handle makes a program for the commands with that name, in all processes of the host, or replaces one. Besides,
// there are: cat, count FILE (adds one to the number in a file), echo, exit N, false, mkdir, printenv, rm, sh -c, test
// -f, true and wait, which runs until it is killed.
func (f *Fake) Handle(name string, p Program) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if f.world.programs == nil {
		f.world.programs = map[string]Program{}
	}
	f.world.programs[name] = p
}

// Exec runs a command.
func (b *fakeBox) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	var none backend.Result
	if err := ctx.Err(); err != nil {
		return none, err
	}
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	if cmd.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cmd.Timeout, backend.TimedOut())
		defer cancel()
	}
	p := &process{kill: kill, ended: make(chan struct{})}
	defer close(p.ended)
	if err := b.begin(p, "exec", cmd); err != nil {
		return none, err
	}
	defer b.finish(p)
	code, known := b.run(ctx, cmd)
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, errKilled) {
			return none, cause
		}
		return backend.Result{ExitCode: sigkill}, nil
	}
	if !known {
		return none, &backend.Error{Code: backend.ExecTransport, Message: "there is no such program in the sandbox"}
	}
	return backend.Result{ExitCode: code}, nil
}

func (b *fakeBox) begin(p *process, how string, cmd backend.Command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.with(func(c *contents) error {
		if !b.started {
			return &backend.Error{Code: backend.ExecTransport, Message: "the sandbox is not started, the command was not: start it"}
		}
		b.world.did(how, b.id, strings.Join(cmd.Args, " "))
		b.commands[p] = struct{}{}
		c.runs++
		return nil
	})
}

func (b *fakeBox) finish(p *process) {
	b.mu.Lock()
	delete(b.commands, p)
	b.mu.Unlock()
	_ = b.with(func(c *contents) error {
		c.runs--
		return nil
	})
}

// run runs one program, or a script. It is not known if there is no such program.
func (b *fakeBox) run(ctx context.Context, cmd backend.Command) (code int, known bool) {
	if cmd.Stdout == nil {
		cmd.Stdout = io.Discard
	}
	if cmd.Stderr == nil {
		cmd.Stderr = io.Discard
	}
	name, args := cmd.Args[0], cmd.Args[1:]
	b.world.mu.Lock()
	own := b.world.programs[name]
	b.world.mu.Unlock()
	if own != nil {
		return own(ctx, cmd), true
	}
	switch name {
	case "sh", "bash":
		return b.script(ctx, cmd, args), true
	case "true", "mkdir":
		return 0, true
	case "false":
		return 1, true
	case "exit":
		n, _ := strconv.Atoi(strings.Join(args, ""))
		return n, true
	case "echo":
		_, err := fmt.Fprintln(cmd.Stdout, strings.Join(args, " "))
		return status(err), true
	case "printenv":
		return printenv(cmd, args), true
	case "wait":
		<-ctx.Done()
		return sigkill, true
	case "cat":
		return b.cat(ctx, cmd, args), true
	case "count":
		return b.count(args), true
	case "rm", "test":
		return b.files(name, args), true
	}
	return 127, false
}

func status(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// script runs the commands of a script one after the other, up to the first that fails if && stands after it.
func (b *fakeBox) script(ctx context.Context, cmd backend.Command, args []string) (code int) {
	if len(args) != 2 || args[0] != "-c" && args[0] != "-lc" {
		return 2
	}
	var line []string
	run := func() {
		if len(line) == 0 || ctx.Err() != nil {
			return
		}
		cmd.Args = line
		code, _ = b.run(ctx, cmd)
		line = nil
	}
	for _, word := range words(args[1]) {
		switch word {
		case ";":
			run()
		case "&&":
			if run(); code != 0 {
				return code
			}
		default:
			line = append(line, word)
		}
	}
	run()
	return code
}

// words splits a script at spaces that are not quoted.
func words(script string) (out []string) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range script + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\n'):
			if begun || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
		}
	}
	return out
}

func printenv(cmd backend.Command, names []string) int {
	found := len(names) == 0
	for _, variable := range cmd.Env {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case len(names) == 0:
			value = variable
		case name != names[0]:
			continue
		}
		found = true
		if _, err := fmt.Fprintln(cmd.Stdout, value); err != nil {
			return 1
		}
	}
	if !found {
		return 1
	}
	return 0
}

func (b *fakeBox) cat(ctx context.Context, cmd backend.Command, args []string) int {
	if len(args) == 0 {
		if cmd.Stdin == nil {
			return 0
		}
		_, err := io.Copy(cmd.Stdout, cmd.Stdin)
		return status(err)
	}
	for _, name := range args {
		data, err := b.Read(ctx, path.Join(cmd.Dir, name))
		if err == nil {
			_, err = cmd.Stdout.Write(data)
		}
		if err != nil {
			_, _ = fmt.Fprintln(cmd.Stderr, "cat: cannot read")
			return 1
		}
	}
	return 0
}

// count adds one to the number in a file, at once for all.
func (b *fakeBox) count(args []string) int {
	return status(b.at(strings.Join(args, ""), func(c *contents, at string) error {
		n, _ := strconv.Atoi(string(c.tree[at].data))
		c.tree.put(at, fileOf([]byte(strconv.Itoa(n+1))))
		return nil
	}))
}

func (b *fakeBox) files(name string, args []string) int {
	return status(b.at(args[len(args)-1], func(c *contents, at string) error {
		if _, ok := c.tree[at]; !ok && name == "test" {
			return errors.New("no such file")
		}
		if name == "rm" {
			c.tree.remove(at)
		}
		return nil
	}))
}
