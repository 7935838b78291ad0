package sandboxclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Command is a command for a sandbox. All of it is recorded in the workflow's history as it is, so none of it may be a
// secret: secrets are variables of the manifest's environment.
type Command struct {
	// Args are the program and its arguments. There is at least one.
	Args []string
	// Dir is the directory that it starts in, relative to the workspace root, or absolute within it or within a
	// path grant. Empty means the directory of the run config, or the root. If there is no such directory the
	// command does not run: the code is exec_transport_error, or the shell of the sandbox ends with a code of its own.
	Dir string
	// Env are variables for this command in addition to those of the manifest. Only literals can be here.
	Env map[string]sandbox.EnvValue
	// Stdin is what it reads, of at most about 1.5 MiB, see [Sandbox.Write]. It is put into a file of the workspace
	// with a name that begins with .stdin-, which is removed before the command begins, and also if it is known
	// that the command will not. Until then [Sandbox.List] and other commands see the file. Nil means nothing.
	Stdin []byte
	// ForceStdin sends an input that has redaction markers in it. Without it such an input is refused with a
	// [*MarkerError].
	ForceStdin bool
	// Timeout ends it. 0 means [Options.ExecTimeout], and at most 1000000h is allowed.
	Timeout time.Duration
	// Shell is the program, with its options, that runs it as a script, such as sh -c: the one element of Args, or
	// the line that all of them make with each quoted. Nil means that Args are run as they are.
	Shell []string
	// User is the account that it runs as. Empty means the default one.
	User string
}

// execArgs are the arguments that cmd is sent with, without the timeout and the state, if its input is in the file of
// that name. An empty name means that it has none.
func (b *Sandbox) execArgs(cmd Command, input string) (operation.ExecArgs, error) {
	var none operation.ExecArgs
	env, err := cmd.variables()
	if err != nil {
		return none, err
	}
	if err := cmd.check(); err != nil {
		return none, err
	}
	args := operation.ExecArgs{Command: slices.Clone(cmd.Args), Shell: operation.Shell{Off: true}, User: operation.User(cmd.User)}
	dir := cmd.Dir
	if dir == "" {
		dir = b.state.Cwd
	}
	if dir == "" && len(env) == 0 && input == "" {
		if len(cmd.Shell) > 0 {
			args.Shell = operation.Shell{Prefix: slices.Clone(cmd.Shell)}
		}
		return args, nil
	}
	if dir, err = b.path(dir); err != nil {
		return none, err
	}
	if input != "" {
		if input, err = b.path(input); err != nil {
			return none, err
		}
	}
	args.Command = operation.Prepared(input, dir, env, cmd.words())
	return args, nil
}

// words are the program and the arguments that cmd comes down to.
func (c Command) words() []string {
	switch {
	case len(c.Shell) == 0:
		return c.Args
	case len(c.Args) == 1:
		return slices.Concat(c.Shell, c.Args)
	}
	quoted := make([]string, len(c.Args))
	for i, arg := range c.Args {
		quoted[i] = quote(arg)
	}
	return slices.Concat(c.Shell, []string{strings.Join(quoted, " ")})
}

func (c Command) check() error {
	switch {
	case len(c.Args) == 0:
		return errors.New("sandboxclient: exec: the command is empty: name a program in Args")
	case !inRange(c.Timeout):
		return fmt.Errorf("sandboxclient: exec: the timeout is out of range: set it to 0, for the default, or to at most %.0fh", maxTimeout.Hours())
	case slices.ContainsFunc(slices.Concat(c.Args, c.Shell, []string{c.Dir, c.User}), hasNUL):
		return errors.New("sandboxclient: exec: the command holds a NUL, which no system can pass on: send such data as Stdin")
	case !c.ForceStdin:
		return unmarked(c.Stdin, nil)
	}
	return nil
}

// variables are the variables of cmd, as NAME=value, in the order of their names.
func (c Command) variables() ([]string, error) {
	var env []string
	for _, name := range workflow.DeterministicKeys(c.Env) {
		v := c.Env[name]
		switch {
		case !isVariable(name):
			return nil, errors.New("sandboxclient: exec: the name of a variable is not made of letters, digits and _ alone, or begins with a digit")
		case v.IsSecret():
			return nil, fmt.Errorf("sandboxclient: exec: the variable %s is a secret, and a command's variables are recorded and shown to other processes\n  fix: put it into the environment of the manifest", name)
		case hasNUL(v.Literal):
			return nil, fmt.Errorf("sandboxclient: exec: the variable %s holds a NUL, which no system can pass on", name)
		}
		env = append(env, name+"="+v.Literal)
	}
	return env, nil
}

func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

// quote is s as one word of a POSIX shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
