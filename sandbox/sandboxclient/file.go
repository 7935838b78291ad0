package sandboxclient

import (
	"bytes"
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// WriteOption changes how a file is written.
type WriteOption int

// Force writes, or unpacks, contents with redaction markers in them. The zero WriteOption is not valid.
const Force WriteOption = 1

// MarkerError is why contents were not written: something was redacted in them. What was read from a sandbox has
// markers in the place of secrets, and writing it back would put the markers into the file.
type MarkerError struct {
	// Offset is where the first marker is, in bytes.
	Offset int
}

// Error says what to do.
func (e *MarkerError) Error() string {
	return fmt.Sprintf("sandboxclient: not written: a redaction marker is at byte %d, and it would take the place of the secret\n"+
		"  fix: change the file with a command in the sandbox, or use Force, for an input ForceStdin, if the marker is meant", e.Offset)
}

// Read returns the contents of a file, with a marker in the place of each secret. A path is relative to the workspace
// root, or absolute within it or within a path grant.
func (b *Sandbox) Read(ctx workflow.Context, path string) ([]byte, error) {
	var result operation.DataResult
	err := b.call(ctx, operation.Read, activity{}, func(s sandbox.SessionState) any {
		return operation.ReadArgs{State: s, Path: path}
	}, &result)
	return result.Data, err
}

// Write puts data in place of the contents of a file, and makes the directories on the way. It has one attempt, see
// [ErrMayHaveRun]. Without [Force] data that has redaction markers in it is refused with a [*MarkerError].
//
// Data passes through the workflow's history, whose limit for one payload leaves about 1.5 MiB for it. What is larger
// comes to a sandbox with its manifest, or by a command that fetches it.
func (b *Sandbox) Write(ctx workflow.Context, path string, data []byte, options ...WriteOption) error {
	if err := unmarked(data, options); err != nil {
		return err
	}
	return b.write(ctx, activity{once: true}, path, data)
}

func (b *Sandbox) write(ctx workflow.Context, a activity, path string, data []byte) error {
	return b.call(ctx, operation.Write, a, func(s sandbox.SessionState) any {
		return operation.WriteArgs{State: s, Path: path, Data: notNil(data)}
	}, nil)
}

// inputName is the name of the file for the input of one more command. It is no other's in the session, also if the
// workflow has the session in several handles, or had it in an earlier run.
func (b *Sandbox) inputName(ctx workflow.Context) string {
	info := workflow.GetInfo(ctx)
	if b.handle == 0 {
		b.handle = nextHandle(info)
	}
	b.inputs++
	return fmt.Sprintf(".stdin-%s-%d-%d", info.WorkflowExecution.RunID, b.handle, b.inputs)
}

// dropInput removes the input of a command that has not begun, also when ctx was cancelled. Nothing depends on it, so
// it is tried once and not told.
func (b *Sandbox) dropInput(ctx workflow.Context, name string) {
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	limit := b.client.options.CleanUpTimeout
	seconds := limit.Seconds()
	_ = b.send(ctx, operation.Exec, activity{once: true, command: limit}, func(s sandbox.SessionState) any {
		return operation.ExecArgs{State: s, Command: []string{"rm", "-f", "--", name}, Shell: operation.Shell{Off: true}, Timeout: &seconds}
	}, nil)
}

// unmarked refuses data with a marker in it.
func unmarked(data []byte, options []WriteOption) error {
	if slices.Contains(options, Force) {
		return nil
	}
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("[redacted"))
		if i < 0 {
			return nil
		}
		after := at + i + len("[redacted")
		if after < len(data) && (data[after] == ':' || data[after] == ']') {
			return &MarkerError{Offset: at + i}
		}
		at = after
	}
}

// notNil is data in a form that is not written as null.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
