package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// Mode is how a decoder treats what is not quite in the format.
type Mode int

// The modes of decoding. Whatever [Strict] accepts, [Lenient] accepts too, and
// with the same result but for one thing: it takes host-bound grants out of
// session states, see [SessionState].UnboundGrants.
const (
	// Strict refuses everything that is not exactly in the format: unknown and
	// repeated keys at any level, numbers and booleans written as strings, an
	// environment without its "value" wrapper, entry paths that leave the
	// workspace. It is the zero Mode, and what [NormalizeManifest] and
	// [NormalizeRunConfig] use.
	Strict Mode = iota
	// Lenient reads what the Python models read: unknown keys are dropped,
	// "5" is a number where one is wanted, and rules that the models apply only
	// when a manifest is put to use are left to later. It is what UnmarshalJSON
	// of every type in this package uses, so that a value once recorded can be
	// read again.
	Lenient
)

// String returns "strict" or "lenient".
func (m Mode) String() string {
	if m == Lenient {
		return "lenient"
	}
	return "strict"
}

// Model is a type that [Decode] can read.
type Model interface {
	Manifest | Environment | EnvValue | Entry | PathGrant | Snapshot | SessionState | ClientOptions | RunConfig | SandboxRunConfig
}

// Decode reads one value of type T from JSON. The error is an [*Error] that
// lists every fault; the value is the zero T then. Integers are exact, and
// nothing of data is kept.
//
// Path grants are read in both modes, since a typed value that was recorded must
// be readable. What comes from somebody else as a map goes through
// [NormalizeManifest] or [NormalizeRunConfig] instead.
//
//workflowcheck:ignore
func Decode[T Model](data []byte, mode Mode) (T, error) {
	d := &decoder{mode: mode, trusted: true}
	v := decodeAs[T](d, d.parse(data, nil))
	if err := d.err(); err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

// decodeAs reads the shape v as a T.
func decodeAs[T Model](d *decoder, v any) T {
	var out T
	switch out := any(&out).(type) {
	case *Manifest:
		*out = d.manifest(v, nil, false)
	case *Environment:
		*out = d.environment(v, nil)
	case *EnvValue:
		*out = d.envValue(v, nil)
	case *Entry:
		*out = d.entry(v, nil)
	case *PathGrant:
		*out = d.grant(v, nil)
	case *Snapshot:
		*out = d.snapshot(v, nil)
	case *SessionState:
		*out = d.state(v, nil)
	case *ClientOptions:
		*out = d.options(v, nil, "")
	case *RunConfig:
		*out = d.runConfig(v, nil)
	case *SandboxRunConfig:
		*out = d.sandboxConfig(v, nil)
	}
	return out
}

// DecodeManifest is [Decode] for a [Manifest].
//
//workflowcheck:ignore
func DecodeManifest(data []byte, mode Mode) (Manifest, error) { return Decode[Manifest](data, mode) }

// unmarshal is the body of every UnmarshalJSON of this package. By convention a
// JSON null changes nothing.
func unmarshal[T Model](data []byte, into *T) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	v, err := Decode[T](data, Lenient)
	if err != nil {
		return err
	}
	*into = v
	return nil
}

// decoder reads one input and collects its faults.
type decoder struct {
	mode Mode
	// trusted says that path grants may be read from plain maps: the input is
	// the encoding of a typed value and not a map that somebody made up.
	trusted  bool
	faults   []Fault
	overflow bool
	nodes    int
	spent    bool
}

func (d *decoder) strict() bool { return d.mode != Lenient }

// enter reports whether a container of n elements at a place may be looked
// into. It is what ends cycles and floods.
func (d *decoder) enter(n int, at *place) bool {
	if at.len() > maxDepth {
		d.report(at, RuleTooDeep, "must not be nested deeper than 32 levels")
		return false
	}
	return d.spend(n)
}

// spend counts n nodes.
func (d *decoder) spend(n int) bool {
	if d.nodes += n; d.nodes <= maxNodes {
		return true
	}
	if !d.spent {
		d.report(nil, RuleTooLarge, "must have fewer than a million values")
	}
	d.spent = true
	return false
}

// parse reads JSON text. Strict mode walks the tokens, since only there are
// repeated keys still visible.
func (d *decoder) parse(data []byte, at *place) any {
	if len(data) > maxBytes {
		d.report(at, RuleTooLarge, "must be smaller than 32 MiB")
		return failed{}
	}
	if d.strict() && (!utf8.Valid(data) || hasLoneSurrogate(data)) {
		d.report(at, RuleInvalidText, "must be valid UTF-8")
		return failed{}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	ok := true
	if d.strict() {
		v, ok = d.tokens(dec, at)
	} else if err := dec.Decode(&v); err != nil {
		ok = false
		d.report(at, RuleSyntax, "must be valid JSON")
	}
	if !ok {
		return failed{}
	}
	if _, err := dec.Token(); err != io.EOF {
		d.report(at, RuleSyntax, "must be one JSON value and nothing after it")
		return failed{}
	}
	return v
}

// tokens reads one value from dec and reports whether it could.
func (d *decoder) tokens(dec *json.Decoder, at *place) (any, bool) {
	syntax := func() (any, bool) {
		d.report(at, RuleSyntax, "must be valid JSON")
		return nil, false
	}
	tok, err := dec.Token()
	if err != nil {
		return syntax()
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return tok, true
	}
	if !d.enter(1, at) {
		return nil, false
	}
	if delim == '[' {
		out := []any{}
		for i := 0; dec.More(); i++ {
			v, ok := d.tokens(dec, at.index(i))
			if !ok || !d.spend(1) {
				return nil, false
			}
			out = append(out, v)
		}
		if _, err := dec.Token(); err != nil {
			return syntax()
		}
		return out, true
	}
	out := map[string]any{}
	for i := 0; dec.More(); i++ {
		tok, err := dec.Token()
		if err != nil {
			return syntax()
		}
		key, ok := tok.(string)
		if !ok {
			return syntax()
		}
		at := at.member(key, i)
		if _, dup := out[key]; dup {
			d.report(at, RuleDuplicateKey, "must have every key only once")
		}
		v, ok := d.tokens(dec, at)
		if !ok || !d.spend(1) {
			return nil, false
		}
		out[key] = v
	}
	if _, err := dec.Token(); err != nil {
		return syntax()
	}
	return out, true
}
