package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Digest returns the SHA-256 of the canonical form of m in lower-case hex. Two
// manifests that mean the same have the same digest: it does not depend on the
// order of keys, on whether a default is spelled out, or on the form of an
// environment value. The objects of remote mounts count as they are written. Of
// a secret it covers the reference and never the value.
// The error is an [*Error] when m is not a manifest that [Lenient] accepts.
//
//workflowcheck:ignore
func (m Manifest) Digest() (string, error) {
	d := &decoder{mode: Lenient, trusted: true}
	read := d.manifest(m, nil, false)
	if err := d.err(); err != nil {
		return "", err
	}
	data, err := canonical(d.lift(read.reduced(), nil, true))
	if err != nil {
		return "", newError([]Fault{{Rule: RuleNoJSONForm, Detail: "must have a JSON form"}})
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// reduced returns m without what says nothing: defaults, and forms of the same
// meaning.
func (m Manifest) reduced() Manifest {
	m.Version = 0
	if m.Root == DefaultRoot {
		m.Root = ""
	}
	m.Entries = reducedEntries(m.Entries)
	m.Environment = m.Environment.reduced()
	m.Users = notEmpty(m.Users)
	m.Groups = notEmpty(m.Groups)
	m.ExtraPathGrants = notEmpty(m.ExtraPathGrants)
	if slices.Equal(m.RemoteMountCommandAllowlist, Manifest{}.RemoteMountCommands()) {
		m.RemoteMountCommandAllowlist = nil
	}
	return m
}

func (e Environment) reduced() Environment {
	if len(e.Values) == 0 {
		return Environment{}
	}
	out := make(map[string]EnvValue, len(e.Values))
	for name, v := range e.Values {
		v.Form = EnvPlain
		out[name] = v
	}
	return Environment{Values: out}
}

func reducedEntries(entries map[string]Entry) map[string]Entry {
	if len(entries) == 0 {
		return nil
	}
	out := make(map[string]Entry, len(entries))
	for name, e := range entries {
		e.Children = reducedEntries(e.Children)
		if e.Permissions != nil && *e.Permissions == (Permissions{Owner: 7, Group: 5, Other: 5, Directory: e.IsDir()}) {
			e.Permissions = nil
		}
		if e.Host == "github.com" {
			e.Host = ""
		}
		if e.Subpath == "." {
			e.Subpath = ""
		}
		out[name] = e
	}
	return out
}

func notEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}
