package validation

import "github.com/sandboxguard/sandboxguard/sandbox"

// entryKinds are the types of entry that a policy can allow.
func entryKinds() []string {
	return []string{
		sandbox.EntryFile, sandbox.EntryDir, sandbox.EntryLocalFile, sandbox.EntryLocalDir, sandbox.EntryGitRepo,
		"s3_mount", "r2_mount", "gcs_mount", "azure_blob_mount", "box_mount", "s3_files_mount", "blaxel_drive_mount",
	}
}
