package sandbox

// NormalizeRunConfig returns the one canonical RunConfig for any form of it.
func NormalizeRunConfig(v any) (RunConfig, error) { return RunConfig{}, &Error{} }

// NormalizeManifest returns the one canonical Manifest for any form of it.
func NormalizeManifest(v any) (Manifest, error) { return Manifest{}, &Error{} }

// HasManifestKeys reports whether m is not empty and has only keys of a
// [Manifest].
func HasManifestKeys(m map[string]any) bool { return false }

// HasRunConfigKeys reports whether m is not empty and has only keys of a
// [RunConfig].
func HasRunConfigKeys(m map[string]any) bool { return false }

// HasSandboxKeys reports whether m is not empty and has only keys of a
// [SandboxRunConfig].
func HasSandboxKeys(m map[string]any) bool { return false }
