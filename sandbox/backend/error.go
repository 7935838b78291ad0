package backend

import (
	"errors"
	"strings"
)

// ErrNotFound is returned for a sandbox that does not exist.
var ErrNotFound = errors.New("backend: no such sandbox")

// Code is what went wrong, in the spelling of the OpenAI Agents SDK.
type Code string

// The codes that backends and hosts use.
const (
	InvalidManifestPath   Code = "invalid_manifest_path"
	ExecNonzero           Code = "exec_nonzero"
	ExecTimeout           Code = "exec_timeout"
	ExecTransport         Code = "exec_transport_error" // the command was not started
	PTYSessionNotFound    Code = "pty_session_not_found"
	ReadNotFound          Code = "workspace_read_not_found"
	ArchiveRead           Code = "workspace_archive_read_error"
	ArchiveWrite          Code = "workspace_archive_write_error"
	StopFailed            Code = "workspace_stop_error"
	StartFailed           Code = "workspace_start_error"
	RootNotFound          Code = "workspace_root_not_found"
	LocalFileRead         Code = "local_file_read_error"
	LocalDirRead          Code = "local_dir_read_error"
	GitMissing            Code = "git_missing_in_image"
	GitSubpath            Code = "git_subpath_error"
	GitClone              Code = "git_clone_error"
	GitCopy               Code = "git_copy_error"
	MountConfigInvalid    Code = "mount_config_invalid"
	ConfigInvalid         Code = "sandbox_config_invalid"
	SnapshotPersist       Code = "snapshot_persist_error"
	SnapshotRestore       Code = "snapshot_restore_error"
	SnapshotNotRestorable Code = "snapshot_not_restorable"
)

// classes are the names of the classes, where they do not follow from the code.
var classes = map[Code]string{
	ExecTransport:      "ExecTransportError",
	ExecNonzero:        "ExecNonZeroError",
	PTYSessionNotFound: "PtySessionNotFoundError",
	MountConfigInvalid: "MountConfigError",
}

// Class is the name of the Python class of errors with this code, such as ExecTimeoutError for exec_timeout.
func (c Code) Class() string {
	if class, ok := classes[c]; ok {
		return class
	}
	var b strings.Builder
	for word := range strings.SplitSeq(strings.TrimSuffix(string(c), "_error"), "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String() + "Error"
}

// Error is a failure of a sandbox, for its caller to read: it quotes no secret, no path of the host and no text of
// anybody else.
type Error struct {
	// Code says what kind of failure it is.
	Code Code
	// Message says what happened and what to do.
	Message string
	// Retryable is whether trying again may help.
	Retryable bool
	// NotBegun is whether the operation was refused before it began, so that nothing was done. False says nothing about
	// that: what is not known not to have begun may have.
	NotBegun bool
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// CodeOf returns the code of the first [Error] in the chain of err, empty if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
