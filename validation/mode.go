package validation

// Mode says what becomes of a violation. The zero Mode is [ModeUnset], which
// belongs to the zero [Policy] only and denies.
type Mode int

// The modes of a queue.
const (
	// ModeUnset is the mode of a zero Policy: callers treat it as ModeEnforce.
	ModeUnset Mode = iota
	// ModeReport lets structural violations pass and records them. It never
	// makes anything resolvable that the policy does not grant.
	ModeReport
	// ModeEnforce refuses.
	ModeEnforce
)

// String returns the word of the policy file, or "unset".
func (m Mode) String() string {
	switch m {
	case ModeReport:
		return "report"
	case ModeEnforce:
		return "enforce"
	case ModeUnset:
		return "unset"
	}
	return "unset"
}

// LiteralsMode says what becomes of text with the form of a credential that
// stands in an argument, a result, a signal, a memo or a header. The zero
// LiteralsMode is [LiteralsEnforce].
type LiteralsMode int

// The modes of credential detection.
const (
	// LiteralsEnforce refuses what holds such text.
	LiteralsEnforce LiteralsMode = iota
	// LiteralsReport records it and lets it pass.
	LiteralsReport
	// LiteralsOff does not look.
	LiteralsOff
)

// String returns the word of the policy file.
func (m LiteralsMode) String() string {
	switch m {
	case LiteralsReport:
		return "report"
	case LiteralsOff:
		return "off"
	case LiteralsEnforce:
		return "enforce"
	}
	return "enforce"
}

// LiteralMode says what a bound input field may hold when an attempt starts.
// The zero LiteralMode is [LiteralRefuse].
type LiteralMode int

// The literal modes of a grant to an activity's input.
const (
	// LiteralRefuse ends an attempt whose bound field holds other text.
	LiteralRefuse LiteralMode = iota
	// LiteralReplace overwrites that text with the secret on the worker.
	LiteralReplace
	// LiteralStrip overwrites it on the worker, and writes the secret's name in
	// its place into what the workflow side schedules from now on.
	LiteralStrip
)

// String returns the word of the policy file.
func (m LiteralMode) String() string {
	switch m {
	case LiteralReplace:
		return "replace"
	case LiteralStrip:
		return "strip"
	case LiteralRefuse:
		return "refuse"
	}
	return "refuse"
}

// InputKind says what stands at an input that the policy names. The zero
// InputKind names nothing and is never returned by [Policy.Inputs].
type InputKind int

// The kinds of input.
const (
	// KindUnset is the zero InputKind.
	KindUnset InputKind = iota
	// KindRunConfig is a run config in map form.
	KindRunConfig
	// KindManifest is a sandbox manifest in map form.
	KindManifest
)

// String returns the word of the policy file, or "unset".
func (k InputKind) String() string {
	switch k {
	case KindRunConfig:
		return "run_config"
	case KindManifest:
		return "manifest"
	case KindUnset:
		return "unset"
	}
	return "unset"
}
