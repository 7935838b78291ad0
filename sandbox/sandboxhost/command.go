package sandboxhost

import (
	"math"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// command is what the backend is to run, without its environment and its outputs.
func (h *Host) command(a operation.ExecArgs) (backend.Command, error) {
	if len(a.Command) == 0 {
		return backend.Command{}, invalid("command must not be empty")
	}
	cmd := backend.Command{Args: a.Command, User: string(a.User)}
	if a.Shell.Off {
		cmd.Args, cmd.Dir = operation.Unprepared(a.Command)
	} else {
		prefix := a.Shell.Prefix
		if len(prefix) == 0 {
			prefix = shellOf(h.kind)
		}
		cmd.Args = append(append([]string(nil), prefix...), asOne(a.Command))
	}
	for _, arg := range append(cmd.Args, cmd.User) {
		if strings.Contains(arg, "\x00") {
			return backend.Command{}, invalid("command, shell and user must not hold NUL")
		}
	}
	if cmd.Args[0] == "" {
		return backend.Command{}, invalid("the program of the command must have a name")
	}
	if a.Timeout != nil {
		if *a.Timeout <= 0 {
			return backend.Command{}, backend.TimedOut()
		}
		cmd.Timeout = time.Duration(math.MaxInt64)
		if ns := *a.Timeout * float64(time.Second); ns < math.MaxInt64 {
			cmd.Timeout = max(1, time.Duration(ns))
		}
	}
	return cmd, nil
}

// shellOf is the default shell of a kind of sandboxes.
func shellOf(kind string) []string {
	if kind == sandbox.ClientUnixLocal {
		return []string{"sh", "-c"}
	}
	return []string{"sh", "-lc"}
}

// asOne makes one string for a shell of a command. A single element is a script already.
func asOne(args []string) string {
	if len(args) == 1 {
		return inWorkdir(args[0])
	}
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// quote makes a word that a POSIX shell reads as s.
func quote(s string) string {
	if s != "" && strings.Trim(s, plainCharacters) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
