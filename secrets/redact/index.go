package redact

import "math"

// index holds the needles of all values in forms that are searched. It is guarded by the lock of its [Set].
type index struct {
	long, mid grams
	tails     tails
	needles   []needle // by id; 0 is none
	free      []uint32
	words     []word // values that are looked for as they are
	margin    int    // no needle needs a longer run for a hit
	longest   int    // no needle is longer
	shortest  int    // no text below this length holds a needle
	labels    map[string]int
	maxLabel  int
	version   int // changes with what is found
}

// Needles of longSize bytes and more are sampled at every eleventh byte, shorter ones at every fourth. One
// class for all would make a single short value slow the search for all others.
const (
	longSize, longWidth = 16, 6
	midSize, midWidth   = MinLength, 5
)

func newIndex() *index {
	x := &index{long: newGrams(longSize, longWidth), mid: newGrams(midSize, midWidth), labels: make(map[string]int)}
	x.clear()
	return x
}

// clear drops what may only be dropped when nothing is indexed.
func (x *index) clear() {
	x.long.reset(0)
	x.mid.reset(0)
	x.tails.clear()
	x.needles, x.free = make([]needle, 1), nil
	x.margin, x.longest, x.maxLabel = secretRun, 0, len(plainLabel)
	x.shortest = math.MaxInt
}

// class is where a needle is indexed.
func (x *index) class(n *needle) *grams {
	if n.run >= longSize {
		return &x.long
	}
	return &x.mid
}

// windows calls visit with the offset of each gram of n that is indexed: those of windows of size bytes so
// close that each run that is a hit holds all of one.
func (g *grams) windows(n *needle, visit func(offset int)) {
	stride := n.run - g.size + 1
	next := n.first
	for start := n.first; start+g.size <= min(len(n.text), maxOffset); start += stride {
		for next = max(next, start); next < start+g.step; next++ {
			visit(next)
		}
	}
}

// add indexes the needles of an entry.
func (x *index) add(e *entry, list []needle) {
	x.version++
	for i := range list {
		n := &list[i]
		n.owner = e
		g := x.class(n)
		if n.run == len(n.text) {
			n.first = g.rarest(n.text)
		}
		x.insert(g, n)
		x.tails.add(n.text)
		x.margin, x.longest = max(x.margin, n.run), max(x.longest, len(n.text))
		x.shortest = min(x.shortest, n.run)
	}
}

func (x *index) insert(g *grams, n *needle) {
	count := 0
	g.each(n, func(uint64, int) { count++ })
	if g.full(count) {
		x.layOut(g, count)
	}
	id := uint32(len(x.needles)) //nolint:gosec // memory ends first
	if k := len(x.free); k > 0 {
		id = x.free[k-1]
		x.free = x.free[:k-1]
		x.needles[id] = *n
	} else {
		x.needles = append(x.needles, *n)
	}
	g.each(n, func(gram uint64, offset int) { g.insert(gram, id, offset) })
	n.owner.ids = append(n.owner.ids, id)
}

// each calls visit with all grams of n that are indexed, in each of their spellings.
func (g *grams) each(n *needle, visit func(gram uint64, offset int)) {
	g.windows(n, func(offset int) {
		g.spellings(n.text, offset, func(gram uint64) { visit(gram, offset) })
	})
}

// layOut makes room in a table for more grams. The needles stay as they are.
func (x *index) layOut(g *grams, more int) {
	g.reset(g.live + more)
	for id := range x.needles {
		if n := &x.needles[id]; n.owner != nil && x.class(n) == g {
			g.each(n, func(gram uint64, offset int) { g.insert(gram, uint32(id), offset) }) //nolint:gosec // ids have 24 bits
		}
	}
}

// rarest is the start of the window of text with the fewest grams that others have, too. Needles that have
// much in common must not be indexed by that: each text with it would have to be compared with all of them.
func (g *grams) rarest(text string) int {
	const enough = 256 // windows are compared for one needle
	sum, best, start := 0, math.MaxInt, 0
	var common [enough + longSize]bool
	for at := 0; at+g.width <= min(len(text), enough+g.width); at++ {
		var gram uint64
		for i := range g.width {
			gram |= uint64(text[at+i]) << (8 * i)
		}
		h := hash(gram)
		if p := pattern(h); g.filter[h>>g.word]&p == p {
			common[at] = true
			sum++
		}
		if at >= g.step && common[at-g.step] {
			sum--
		}
		if first := at - g.step + 1; first >= 0 && sum < best {
			best, start = sum, first
		}
	}
	return start
}

