package validation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// The formats of the policy file's strings. Patterns are kept to what RE2 and
// ECMA 262 read alike, since they also stand in the JSON Schema.
var (
	formatName = patternFormat("a name of 1 to 64 characters A-Z a-z 0-9 _ . -",
		`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
	formatVariable = patternFormat("the name of an environment variable",
		`^[A-Za-z_][A-Za-z0-9_]{0,254}$`)
	formatSize = patternFormat(`a size such as "512MiB" or "2GiB"`,
		`^[1-9][0-9]{0,8}(B|KiB|MiB|GiB|TiB)$`)
	formatDuration = patternFormat(`a duration such as "90s", "15m" or "1h30m"`,
		`^([0-9]{1,9}[hms])+$`)
	formatSandboxPath = &format{
		text:    "an absolute path other than / without . or .. segments",
		pattern: `^/`,
		check:   isCleanAbsolute,
	}
	formatHostDir = &format{
		text:    "an absolute directory of the worker's host without . or .. segments",
		pattern: `^(/|[A-Za-z]:[/\\])`,
		check:   isHostDir,
	}
	formatQueueKey = &format{
		text:    `a task queue, or a prefix followed by one * at its end; every other queue belongs in "default"`,
		pattern: `^[^*]+\*?$`,
		check:   isQueueKey,
	}
	formatTypeName = &format{
		text:    "the name of a registered type, up to 1000 characters",
		pattern: `^[^\x00-\x1f]{1,1000}$`,
		check:   isLine,
	}
	formatPointer = &format{
		text:    `a JSON pointer such as "/config", with ~0 for ~ and ~1 for /; the whole is ""`,
		pattern: `^(/([^/~]|~[01])*)*$`,
		check:   isPointer,
	}
	formatInputPointer = &format{
		text:    `a JSON pointer into the arguments that begins with the argument's index, such as "/0/token"`,
		pattern: `^/(0|[1-9][0-9]?)(/([^/~]|~[01])*)*$`,
		check:   isPointer,
	}
	formatLiteralPath = &format{
		text:    `a type, an argument's index and a JSON pointer, such as "StartJob/0/config/key"`,
		pattern: `^([^/~]|~[01])+/(0|[1-9][0-9]?|[*])(/([^/~]|~[01])*)*$`,
		check:   func(s string) bool { return isPointer("/" + s) },
	}
	formatRef = &format{
		text:    `a reference such as "env:NAME", "file:dir/name" or "vault:kv/app#field"`,
		pattern: `^[a-z][a-z0-9-]*:.+$`,
		check: func(s string) bool {
			_, err := secrets.ParseRef(s)
			return err == nil
		},
	}
	formatProse = &format{
		text:  "a text of 1 to 1000 characters",
		check: isProse,
	}
	formatWorkflowID = &format{
		text:    `a regular expression anchored at both ends, such as "^(?P<tenant>[a-z0-9-]+)-job-.*$"`,
		pattern: `^\^.*\$$`,
		check: func(s string) bool {
			_, err := regexp.Compile(s)
			return err == nil && len(s) <= 500 && isAnchored(s)
		},
	}
	formatAny = &format{text: "a text", check: isProse}
)

// patternFormat returns a format that a pattern alone decides.
func patternFormat(text, pattern string) *format {
	re := regexp.MustCompile(pattern)
	return &format{text: text, pattern: pattern, check: func(s string) bool {
		return s != "" && re.MatchString(s)
	}}
}

// accepts reports whether s has the format.
func (f *format) accepts(s string) bool {
	if f == nil {
		return true
	}
	if f.pattern != "" && !matchesPattern(f.pattern, s) {
		return false
	}
	return f.check == nil || f.check(s)
}

// matchesPattern is only reached while a file is loaded, so compiling each time
// costs nothing that matters.
func matchesPattern(pattern, s string) bool {
	return regexp.MustCompile(pattern).MatchString(s)
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
