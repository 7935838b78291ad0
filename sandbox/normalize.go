package sandbox

// NormalizeRunConfig returns the one canonical RunConfig for every form of it:
// a RunConfig or a pointer to one, a map with string keys of any Go type, JSON
// as [encoding/json.RawMessage] or []byte, and nil, which is the zero
// RunConfig. Typed values may stand inside maps at any level, and so may
// [secrets.Value] leaves in an environment; a resolved one keeps its value.
//
// The reading is [Strict]. The error is an [*Error] with every fault at once.
// Integers are exact: of Go's types all are taken, and a float64 only when it
// holds an integer that it represents exactly. A live session is refused on
// presence, without looking into it. Path grants may stand in typed manifests
// only; in a map they must be an empty list.
//
// v is never changed and the result shares nothing with it. Cyclic and huge
// inputs end in a fault.
//
//workflowcheck:ignore
func NormalizeRunConfig(v any) (RunConfig, error) {
	return normalize(v, func(d *decoder, v any) RunConfig { return d.runConfig(v, nil) })
}

// NormalizeManifest is [NormalizeRunConfig] for a [Manifest].
//
//workflowcheck:ignore
func NormalizeManifest(v any) (Manifest, error) {
	return normalize(v, func(d *decoder, v any) Manifest {
		if v == nil {
			return Manifest{}
		}
		return d.manifest(v, nil, true)
	})
}

func normalize[T any](v any, read func(*decoder, any) T) (T, error) {
	d := &decoder{mode: Strict}
	switch data, isBytes := v.([]byte); {
	case isBytes && len(data) == 0:
		v = nil
	case isBytes:
		v = d.parse(data, nil)
	default:
		v = d.shape(v, nil)
	}
	out := read(d, v)
	if err := d.err(); err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// HasManifestKeys reports whether m is not empty and has only keys of a
// [Manifest], whatever their values are.
//
//workflowcheck:ignore
func HasManifestKeys(m map[string]any) bool { return hasOnly(m, isManifestKey) }

// HasRunConfigKeys reports whether m is not empty and has only keys of a
// [RunConfig], those included that a typed one has no field for.
//
//workflowcheck:ignore
func HasRunConfigKeys(m map[string]any) bool { return hasOnly(m, isRunConfigKey) }

// HasSandboxKeys reports whether m is not empty and has only keys of a
// [SandboxRunConfig], "session" included.
//
//workflowcheck:ignore
func HasSandboxKeys(m map[string]any) bool { return hasOnly(m, isSandboxKey) }

func hasOnly(m map[string]any, isKey func(string) bool) bool {
	for key := range m {
		if !isKey(key) {
			return false
		}
	}
	return len(m) > 0
}
