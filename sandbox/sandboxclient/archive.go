package sandboxclient

import (
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Persist returns the workspace as a tar archive, without its ephemeral entries. An archive with a secret in it is
// withheld by the host as a whole.
//
// It passes through the workflow's history, which takes about 1.5 MiB.
func (b *Sandbox) Persist(ctx workflow.Context) ([]byte, error) {
	var result operation.DataResult
	err := b.call(ctx, operation.Persist, activity{}, stateArgs, &result)
	return result.Data, err
}

// Hydrate unpacks a tar archive, which must not be compressed, into the workspace: all of it or, if something is
// wrong with it, nothing. Files that are there already are replaced. It has one attempt, see [ErrMayHaveRun].
//
// Without [Force] an archive that has redaction markers in it is refused with a [*MarkerError]. The archive passes
// through the workflow's history, as that of Persist does.
func (b *Sandbox) Hydrate(ctx workflow.Context, archive []byte, options ...WriteOption) error {
	if err := unmarked(archive, options); err != nil {
		return err
	}
	return b.call(ctx, operation.Hydrate, activity{once: true}, func(s sandbox.SessionState) any {
		return operation.HydrateArgs{State: s, Data: notNil(archive)}
	}, nil)
}
