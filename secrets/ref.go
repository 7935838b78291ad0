package secrets

import (
	"fmt"
	"io"
	"strings"
)

// Names of the providers of this package.
const (
	providerEnv  = "env"
	providerFile = "file"
)

// masked stands for a part of a reference that is not shown.
const masked = "[masked]"

// Ref is the name of a secret: never its contents, so that it may be written
// down anywhere. The zero Ref names nothing. Refs are comparable with == and
// may be keys of a map.
//
// A Ref made as a struct is not checked; [Ref.Validate] does that.
type Ref struct {
	// Provider says who has the secret: "env", "file", or a name under which
	// the worker has a [Resolver].
	Provider string
	// Name is the secret's name within the provider: an environment variable,
	// a path relative to the directory of the file provider, a path in a vault.
	Name string
	// Field selects one entry of a secret that has several; env and file have
	// none.
	Field string
	// Version asks for one version of a secret; empty is the current one. Env
	// and file have none.
	Version string
}

// EnvRef returns the reference to the environment variable name of the worker.
func EnvRef(name string) Ref { return Ref{Provider: providerEnv, Name: name} }

// FileRef returns the reference to the file name, a slash-separated path within
// the directory of the worker's file provider.
func FileRef(name string) Ref { return Ref{Provider: providerFile, Name: name} }

// ParseRef reads the form that [Ref.String] writes:
//
//	provider:name
//	provider:name#field
//	provider:name#field@version
//	provider:name@version
//
// as in env:REPORTS_API_TOKEN, file:github/deploy-token and
// vault:kv/data-platform/reports#token@4. A provider is [a-z][a-z0-9-]*, a name
// of env is [A-Za-z_][A-Za-z0-9_]*, and every other name is a relative path of
// segments of [A-Za-z0-9._-] other than "." and "..".
//
// A name or field may hold placeholders in braces, such as {namespace},
// {task_queue} or a group of the policy's workflow id pattern. Such a reference
// is a template ([Ref.Template]): a policy may hold it, and it must be filled
// in before it can be resolved.
//
// The error wraps [ErrInvalid] and never quotes s, which may be a secret that
// was pasted where its name belongs.
func ParseRef(s string) (Ref, error) {
	provider, rest, ok := strings.Cut(s, ":")
	if !ok {
		return Ref{}, fail(Ref{}, ErrInvalid, "")
	}
	r := Ref{Provider: provider}
	rest, version, hasVersion := strings.Cut(rest, "@")
	name, field, hasField := strings.Cut(rest, "#")
	r.Name, r.Field, r.Version = name, field, version
	if hasVersion && version == "" || hasField && field == "" {
		return Ref{}, fail(Ref{}, ErrInvalid, "a field after # and a version after @ must not be empty")
	}
	if why := r.fault(true); why != "" {
		return Ref{}, fail(r.shown(), ErrInvalid, why)
	}
	return r, nil
}

// Validate reports whether r is well formed and can be resolved: parts in the
// form that [ParseRef] describes, no placeholder left, nothing that looks like
// a credential pasted where a name belongs. The error wraps [ErrInvalid]; it
// masks a name that it does not know to be harmless.
func (r Ref) Validate() error {
	if why := r.fault(false); why != "" {
		return fail(r.shown(), ErrInvalid, why)
	}
	return nil
}

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// Template reports whether r holds a placeholder, such as {namespace}, that
// must be filled in before r can be resolved.
func (r Ref) Template() bool {
	return hasBraces(r.Name) || hasBraces(r.Field)
}

// String returns r in the form that [ParseRef] reads, and "" for the zero Ref.
// Parts of a Ref that is not well formed are masked, unless they are plainly a
// name.
func (r Ref) String() string {
	if r.IsZero() {
		return ""
	}
	r = r.shown()
	s := r.Provider + ":" + r.Name
	if r.Field != "" {
		s += "#" + r.Field
	}
	if r.Version != "" {
		s += "@" + r.Version
	}
	return s
}

// GoString returns the text of [Ref.String] in the form of a conversion.
func (r Ref) GoString() string { return fmt.Sprintf("secrets.Ref(%q)", r.String()) }

// Format writes the text of [Ref.String] for every verb, and that of
// [Ref.GoString] for %#v.
func (r Ref) Format(f fmt.State, verb rune) {
	s := r.String()
	switch {
	case verb == 'v' && f.Flag('#'):
		s = r.GoString()
	case verb == 'q':
		s = fmt.Sprintf("%q", s)
	}
	_, _ = io.WriteString(f, s) // a failing writer is the caller's: there is nobody to tell
}

// shown returns r with every part masked that may be something else than a
// name.
func (r Ref) shown() Ref {
	if r.IsZero() || r.fault(true) == "" {
		return r
	}
	out := Ref{Provider: masked, Name: masked}
	if isProvider(r.Provider) {
		out.Provider = r.Provider
		if isPlain(r.Name) && r.Field == "" && r.Version == "" {
			out.Name = r.Name
		}
	}
	return out
}
