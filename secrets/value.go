package secrets

import "crypto/subtle"

// MaxValueSize is the largest secret that is handled, in bytes.
const MaxValueSize = 64 << 10

// Value is a secret as struct fields and manifests hold it. It is one of four
// things:
//
//   - the zero Value: no secret, null in JSON;
//   - a reference: what workflow code makes, what history holds;
//   - resolved: the reference with its contents, made by the guard for one
//     activity attempt;
//   - a dropped literal: text stood where a reference belongs.
//
// It is encoded and shown as its reference, in whatever state it is. Values are
// immutable and may be used by several goroutines. Compare them with
// [Value.Equal]; == and reflect.DeepEqual do the same for those that are not
// resolved, and tell whether a resolved one is a copy of another.
type Value struct {
	ref     Ref
	literal bool
	held    *contents // nil unless resolved
}

// contents holds a secret in a closure, which is the one representation that no
// printer, encoder or differ looks into. It is used by pointer, so that what
// holds it can be compared: a function in an interface would make == panic.
type contents struct{ reveal func() string }

func newContents(value string) *contents {
	return &contents{reveal: func() string { return value }}
}

// Env returns the unresolved Value of the environment variable name of the
// worker. See [From] for a name that is none.
func Env(name string) Value { return From(EnvRef(name)) }

// File returns the unresolved Value of a file in the directory of the worker's
// file provider; name is a slash-separated path within it. See [From] for a
// name that is none.
func File(name string) Value { return From(FileRef(name)) }

// From returns the unresolved Value of ref, and the zero Value for the zero
// Ref. A ref that is neither well formed nor plainly a name, such as a
// credential where its name belongs, is dropped, and the Value is a literal: it
// stays out of history, and using it fails with [ErrLiteral]. [Ref.Validate]
// says what is wrong with it. From does not fail, so that code that names
// secrets reads as a list of them.
func From(ref Ref) Value {
	if ref.unsafe() {
		return Value{literal: true}
	}
	return Value{ref: ref}
}

// Ref returns the reference, which is zero for the zero Value and for a dropped
// literal.
func (v Value) Ref() Ref { return v.ref }

// IsZero reports whether v is the zero Value: no reference, no literal.
func (v Value) IsZero() bool { return v.ref.IsZero() && !v.literal && v.held == nil }

// Resolved reports whether v holds its contents.
func (v Value) Resolved() bool { return v.held != nil }

// Literal reports whether v stands for text that was dropped, since a reference
// belongs where it stood.
func (v Value) Literal() bool { return v.literal }

// WithRef returns the unresolved Value of ref, like [From]. It is how a binding
// of the policy names the secret for a field that holds something else.
func (v Value) WithRef(ref Ref) Value { return From(ref) }

// Equal reports whether v and w have the same reference, are in the same state,
// and have the same contents if they are resolved. Contents are compared in
// constant time.
func (v Value) Equal(w Value) bool {
	if v.ref != w.ref || v.literal != w.literal || v.Resolved() != w.Resolved() {
		return false
	}
	return v.held == w.held || subtle.ConstantTimeCompare([]byte(v.held.reveal()), []byte(w.held.reveal())) == 1
}

// Reveal returns the contents of a resolved Value. Otherwise the string is empty
// and the error wraps [ErrLiteral] for a dropped literal and [ErrUnresolved]
// for the rest. It is the only way to the contents: do not log, return or store
// what it returns.
func (v Value) Reveal() (string, error) {
	switch {
	case v.held != nil:
		return v.held.reveal(), nil
	case v.literal:
		return "", fail(v.ref, ErrLiteral, "")
	default:
		return "", fail(v.ref, ErrUnresolved, "")
	}
}
