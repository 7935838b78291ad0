package validation

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// The formats of the policy file's strings. Patterns are kept to what RE2 and
// ECMA 262 read alike, since they also stand in the JSON Schema. A check decides
// what a pattern cannot say.
var (
	formatName = newFormat("a name of 1 to 64 characters A-Z a-z 0-9 _ . -",
		`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`, nil)
	formatVariable = newFormat("the name of an environment variable",
		`^[A-Za-z_][A-Za-z0-9_]*$`, isLine)
	formatSize = newFormat(`a size such as "512MiB" or "2GiB"`,
		`^[1-9][0-9]{0,18}(B|KiB|MiB|GiB|TiB)$`, isSize)
	formatDuration = newFormat(`a duration such as "90s", "15m" or "1h30m"`,
		`^([0-9]{1,9}[hms])+$`, isDuration)
	formatSandboxPath = newFormat("an absolute path other than / without . or .. segments",
		`^/`, isCleanAbsolute)
	formatHostDir = newFormat("an absolute directory of the worker's host without . or .. segments",
		`^(/|[A-Za-z]:[/\\])`, isHostDir)
	formatQueueKey = newFormat(`a task queue, or a prefix followed by one * at its end; every other queue belongs in "default"`,
		`^[^*]+\*?$`, isQueueKey)
	formatTypeName = newFormat("the name of a registered type, up to 1000 characters",
		`^[^\x00-\x1f]+$`, isLine)
	formatPointer = newFormat(`a JSON pointer such as "/config", with ~0 for ~ and ~1 for /; the whole is ""`,
		`^(/([^/~]|~[01])*)*$`, isPointer)
	formatInputPointer = newFormat(`a JSON pointer into the arguments that begins with the argument's index, such as "/0/token"`,
		`^/(0|[1-9][0-9]?)(/([^/~]|~[01])*)*$`, isPointer)
	formatLiteralPath = newFormat(`a type, an argument's index and a JSON pointer, such as "StartJob/0/config/key"`,
		`^([^/~]|~[01])+/(0|[1-9][0-9]?|[*])(/([^/~]|~[01])*)*$`, func(s string) bool { return isPointer("/" + s) })
	formatRef = newFormat(`a reference such as "env:NAME", "file:dir/name" or "vault:kv/app#field"`,
		`^[a-z][a-z0-9-]*:.+$`, isRef)
	formatWorkflowID = newFormat(`a regular expression anchored at both ends, such as "^(?P<tenant>[a-z0-9-]+)-job-.*$"`,
		`^\^.*\$$`, isWorkflowIDPattern)
	formatProse = newFormat("a text of 1 to 1000 characters", "", isProse)
	formatAny   = newFormat("a text", "", isProse)
)

// newFormat returns a format that needs both its pattern and its check, if it has
// them.
func newFormat(text, pattern string, check func(string) bool) *format {
	f := &format{text: text, pattern: pattern, check: check}
	if pattern != "" {
		f.re = regexp.MustCompile(pattern)
	}
	return f
}

// accepts reports whether s has the format.
func (f *format) accepts(s string) bool {
	return (f.re == nil || f.re.MatchString(s)) && (f.check == nil || f.check(s))
}

// advice says what is wrong with a text that newcomers write, "" for every other.
func (f *format) advice(s string) string {
	if f == formatRef && (strings.HasPrefix(s, "file:/") || strings.HasPrefix(s, `file:\`)) {
		return `; the path of a file begins below the directory of the worker's file provider, so it has no / at its beginning`
	}
	if f == formatName && isRef(s) {
		return "; this is a reference, which stands in secrets under a name: write that name"
	}
	return ""
}

func isRef(s string) bool {
	_, err := secrets.ParseRef(s)
	return err == nil
}

func isWorkflowIDPattern(s string) bool {
	_, err := regexp.Compile(s)
	return err == nil && len(s) <= 500 && isAnchored(s)
}

func isDuration(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

func isSize(s string) bool {
	_, err := sandbox.ParseSize(s)
	return err == nil
}

func isCleanAbsolute(s string) bool {
	if !isLine(s) || !strings.HasPrefix(s, "/") {
		return false
	}
	return cleanSegments(strings.Split(s[1:], "/"))
}

func isHostDir(s string) bool {
	if !isLine(s) {
		return false
	}
	slashed := strings.ReplaceAll(s, `\`, "/")
	if len(slashed) > 3 && slashed[1] == ':' {
		return cleanSegments(strings.Split(slashed[3:], "/"))
	}
	return isCleanAbsolute(s)
}

// cleanSegments refuses empty, "." and ".." segments, and so also the root.
func cleanSegments(segments []string) bool {
	for _, seg := range segments {
		if seg == "" || seg == "." || seg == ".." {
			return false
		}
	}
	return true
}

func isQueueKey(s string) bool {
	prefix := strings.TrimSuffix(s, "*")
	return prefix != "" && !strings.Contains(prefix, "*") && isLine(prefix)
}

func isPointer(s string) bool {
	_, err := ParsePointer(s)
	return err == nil
}

// isLine accepts one line of printable text.
func isLine(s string) bool {
	if s == "" || len(s) > 1000 || !utf8.ValidString(s) || strings.TrimSpace(s) != s {
		return false
	}
	return !strings.ContainsFunc(s, unicode.IsControl)
}

// isProse accepts text that says something, over several lines if need be.
func isProse(s string) bool {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 1000 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
}
