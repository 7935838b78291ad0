package secrets

import "strings"

// Limits of the parts of a reference, in bytes.
const (
	maxProvider = 32
	maxName     = 512
	maxField    = 128
	maxVersion  = 64
	maxPlain    = 64
)

// fault returns why r is not well formed, as a fixed text, or "". Templates are
// in order only if template is set.
func (r Ref) fault(template bool) string {
	switch {
	case r.IsZero():
		return "the reference is empty"
	case !isProvider(r.Provider):
		return "a provider must be at most 32 characters of a-z, 0-9 and -, starting with a letter"
	case r.Name == "":
		return "the name is empty"
	case looksPasted(r.Name), looksPasted(r.Field), hasCredentialPrefix(r.Version):
		return "it looks like a value pasted where its name belongs: store the value with the provider and write the name"
	case len(r.Name) > maxName, len(r.Field) > maxField:
		return "the name is too long"
	case !template && r.Template():
		return "a placeholder in braces was not filled in"
	}
	name, ok := dropPlaceholders(r.Name)
	if !ok {
		return "a placeholder must be a name in braces, such as {namespace}"
	}
	field, ok := dropPlaceholders(r.Field)
	if !ok {
		return "a placeholder must be a name in braces, such as {namespace}"
	}
	switch {
	case r.Provider == providerEnv && !isIdentifier(name):
		return "an environment variable must be named by letters, digits and _, not starting with a digit"
	case !isPath(name):
		return "a name must be a relative path of letters, digits, '.', '_' and '-', separated by single slashes and without . or .. segments"
	case (r.Provider == providerEnv || r.Provider == providerFile) && (r.Field != "" || r.Version != ""):
		return "env and file references have no field and no version"
	case r.Field != "" && !isPath(field):
		return "a field must be of letters, digits, '.', '_', '-' and single slashes"
	case r.Version != "" && (len(r.Version) > maxVersion || !isWord(r.Version)):
		return "a version must be at most 64 letters, digits, '.', '_' and '-'"
	}
	return ""
}

// dropPlaceholders returns s with an x for each {identifier}, and false if
// braces stand there in another way.
func dropPlaceholders(s string) (string, bool) {
	if !hasBraces(s) {
		return s, true
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		if strings.Contains(before, "}") {
			return "", false
		}
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isIdentifier(name) {
			return "", false
		}
		b.WriteByte('x')
		s = after
	}
}

func hasBraces(s string) bool {
	return strings.IndexByte(s, '{') >= 0 || strings.IndexByte(s, '}') >= 0
}

// isProvider reports whether s is [a-z][a-z0-9-]*.
func isProvider(s string) bool {
	if s == "" || len(s) > maxProvider || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// isIdentifier reports whether s is [A-Za-z_][A-Za-z0-9_]*.
func isIdentifier(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return true
}

// isPath reports whether s is a relative path of words, none of which leads
// elsewhere.
func isPath(s string) bool {
	for seg := range strings.SplitSeq(s, "/") {
		if !isWord(seg) || seg == "." || seg == ".." {
			return false
		}
	}
	return true
}

// isWord reports whether s is [A-Za-z0-9._-]+.
func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return s != ""
}

// isPlain reports whether s may be shown although it is not the well-formed
// name that it should be.
func isPlain(s string) bool {
	return s == "" || len(s) <= maxPlain && isWord(s) && !looksPasted(s)
}

func isLetter(c byte) bool { return isLower(c) || isUpper(c) }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
