package sandbox

// Mode is how a decoder treats what is not quite right.
type Mode int

// The modes of decoding.
const (
	// Strict refuses everything that is not exactly in the format. It is the
	// zero Mode.
	Strict Mode = iota
	// Lenient reads what the Python models read.
	Lenient
)

// Model is a type that [Decode] reads.
type Model interface {
	Manifest | Environment | EnvValue | Entry | PathGrant | Snapshot | SessionState | ClientOptions | RunConfig | SandboxRunConfig
}

// Decode reads one JSON object.
func Decode[T Model](data []byte, mode Mode) (T, error) {
	var zero T
	return zero, &Error{}
}

// DecodeManifest is [Decode] for a [Manifest].
func DecodeManifest(data []byte, mode Mode) (Manifest, error) { return Decode[Manifest](data, mode) }
