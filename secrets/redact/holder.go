package redact

import (
	"errors"
	"iter"
	"sync/atomic"
	"time"
)

const (
	// Retention is how long a value stays in its set after all holders that were given it have ended.
	Retention = 24 * time.Hour
	// LeaseRetention is how long a leased value stays after the end of its lease.
	LeaseRetention = 10 * time.Minute
	// DefaultMaxRetained is how many values without a holder are kept if [Set.MaxRetained] is 0.
	DefaultMaxRetained = 10_000
)

// ErrEnded is returned for a value that is given to a [Holder] that has ended.
var ErrEnded = errors.New("redact: the holder has ended: make a new one for each task or session")

// Holder is a task, session or lease that is given values. What it puts out is redacted by its methods: a
// marker shows the name of a value that this holder was given, and "[redacted]" for those of others, so
// that a dictionary that a job prints teaches it nothing. All methods are safe for concurrent use.
type Holder struct {
	set          *Set
	own, foreign atomic.Uint64

	// Guarded by the locks of the set.
	labels map[*entry]*label // that name the markers
	uses   map[*label]time.Time
	ended  bool
}

// NewHolder returns a holder that was given nothing yet.
func (s *Set) NewHolder() *Holder { return &Holder{set: s} }

// Set returns the set that h is a holder of.
func (h *Holder) Set() *Set { return h.set }

// View returns a holder that was given these values, each under its name, by others that keep them: it registers
// nothing, keeps nothing, and need not be ended. A value that the set does not hold under its name, or no more, is
// shown as those of others are. A nil given stands for none.
func (s *Set) View(given iter.Seq2[string, string]) *Holder {
	h := s.NewHolder()
	if given == nil {
		return h
	}
	h.labels = make(map[*entry]*label)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name, value := range given {
		e := s.entries[trim(value)]
		if e == nil || h.labels[e] != nil {
			continue
		}
		if l := e.names[name]; l != nil {
			h.labels[e] = l
		}
	}
	return h
}

// Add registers a value as [Set.Add] does, and says that the holder was given it. The value stays in the set
// until [Retention] after the last of its holders has ended. A value that a holder is given under several
// names is shown to it under the first of them.
//
// Add returns [ErrEmpty] or [ErrShort] if the value is unfit, and [ErrEnded] after [Holder.End].
func (h *Holder) Add(name, value string) error { return h.AddLeased(name, value, time.Time{}) }

// AddLeased is [Holder.Add] for a value that is worth nothing after end: it stays in the set until
// [LeaseRetention] after that, and at least as long as the holder has not ended. The zero time stands for a
// value that is not leased.
func (h *Holder) AddLeased(name, value string, end time.Time) error {
	value, err := fit(value)
	if err != nil {
		return err
	}
	return h.give(name, value, end)
}

// AddShort is [Holder.Add] for a value of any length, as [Set.AddShort] takes it. It returns [ErrEmpty], [ErrCommon]
// or [ErrEnded] and registers nothing then.
func (h *Holder) AddShort(name, value string) error {
	value, err := fitShort(value)
	if err != nil {
		return err
	}
	return h.give(name, value, time.Time{})
}

func (h *Holder) give(name, value string, end time.Time) error {
	s := h.set
	s.turn.Lock()
	defer s.turn.Unlock()
	if h.ended {
		return ErrEnded
	}
	a := s.prepare(value)
	s.change(func() { h.take(s.add(name, value, a), end) })
	return nil
}

// take counts a label as one of those that the holder was given.
func (h *Holder) take(l *label, end time.Time) {
	if h.labels == nil {
		h.labels = make(map[*entry]*label)
	}
	if h.uses == nil {
		h.uses = make(map[*label]time.Time)
	}
	if known, again := h.uses[l]; !again {
		l.holders++
		h.uses[l] = end
	} else if end.IsZero() || !known.IsZero() && end.After(known) {
		h.uses[l] = end
	}
	if h.labels[l.entry] == nil {
		h.labels[l.entry] = l
	}
}

// End says that the holder puts out nothing more. What it was given stays in the set for a while, as [Holder.Add]
// and [Holder.AddLeased] say. Ending a holder again does nothing.
func (h *Holder) End() {
	s := h.set
	s.turn.Lock()
	defer s.turn.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	s.change(h.release)
}

// release counts down what the holder was given.
func (h *Holder) release() {
	now := h.set.now()
	for l, end := range h.uses {
		until := now.Add(Retention)
		if !end.IsZero() {
			until = end.Add(LeaseRetention)
		}
		if until.After(l.until) {
			l.until = until
		}
		l.holders--
		h.set.unused(l)
	}
}

// Bytes is [Set.Bytes] with the markers of this holder.
func (h *Holder) Bytes(in []byte) (out []byte, hits int) {
	out, n := h.set.edit(h, in, Withheld, (*pass).replace)
	return out, h.count(n)
}

// String is [Set.String] with the markers of this holder.
func (h *Holder) String(in string) (out string, hits int) {
	out, n := h.set.editString(h, in)
	return out, h.count(n)
}

// JSON is [Set.JSON] with the markers of this holder.
func (h *Holder) JSON(in []byte) (out []byte, hits int) {
	out, n := h.set.editJSON(h, in)
	return out, h.count(n)
}

// Hits is how many markers this holder's output has got so far for values that it was given, and for values
// that it was not: the latter are a sign that it tries to find out what others have.
func (h *Holder) Hits() (own, foreign uint64) { return h.own.Load(), h.foreign.Load() }

func (h *Holder) count(n counts) (hits int) {
	if n.hits() > 0 {
		h.own.Add(uint64(n.own))         //nolint:gosec // counts are not negative
		h.foreign.Add(uint64(n.foreign)) //nolint:gosec // as above
	}
	return n.hits()
}

// label is what names the markers of a value, nil if the holder was not given it, or if all that kept it under
// this name have let go of it.
func (h *Holder) label(e *entry) *label {
	if l := h.labels[e]; l != nil && e.names[l.name] == l {
		return l
	}
	return nil
}

// given reports whether the holder was given a value. Without a holder every value counts as given.
func (h *Holder) given(e *entry) bool { return h == nil || h.label(e) != nil }
