package sandboxhost_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// told is what callers get of an error: its chain of types, and its message.
type told struct {
	Types   []string
	Message string
}

func toldOf(err error) (out told) {
	for app := (*temporal.ApplicationError)(nil); errors.As(err, &app); err = app.Unwrap() {
		if out.Types == nil {
			out.Message = app.Message()
		}
		out.Types = append(out.Types, app.Type())
	}
	return out
}

// TestWireErrors ends with the code of the format and has the class in the last cause. What callers read has the format's
// words; other messages say what to do, and none names a path of the host.
func TestWireErrors(t *testing.T) {
	const notBegun = operation.NotBegun
	for _, c := range []struct {
		op       operation.Name
		sentence string
		args     string
		want     told
	}{
		{operation.Read, "a missing file is named as it was asked for", `"path":"d/../gone"`, told{[]string{"workspace_read_not_found", "WorkspaceReadNotFoundError"}, "file not found: d/../gone"}},
		{operation.Read, "a path that leads out, in words of this module", `"path":"../x"`, told{[]string{"invalid_manifest_path", "InvalidManifestPathError"}, "the path must stay within the workspace"}},
		{operation.Exec, "a timeout", `"command":["wait"],"timeout":1e-6`, told{[]string{"exec_timeout", "ExecTimeoutError"}, "command timed out"}},
		{operation.Exec, "what did not begin says so before the class", `"command":["nowhere"],"shell":false`, told{[]string{"exec_transport_error", notBegun, "ExecTransportError"}, "there is no such program in the sandbox"}},
		{operation.PTYSend, "an unknown process", `"session_id":1000,"chars":""`, told{[]string{"pty_session_not_found", notBegun, "PtySessionNotFoundError"}, "PTY session not found: 1000"}},
	} {
		t.Run(string(c.op)+"/"+c.sentence, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			_, err := call[any](r, owner, c.op, json.RawMessage(`{"state":`+asJSON(t, r.create(sandbox.Manifest{}))+`,`+c.args+`}`))
			if diff := cmp.Diff(c.want, toldOf(err)); diff != "" || !final(err) || strings.Contains(err.Error(), r.dir) {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
