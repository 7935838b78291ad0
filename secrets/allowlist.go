package secrets

// Allowlist says which names a provider may read. It is [Names] or [AllowAll];
// nil denies every name.
type Allowlist interface {
	// snapshot returns the exact names, or all for every name.
	snapshot() (names []string, all bool)
}

// Names is an [Allowlist] of exact names: no patterns, and case matters. The
// provider copies it. Nil and empty deny every name.
type Names []string

func (n Names) snapshot() ([]string, bool) { return n, false }

// AllowAll is the [Allowlist] that denies nothing. It is a type of its own so
// that a review can search for it.
type AllowAll struct{}

func (AllowAll) snapshot() ([]string, bool) { return nil, true }

// allowed is an Allowlist as a provider keeps it.
type allowed struct {
	names map[string]struct{}
	all   bool
}

// newAllowed copies a, whose names must all be good as the name in a reference
// to provider.
func newAllowed(provider string, a Allowlist) (allowed, error) {
	if a == nil {
		return allowed{}, nil
	}
	names, all := a.snapshot()
	out := allowed{names: make(map[string]struct{}, len(names)), all: all}
	for _, name := range names {
		if err := (Ref{Provider: provider, Name: name}).Validate(); err != nil {
			return allowed{}, err
		}
		out.names[name] = struct{}{}
	}
	return out, nil
}

func (a allowed) has(name string) bool {
	_, ok := a.names[name]
	return ok || a.all
}
