package redact

// gramSet holds the grams of needles, by hash: what the filter lets through by chance is not in it. Each is counted,
// up to a number from which on it stays until the set is made anew.
type gramSet struct {
	slots      []uint32 // hash table with linear probing: a part of the hash, and the count
	home       uint     // shift from a hash to an index
	last       uint64   // index of the last slot
	used, live int      // slots that are not empty, and those of them whose count is not 0
}

const (
	countBits = 8
	maxCount  = 1<<countBits - 1
)

func (s *gramSet) reset(n int) {
	size, shift := capacity(n)
	*s = gramSet{slots: make([]uint32, size), home: shift, last: size - 1}
}

// full reports whether there is no room for more grams.
func (s *gramSet) full(more int) bool { return 4*(s.used+more) > 3*len(s.slots) }

// fingerprint is what a slot keeps of the hash, in place and never 0.
func fingerprint(h uint64) uint32 { return max(uint32(h>>(44-32)), 1<<countBits) &^ maxCount } //nolint:gosec // bits are meant to go

// find is the slot of a gram, or else the one where it belongs.
func (s *gramSet) find(h uint64) *uint32 {
	wanted := fingerprint(h)
	var free *uint32
	for i := h >> s.home; ; i = (i + 1) & s.last {
		slot := &s.slots[i]
		switch {
		case *slot&^maxCount == wanted:
			return slot
		case *slot == 0:
			if free != nil {
				return free
			}
			return slot
		case *slot&maxCount == 0 && free == nil:
			free = slot
		}
	}
}

func (s *gramSet) has(h uint64) bool {
	slot := *s.find(h)
	return slot&^maxCount == fingerprint(h) && slot&maxCount > 0
}

func (s *gramSet) add(h uint64) {
	slot := s.find(h)
	if *slot == 0 {
		s.used++
	}
	if *slot&maxCount == 0 {
		*slot = fingerprint(h)
		s.live++
	}
	if *slot&maxCount < maxCount {
		*slot++
	}
}

// remove undoes one add.
func (s *gramSet) remove(h uint64) {
	slot := s.find(h)
	if count := *slot & maxCount; *slot&^maxCount != fingerprint(h) || count == 0 || count == maxCount {
		return
	}
	if *slot--; *slot&maxCount == 0 {
		s.live--
	}
}
