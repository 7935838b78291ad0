package sandboxhost

import (
	"path"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// plainCharacters need no quotes in a shell of POSIX.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_"

// inWorkdir makes the directory relative in a script of the form "cd DIR && ...", in which callers of the format say
// where a command is to run. They know the workspace by the root of the manifest, which a sandbox without isolation does
// not have, and each command starts at the root. Whether there is such a directory remains a matter of the shell,
// whose answer is a result and no failure. Scripts of any other form stay as they are.
func inWorkdir(script string) string {
	text, ok := strings.CutPrefix(script, "cd ")
	if !ok {
		return script
	}
	dir, text, ok := cutWord(text)
	rest, then := strings.CutPrefix(text, " && ")
	if !ok || !then || strings.TrimSpace(rest) == "" || !path.IsAbs(dir) {
		return script
	}
	switch dir = path.Clean(dir); {
	case dir == sandbox.DefaultRoot:
		dir = "."
	case strings.HasPrefix(dir, sandbox.DefaultRoot+"/"):
		dir = quote("." + strings.TrimPrefix(dir, sandbox.DefaultRoot)) // never looked up in CDPATH
	default:
		return script
	}
	return "cd " + dir + " && " + rest
}

// cutWord cuts off a word of a shell that consists of plain characters and of quoted parts in which nothing is special, as
// quote makes it.
func cutWord(text string) (word, rest string, ok bool) {
	for text != "" && text[0] != ' ' {
		mark := text[0]
		switch {
		case strings.IndexByte(plainCharacters, mark) >= 0:
			word, text = word+text[:1], text[1:]
		case mark == '\'' || mark == '"':
			part, after, closed := strings.Cut(text[1:], string(mark))
			if !closed || mark == '"' && strings.ContainsAny(part, "$`\\!") {
				return "", "", false
			}
			word, text = word+part, after
		default:
			return "", "", false
		}
	}
	return word, text, true
}
