package sandbox

import (
	"path"
	"strings"
)

// normPath normalises a path as Python's posixpath.normpath does: like
// path.Clean, except that exactly two leading slashes stay.
func normPath(s string) string {
	clean := path.Clean(s)
	if strings.HasPrefix(s, "//") && !strings.HasPrefix(s, "///") {
		return "/" + clean
	}
	return clean
}

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// escapes reports whether a path has a ".." segment, with either separator.
func escapes(s string) bool {
	for seg := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
		if seg == ".." {
			return true
		}
	}
	return false
}

// isDrivePath reports whether s begins with a Windows drive.
func isDrivePath(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

// isAbsolute reports whether a path is absolute on a POSIX or a Windows host,
// or names a drive, whose current directory is outside the workspace too.
func isAbsolute(s string) bool {
	return s != "" && isSeparator(s[0]) || isDrivePath(s)
}
