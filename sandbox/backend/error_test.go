package backend_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

func TestClass(t *testing.T) {
	for code, want := range map[backend.Code]string{
		backend.ExecTimeout:           "ExecTimeoutError",
		backend.ExecTransport:         "ExecTransportError",
		backend.ExecNonzero:           "ExecNonZeroError",
		backend.InvalidManifestPath:   "InvalidManifestPathError",
		backend.PTYSessionNotFound:    "PtySessionNotFoundError",
		backend.ReadNotFound:          "WorkspaceReadNotFoundError",
		backend.ArchiveRead:           "WorkspaceArchiveReadError",
		backend.ArchiveWrite:          "WorkspaceArchiveWriteError",
		backend.StopFailed:            "WorkspaceStopError",
		backend.StartFailed:           "WorkspaceStartError",
		backend.RootNotFound:          "WorkspaceRootNotFoundError",
		backend.LocalFileRead:         "LocalFileReadError",
		backend.LocalDirRead:          "LocalDirReadError",
		backend.GitMissing:            "GitMissingInImageError",
		backend.GitSubpath:            "GitSubpathError",
		backend.GitClone:              "GitCloneError",
		backend.GitCopy:               "GitCopyError",
		backend.MountConfigInvalid:    "MountConfigError",
		backend.SnapshotPersist:       "SnapshotPersistError",
		backend.SnapshotRestore:       "SnapshotRestoreError",
		backend.SnapshotNotRestorable: "SnapshotNotRestorableError",
	} {
		if got := code.Class(); got != want {
			t.Errorf("class of %s = %s, want %s", code, got, want)
		}
	}
}

func TestCodeOf(t *testing.T) {
	err := fmt.Errorf("exec: %w", &backend.Error{Code: backend.ExecTimeout, Message: "command timed out"})
	if got := backend.CodeOf(err); got != backend.ExecTimeout {
		t.Errorf("CodeOf = %q", got)
	}
	if got := backend.CodeOf(errors.New("other")); got != "" {
		t.Errorf("CodeOf of another error = %q", got)
	}
}
