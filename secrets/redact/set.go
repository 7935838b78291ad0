package redact

import (
	"errors"
	"strings"
)

// ErrShort is returned by [Set.Add] for a value of fewer than [MinLength] bytes.
var ErrShort = errors.New("redact: value is shorter than 8 bytes: register it with AddShort, which masks it on word boundaries only")

// ErrEmpty is returned by [Set.Add] for a value that is empty or white space only.
var ErrEmpty = errors.New("redact: value is empty: there is nothing to mask")

// MinLength is the shortest value that [Set.Add] takes, in bytes.
const MinLength = 8

// Set holds registered values.
type Set struct{}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add registers value under name.
func (s *Set) Add(name, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return ErrEmpty
	case len(value) < MinLength:
		return ErrShort
	}
	return nil
}

// AddShort registers value under name, to be masked on word boundaries only.
func (s *Set) AddShort(name, value string) {}

// Remove undoes one Add or AddShort.
func (s *Set) Remove(name, value string) {}

// Len is the number of registered values.
func (s *Set) Len() int { return 0 }

// Bytes redacts in.
func (s *Set) Bytes(in []byte) (out []byte, hits int) { return in, 0 }

// String redacts in.
func (s *Set) String(in string) (out string, hits int) { return in, 0 }

// JSON redacts the strings and keys of a JSON text.
func (s *Set) JSON(in []byte) (out []byte, hits int) { return in, 0 }

// Contains reports whether b holds a registered value.
func (s *Set) Contains(b []byte) bool { return false }

// ContainsString reports whether str holds a registered value.
func (s *Set) ContainsString(str string) bool { return false }

// Names lists the names of the values that str holds.
func (s *Set) Names(str string) []string { return nil }
