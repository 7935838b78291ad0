package operation

import (
	"slices"
	"strings"
)

// The parts of the script of [Prepared].
const (
	// feed has the input read from a file. An open file stays readable after its removal, which then happens
	// whatever becomes of the command.
	feed = `exec <"$1" && { rm -f -- "$1"; shift; } && `
	// enter changes the directory.
	enter = `cd -- "$1" && shift && `
	// call sets the variables up to the two hyphens and becomes the command.
	call = `while [ "$1" != -- ]; do export "$1" && shift || exit; done && shift && exec "$@"`
)

// Prepared returns the command that runs words in a directory, with variables as NAME=value and, if input is not
// empty, with the file of that name for its input, which is removed first. The operation has no fields for these, so
// a script does it in any sandbox. They are arguments of the script and no part of it, so that nothing needs quoting.
func Prepared(input, dir string, env, words []string) []string {
	script, before := enter+call, []string{dir}
	if input != "" {
		script, before = feed+script, []string{input, dir}
	}
	return slices.Concat([]string{"sh", "-c", script, "sh"}, before, env, []string{"--"}, words)
}

// Unprepared returns what is left of a command of [Prepared] when it is started in its directory. A backend without
// the root of the manifest needs that: it can stand in for absolute paths only if it knows what they are relative to.
// Any other command is returned as it is, without a directory.
func Unprepared(command []string) (left []string, dir string) {
	at := 4 // where the directory is
	if len(command) < at || command[0] != "sh" || command[1] != "-c" || command[3] != "sh" {
		return command, ""
	}
	script := command[2]
	if strings.HasPrefix(script, feed) {
		at++
	}
	script, ok := strings.CutSuffix(script, enter+call)
	if !ok || script != "" && script != feed || len(command) <= at {
		return command, ""
	}
	left = slices.Delete(slices.Clone(command), at, at+1)
	left[2] = script + call
	return left, command[at]
}