// remove drops the needles of an entry.
func (x *index) remove(e *entry) {
	x.version++
	for _, id := range e.ids {
		n := &x.needles[id]
		g := x.class(n)
		g.each(n, func(gram uint64, offset int) { g.remove(gram, id, offset) })
		*n = needle{}
		x.free = append(x.free, id)
	}
	e.ids = nil
	if len(x.free) == len(x.needles)-1 && len(x.words) == 0 {
		x.clear()
	}
}

// scan adds what stands in t, without decoding anything, to f. It reports whether that is enough.
func scan[T text](x *index, t T, e edges, f *found) bool {
	if scanGrams(x, &x.long, t, f) || scanGrams(x, &x.mid, t, f) {
		return true
	}
	for i := range x.words {
		if scanWord(t, &x.words[i], e, f) {
			return true
		}
	}
	return false
}

// tails tells how a text may end in the middle of a needle. It never forgets anything before it is cleared,
// which costs a stream a few bytes that wait longer.
type tails struct {
	bytes [4]uint64       // that needles hold
	pairs [1 << 10]uint64 // of bytes that follow each other in them
	grams []uint64        // of longWidth bytes, one bit of a hash each
	shift uint
	used  int
}

const minTails = 1 << 12

func (s *tails) clear() { *s = tails{} }

func (s *tails) add(text string) {
	if 8*(s.used+len(text)) > 64*len(s.grams) { // at most one bit of eight is set
		s.grow(len(text))
	}
	s.used += len(text)
	var gram uint64
	for i := range len(text) {
		c := text[i]
		s.bytes[c>>6] |= 1 << (c & 63)
		if i > 0 {
			pair := uint(text[i-1])<<8 | uint(c)
			s.pairs[pair>>6] |= 1 << (pair & 63)
		}
		gram = gram>>8 | uint64(c)<<(8*(longWidth-1))
		if i >= longWidth-1 {
			h := gram * hashFactor >> s.shift
			s.grams[h>>6] |= 1 << (h & 63)
		}
	}
}

// grow doubles the table by repeating each bit, as the hash of a gram has one more bit then.
func (s *tails) grow(more int) {
	if s.grams == nil {
		s.grams, s.shift = make([]uint64, minTails/64), 64-12
	}
	for 8*(s.used+more) > 64*len(s.grams) {
		bigger := make([]uint64, 2*len(s.grams))
		for i, w := range s.grams {
			bigger[2*i], bigger[2*i+1] = double(uint32(w)), double(uint32(w>>32)) //nolint:gosec // halves are meant
		}
		s.grams = bigger
		s.shift--
	}
}

// double writes each bit twice.
func double(half uint32) uint64 {
	x := uint64(half)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	x = (x | x<<1) & 0x5555555555555555
	return x | x<<1
}

// open returns the position from which on t may be the beginning of a needle, the end if nowhere.
func (x *index) open(t []byte) int {
	var gram uint64
	var later byte
	start, n, gap := len(t), 0, 0
	for i := len(t) - 1; i >= 0 && n < x.longest; i-- {
		c := t[i]
		if isGap(c) {
			if gap++; gap > maxGap {
				break
			}
			continue
		}
		c = folded[c]
		if !x.tails.holds(c, later, n) {
			break
		}
		gram = (gram<<8 | uint64(c)) & (1<<(8*longWidth) - 1)
		if n++; n >= longWidth {
			if h := gram * hashFactor >> x.tails.shift; x.tails.grams[h>>6]>>(h&63)&1 == 0 {
				break
			}
		}
		later, start, gap = c, i, 0
	}
	if start > 0 && x.longest > 0 && isBase64(t[start-1]) {
		start-- // it may carry bits of what begins there
	}
	for _, w := range x.words {
		start = min(start, w.open(t))
	}
	return start
}

// holds reports whether c, and c before later unless it is the last of n bytes, stands in a needle.
func (s *tails) holds(c, later byte, n int) bool {
	if n == 0 {
		return s.bytes[c>>6]>>(c&63)&1 != 0
	}
	pair := uint(c)<<8 | uint(later)
	return s.pairs[pair>>6]>>(pair&63)&1 != 0
}
