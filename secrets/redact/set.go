package redact

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// MinLength is the length in bytes, white space around it not counted, that a value must have for
// [Set.Add].
const MinLength = 8

// ErrShort is returned by [Set.Add] for a value of fewer than [MinLength] bytes.
var ErrShort = errors.New("redact: the value is shorter than 8 bytes: use a longer one, or register it with AddShort, which masks whole words only")

// ErrEmpty is returned by [Set.Add] for a value that is empty or nothing but white space.
var ErrEmpty = errors.New("redact: the value is empty, so there is nothing to mask: check where it comes from")

// Set holds the values to redact. The zero value is an empty set ready for use; a Set must not be copied
// after first use. All methods are safe for concurrent use.
type Set struct {
	mu      sync.Mutex        // serialises writers; readers use current only
	entries map[string]*entry // by trimmed value
	current atomic.Pointer[matcher]
	scratch sync.Pool // *scratch
}

// entry is one registered value and the names that it was registered under.
type entry struct {
	value   string
	names   map[string]int // reference counts
	needles []needle
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add registers value, to be replaced by a marker that shows name. The pair is counted: it stays until
// [Set.Remove] was called as often as Add. A value with several names is shown under the first of them in
// byte order.
//
// In the marker each byte of name that is not an ASCII letter, a digit or one of "-_.:/#@+" is shown as
// "_", and a name that holds a registered value is shown as "secret".
//
// Add returns [ErrEmpty] or [ErrShort] and registers nothing if the value is unfit.
func (s *Set) Add(name, value string) error {
	value = trim(value)
	switch {
	case value == "":
		return ErrEmpty
	case len(value) < MinLength:
		return ErrShort
	}
	s.add(name, value)
	return nil
}

// AddShort registers value as [Set.Add] does, whatever its length. A value of fewer than [MinLength] bytes
// is replaced only where no letter, digit or underscore touches it. A value without any letter or digit,
// and the words true, false and null, cannot be told from ordinary text and are not registered.
func (s *Set) AddShort(name, value string) {
	value = trim(value)
	if len(value) < MinLength && !distinct(value) {
		return
	}
	s.add(name, value)
}

// Remove undoes one [Set.Add] or [Set.AddShort] of the same name and value. Removing what is not
// registered does nothing.
func (s *Set) Remove(name, value string) {
	value = trim(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[value]
	if e == nil || e.names[name] == 0 {
		return
	}
	if e.names[name]--; e.names[name] > 0 {
		return
	}
	delete(e.names, name)
	if len(e.names) == 0 {
		delete(s.entries, value)
	}
	s.rebuild()
}

// Len is the number of distinct values in the set.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

func (s *Set) add(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[value]
	if e == nil {
		if s.entries == nil {
			s.entries = make(map[string]*entry)
		}
		value = strings.Clone(value) // a slice of a larger text would keep all of it
		e = &entry{value: value, names: make(map[string]int), needles: needles(value)}
		s.entries[value] = e
	}
	if e.names[name]++; e.names[name] == 1 {
		s.rebuild()
	}
}

// rebuild publishes a matcher for the entries as they are now. The caller holds mu.
func (s *Set) rebuild() {
	if len(s.entries) == 0 {
		s.current.Store(nil)
		return
	}
	entries := slices.SortedFunc(maps.Values(s.entries), func(a, b *entry) int { return strings.Compare(a.value, b.value) })
	s.current.Store(newMatcher(entries, &s.scratch))
}

// trim cuts what is around a value more often than it is part of it: the line end of a file, the spaces of
// a header. What is left is found with and without them.
func trim(value string) string { return strings.Trim(value, " \t\r\n") }

// distinct reports whether a short value can be masked at all without garbling ordinary text.
func distinct(value string) bool {
	switch value {
	case "true", "false", "null":
		return false
	}
	return strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
