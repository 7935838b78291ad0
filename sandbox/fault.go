package sandbox

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of what a decoder reads, so that a hostile input costs a bounded
// amount of time and memory.
const (
	maxDepth  = 32
	maxNodes  = 1 << 20
	maxBytes  = 32 << 20
	maxFaults = 256
)

// place is where a value stands of a value, as a list from the leaf to the root, so that a
// place costs one small allocation and text is only built for faults. The nil
// path is the whole input.
type place struct {
	up    *place
	seg   string
	depth int
}

// key returns the place of a key that stands in a schema.
func (p *place) key(name string) *place { return &place{up: p, seg: name, depth: p.len() + 1} }

// index returns the place of an array element.
func (p *place) index(i int) *place { return p.key(strconv.Itoa(i)) }

// member returns the place of a key that an input chose. It shows the key only
// when that is safe, and its index among the sorted keys otherwise.
func (p *place) member(key string, index int) *place {
	if !safeSegment(key) {
		return p.index(index)
	}
	return p.key(key)
}

func (p *place) len() int {
	if p == nil {
		return 0
	}
	return p.depth
}

// String returns p as a JSON pointer.
func (p *place) String() string {
	if p == nil {
		return ""
	}
	segs := make([]string, 0, p.depth)
	for at := p; at != nil; at = at.up {
		segs = append(segs, at.seg)
	}
	var b strings.Builder
	for _, seg := range slices.Backward(segs) {
		b.WriteByte('/')
		b.WriteString(seg)
	}
	return b.String()
}

// safeSegment reports whether a key that an input chose may be shown: it has
// the alphabet of names and does not look like a credential. A name of 20 bytes
// or more without a break, or one that is long and has all three of digits, upper
// and lower case, is taken for one: a random text without digits is no rarity.
func safeSegment(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	var upper, lower, digit bool
	run := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c == '_' || c == '.' || c == '-':
			run = 0
			continue
		default:
			return false
		}
		if run++; run >= 20 {
			return false
		}
	}
	return len(s) < 32 || !upper || !lower || !digit
}

// report records a fault. Faults beyond the bound are counted as one.
func (d *decoder) report(at *place, rule, detail string) {
	if len(d.faults) >= maxFaults {
		d.overflow = true
		return
	}
	d.faults = append(d.faults, Fault{Path: at.String(), Rule: rule, Detail: detail})
}

// err returns the faults of d as an error, or nil when there are none.
func (d *decoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	if d.overflow {
		d.faults = append(d.faults, Fault{Rule: RuleTooManyFaults, Detail: "must have fewer faults than are listed at once"})
	}
	return newError(d.faults)
}
