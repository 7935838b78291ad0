package redact

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

// MinLength is the length in bytes, white space around it not counted, that a value must have for
// [Set.Add].
const MinLength = 8

// ErrShort is returned by [Set.Add] for a value of fewer than [MinLength] bytes.
var ErrShort = errors.New("redact: the value is shorter than 8 bytes: use a longer one, or register it with AddShort, which masks whole words only")

// ErrCommon is returned by [Set.AddShort] for a short value that ordinary text is full of: true, false, null, and
// whatever holds no letter and no digit.
var ErrCommon = errors.New("redact: the value cannot be told from ordinary text, so it is not masked: use a longer one")

// ErrEmpty is returned by [Set.Add] for a value that is empty or nothing but white space.
var ErrEmpty = errors.New("redact: the value is empty, so there is nothing to mask: check where it comes from")

// Set holds the values to redact. The zero value is an empty set ready for use; a Set must not be copied
// after first use. All methods are safe for concurrent use.
type Set struct {
	// Now is the clock that retention is measured with, [time.Now] if it is nil. It must be set before the
	// first use of the set.
	Now func() time.Time
	// MaxRetained bounds the values that are kept only because a [Holder] had them; 0 stands for
	// [DefaultMaxRetained]. Beyond it those that would expire first are dropped early. It must be set before
	// the first use of the set.
	MaxRetained int

	// What is shorter than this holds nothing; 0 if the set never held a value. Most texts, such as the keys of
	// a map, are done with before the lock is taken.
	least atomic.Int64

	// Writers hold turn for all of a change, and mu, which readers wait for, only while they put it in place.
	turn sync.Mutex
	mu   sync.RWMutex

	entries   map[string]*entry // by trimmed value
	x         *index
	retained  retained
	scratches sync.Pool // *scratch
	failures  atomic.Uint64
	ambiguous atomic.Int64 // values for which isAmbiguous is true
}

// entry is one registered value.
type entry struct {
	value string
	names map[string]*label
	first *label   // the first of them
	ids   []uint32 // of the needles
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add registers value, to be replaced by a marker that shows name. The pair is counted: it stays until
// [Set.Remove] was called as often as Add. A value with several names is shown under the first of them in
// byte order.
//
// Parts of structured values are registered with them, as the documentation of the package says. In the marker each
// byte of name that is not an ASCII letter, a digit or one of "-_.:/#@+" is shown as "_", and a name that
// holds a registered value is shown as "secret".
//
// Add returns [ErrEmpty] or [ErrShort] and registers nothing if the value is unfit.
func (s *Set) Add(name, value string) error {
	value, err := fit(value)
	if err != nil {
		return err
	}
	s.register(name, value)
	return nil
}

// AddShort registers value as [Set.Add] does, whatever its length. A value of fewer than [MinLength] bytes
// is replaced only where no letter, digit or underscore touches it.
//
// AddShort returns [ErrEmpty], or [ErrCommon] for a short value without any letter or digit and for the words true,
// false and null, and registers nothing then.
func (s *Set) AddShort(name, value string) error {
	value, err := fitShort(value)
	if err != nil {
		return err
	}
	s.register(name, value)
	return nil
}

func (s *Set) register(name, value string) {
	s.turn.Lock()
	defer s.turn.Unlock()
	a := s.prepare(value)
	s.change(func() { s.add(name, value, a).registered++ })
}

// Remove undoes one [Set.Add] or [Set.AddShort] of the same name and value. Removing what is not
// registered does nothing.
func (s *Set) Remove(name, value string) {
	s.turn.Lock()
	defer s.turn.Unlock()
	e := s.entries[trim(value)]
	if e == nil {
		return
	}
	if l := e.names[name]; l != nil && l.registered > 0 {
		s.change(func() {
			l.registered--
			s.unused(l)
		})
	}
}

// Len is the number of distinct values in the set, those that are only retained included.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.entries)
}

// Failures is how often something was withheld because redacting it failed. It is a defect of this package
// whenever it is not 0.
func (s *Set) Failures() uint64 { return s.failures.Load() }

// tooShort reports whether no text of that many bytes holds a value.
func (s *Set) tooShort(size int) bool {
	least := s.least.Load()
	return least == 0 || int64(size) < least
}

// change makes a change while readers wait, and then what follows from it while they need not. The caller has
// the turn.
func (s *Set) change(do func()) {
	s.exclusively(func() {
		do()
		s.sweep()
	})
	if s.x == nil {
		return
	}
	if next := s.x.freshTails(); next != nil {
		s.exclusively(func() { s.x.tails = *next })
	}
}

func (s *Set) exclusively(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// prepare makes the addition of a value, nil if the set holds it. The caller has the turn, and no other lock.
func (s *Set) prepare(value string) *addition {
	if s.x == nil {
		x := newIndex()
		x.pool = &s.scratches
		s.exclusively(func() { s.entries, s.x = make(map[string]*entry), x })
	}
	if s.entries[value] != nil {
		return nil
	}
	value = strings.Clone(value) // a slice of a larger text would keep all of it
	return s.x.prepare(&entry{value: value, names: make(map[string]*label)})
}

// add returns the label of value under name, for the caller to count one more use of it. The addition is what
// prepare returned. The caller holds mu.
func (s *Set) add(name, value string, a *addition) *label {
	e := s.entries[value]
	if e == nil {
		e = a.entry
		s.entries[e.value] = e
		s.x.add(a)
		if isAmbiguous(value) {
			s.ambiguous.Add(1)
		}
		s.least.Store(int64(s.x.shortest))
	}
	l := e.names[name]
	if l == nil {
		l = &label{name: strings.Clone(name), entry: e, item: notRetained}
		e.names[l.name] = l
		s.x.addLabel(name)
		if e.first == nil || name < e.first.name {
			e.first = l
		}
	}
	s.retained.drop(l)
	return l
}

// drop forgets a label, and the value with its last label. The caller holds mu.
func (s *Set) drop(l *label) {
	e := l.entry
	delete(e.names, l.name)
	s.x.removeLabel(l.name)
	if e.first == l {
		e.first = nil
		for _, other := range e.names {
			if e.first == nil || other.name < e.first.name {
				e.first = other
			}
		}
	}
	if len(e.names) == 0 {
		delete(s.entries, e.value)
		s.x.removeEntry(e)
		if isAmbiguous(e.value) {
			s.ambiguous.Add(-1)
		}
		s.least.Store(int64(s.x.shortest))
	}
}

// removeEntry undoes add.
func (x *index) removeEntry(e *entry) {
	x.words = slices.DeleteFunc(slices.Clone(x.words), func(w word) bool { return w.owner == e })
	x.remove(e)
}

// fit trims a value and says what is wrong with it as such.
func fit(value string) (string, error) {
	value = trim(value)
	switch {
	case value == "":
		return "", ErrEmpty
	case len(value) < MinLength:
		return value, ErrShort
	}
	return value, nil
}

// fitShort does the same for a value that may be short.
func fitShort(value string) (string, error) {
	value, err := fit(value)
	if errors.Is(err, ErrShort) {
		if err = nil; !distinct(value) {
			err = ErrCommon
		}
	}
	return value, err
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
