package sandboxclient

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// The codes of [Sandbox.ApplyPatch], besides those of package backend.
const (
	// PatchInvalidPath is for a file that a patch must not name.
	PatchInvalidPath backend.Code = "apply_patch_invalid_path"
	// PatchInvalidDiff is for a patch that is malformed, or does not fit the file.
	PatchInvalidDiff backend.Code = "apply_patch_invalid_diff"
	// PatchFileNotFound is for a file that does not exist.
	PatchFileNotFound backend.Code = "apply_patch_file_not_found"
	// PatchDecode is for a file that is not UTF-8 text.
	PatchDecode backend.Code = "apply_patch_decode_error"
)

// codes are those that a host may answer with.
var codes = []backend.Code{
	backend.InvalidManifestPath, backend.ExecNonzero, backend.ExecTimeout, backend.ExecTransport,
	backend.PTYSessionNotFound, backend.ReadNotFound, backend.ArchiveRead, backend.ArchiveWrite, backend.StopFailed,
	backend.StartFailed, backend.RootNotFound, backend.LocalFileRead, backend.LocalDirRead, backend.GitMissing,
	backend.GitSubpath, backend.GitClone, backend.GitCopy, backend.MountConfigInvalid, backend.ConfigInvalid,
	backend.SnapshotPersist, backend.SnapshotRestore, backend.SnapshotNotRestorable,
	"invalid_compression_scheme", "exposed_port_unavailable", "workspace_write_type_error", "local_checksum_error",
	"mount_missing_tool", "mount_failed", "skills_config_invalid",
}

// otherClasses are the classes of codes that only hosts written in Python have, where the code does not tell them.
var otherClasses = map[string]backend.Code{
	"MountToolMissingError": "mount_missing_tool",
	"MountCommandError":     "mount_failed",
	"SkillsConfigError":     "skills_config_invalid",
}

// codeOf is the code in a host's error, in either of the two spellings that the format has for it: a terminal error's
// type is its code, another one's is its class.
func codeOf(err *temporal.ApplicationError) backend.Code {
	for err != nil {
		kind := err.Type()
		if code, ok := otherClasses[kind]; ok {
			return code
		}
		for _, code := range codes {
			if kind == string(code) || kind == code.Class() {
				return code
			}
		}
		var inner *temporal.ApplicationError
		errors.As(err.Unwrap(), &inner)
		err = inner
	}
	return ""
}
