package backend

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

// TimedOut returns the error for a command whose timeout is over, with the message that the format has for it.
func TimedOut() *Error { return &Error{Code: ExecTimeout, Message: "command timed out"} }

// FileNotFound returns the error for a file that is not there, with the message that the format has for it: the path
// as it was asked for, in which segments that could be something else than a name are replaced by their indices.
func FileNotFound(path string) *Error {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s != "" {
			segments[i] = validation.SafeSegment(s, i)
		}
	}
	return &Error{Code: ReadNotFound, Message: "file not found: " + strings.Join(segments, "/")}
}
