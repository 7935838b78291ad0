package secrets

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/mint"
)

// ResolutionInfo is what a provider knows about a secret besides its contents.
// All fields are optional.
type ResolutionInfo struct {
	// Version is the provider's name of the version that was read.
	Version string
	// ExpiresAt is when the contents stop being valid; zero is unknown.
	ExpiresAt time.Time
	// LeaseID names the lease that the provider granted with the secret.
	LeaseID string
}

// Resolution is the answer of a [Resolver]: contents, which only the guard can
// read, and what is known about them. Like a [Value] it shows nothing wherever
// it is printed, and it refuses to be encoded. The zero Resolution has no
// contents.
type Resolution struct {
	info ResolutionInfo
	held *contents // nil in the zero Resolution
}

// NewResolution returns the Resolution of a secret whose contents are value.
func NewResolution(value string, info ResolutionInfo) Resolution {
	return Resolution{info: info, held: newContents(value)}
}

// Info returns what is known about the secret.
func (r Resolution) Info() ResolutionInfo { return r.info }

// Reveal returns the contents, or "" if there are none or k is not valid. Only
// packages of this module can call it.
func (r Resolution) Reveal(k mint.Key) string {
	if r.held == nil || !k.Valid() {
		return ""
	}
	return r.held.reveal()
}

// Resolved returns the Value of ref with the contents of r. If k is not valid
// or r has no contents, the Value is unresolved. Only packages of this module
// can call it.
func Resolved(k mint.Key, ref Ref, r Resolution) Value {
	v := From(ref)
	if k.Valid() && !v.literal {
		v.held = r.held
	}
	return v
}

// String returns a fixed text.
func (r Resolution) String() string { return "secrets.Resolution(masked)" }

// GoString returns the same text as [Resolution.String].
func (r Resolution) GoString() string { return r.String() }

// Format writes the text of [Resolution.String] for every verb and flag.
func (r Resolution) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, r.String()) // a failing writer is the caller's: there is nobody to tell
}

// LogValue returns the text of [Resolution.String] for package log/slog.
func (r Resolution) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalJSON refuses: a Resolution is handed to the guard, never written.
func (r Resolution) MarshalJSON() ([]byte, error) {
	return nil, fail(Ref{}, ErrInvalid, "a resolution is never encoded")
}

// MarshalText refuses like [Resolution.MarshalJSON].
func (r Resolution) MarshalText() ([]byte, error) { return r.MarshalJSON() }

// GobEncode refuses like [Resolution.MarshalJSON].
func (r Resolution) GobEncode() ([]byte, error) { return r.MarshalJSON() }
