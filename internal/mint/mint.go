// Package mint holds the capability that separates the guard from everybody
// else. Functions of this module that hand out a secret value, or that vouch
// for a request, take a [Key] as their first argument. Since the package is
// internal, code outside the module cannot name the type, and so cannot call
// them: that is how "the built-in resolvers refuse a request that the guard did
// not mint" is held by the compiler instead of by a convention.
package mint

// Key proves that the caller is part of this module. The zero Key proves
// nothing and is refused everywhere.
type Key struct{ proof *proof }

// proof is a named type with a size, so that no other allocation can share its
// address.
type proof struct{ _ byte }

var guard = &proof{}

// Guard returns the valid Key.
func Guard() Key { return Key{proof: guard} }

// Valid reports whether k came from [Guard].
func (k Key) Valid() bool { return k.proof == guard }
