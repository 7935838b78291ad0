package interceptor

import (
	"path"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errIdentifier is what a caller of the connection gets for a request that was not
// sent. The SDK does not retry its code.
var errIdentifier = status.Error(codes.FailedPrecondition, ErrorTypePolicyViolation+": request refused, nothing was sent (not retryable)\n"+
	"  (whole call)  literal-credential  must not hold a secret that this worker resolves in an identifier or a key: names are not hidden\n"+
	"  fix: make the name from something else\n  docs/errors.md#literal-credential")

// mustGo reports the calls that the connection never refuses, by the full name of
// the method: those of workers, since a refused completion would run an activity
// again and a refused workflow task would stop the workflow; those that end or
// remove something, which never wait for anything; and those that only read.
// Whatever else there is, or a newer server has, begins or changes something by a
// caller's choice.
func mustGo(method string) bool {
	name := path.Base(method)
	for _, prefix := range []string{
		"Poll", "Respond", "Record", "Shutdown", "ResetSticky", "FetchWorkerConfig",
		"RequestCancel", "Terminate", "Delete", "Stop", "Deprecate",
		"Get", "Describe", "List", "Count", "Scan", "Validate", "Check", "Watch",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
