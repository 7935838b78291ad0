package sandboxclient

import (
	"bytes"
	"errors"
	"slices"

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
// Without [Force] an archive that has redaction markers in it is refused with a [*MarkerError], and one that is
// compressed, in which they cannot be seen, with [ErrCompressed]. The archive passes through the workflow's history, as
// that of Persist does.
func (b *Sandbox) Hydrate(ctx workflow.Context, archive []byte, options ...WriteOption) error {
	if err := plain(ctx, archive, options); err != nil {
		return err
	}
	if err := unmarked(archive, options); err != nil {
		return err
	}
	return b.call(ctx, operation.Hydrate, activity{once: true}, func(s sandbox.SessionState) any {
		return operation.HydrateArgs{State: s, Data: notNil(archive)}
	}, nil)
}

// ErrCompressed is why an archive was not unpacked: redaction markers in it could not be seen.
var ErrCompressed = errors.New("sandboxclient: not unpacked: the archive is compressed, so that redaction markers in it cannot be seen\n" +
	"  fix: decompress it first, or use Force if it has none that are not meant")

// compressedChange is the change of Hydrate to refuse what is compressed. Runs that unpacked some before it go on as
// they began; others have a marker of it where they are refused.
const compressedChange = "sandboxclient-hydrate-compressed"

// plain refuses a compressed archive.
func plain(ctx workflow.Context, archive []byte, options []WriteOption) error {
	if slices.Contains(options, Force) || !compressed(archive) ||
		workflow.GetVersion(ctx, compressedChange, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	return ErrCompressed
}

// compressed reports the formats that backends may unpack. A tar archive begins with the name of a file, which a short
// signature could be.
func compressed(data []byte) bool {
	for _, signature := range []string{"\x1f\x8b", "\x1f\x9d", "\x1f\xa0", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(data, []byte(signature)) {
			return true
		}
	}
	return bytes.HasPrefix(data, []byte("BZh")) && len(data) > 4 && bytes.HasPrefix(data[4:], []byte("1AY&SY"))
}
