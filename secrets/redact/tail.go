package redact

// tails tells how a text may end in the middle of a needle. What is gone stays in it for a while, which
// costs a stream a few bytes that wait longer.
type tails struct {
	firstByte [4]uint64       // those that a hit begins with
	firstPair [1 << 10]uint64 // of bytes, the same
	pairs     [1 << 10]uint64 // of bytes that follow each other in needles
	grams     []uint64        // of longWidth bytes in needles, one bit of a hash each
	shift     uint
	used      int // bytes of all needles that were added
	stale     int // those of needles that are gone
}

const minTails = 1 << 12

func (s *tails) clear() { *s = tails{} }

func (s *tails) add(n *needle) {
	text, starts := n.text, len(n.text)-n.run // the last offset at which a hit may begin
	if s.full(len(text)) {
		s.grow(len(text))
	}
	s.used += len(text)
	var gram uint64
	for i := range len(text) {
		c := text[i]
		if i <= starts {
			s.firstByte[c>>6] |= 1 << (c & 63)
		}
		if i > 0 {
			pair := uint(text[i-1])<<8 | uint(c)
			s.pairs[pair>>6] |= 1 << (pair & 63)
			if i <= starts+1 {
				s.firstPair[pair>>6] |= 1 << (pair & 63)
			}
		}
		gram = gram>>8 | uint64(c)<<(8*(longWidth-1))
		if i >= longWidth-1 {
			h := gram * hashFactor >> s.shift
			s.grams[h>>6] |= 1 << (h & 63)
		}
	}
}

// full reports whether more bytes of needles need a larger table: at most one bit of eight is set.
func (s *tails) full(more int) bool { return 8*(s.used+more) > 64*len(s.grams) }

// mostlyStale reports whether most of what was added is gone.
func (s *tails) mostlyStale() bool { return 4*s.stale > 3*s.used+minTails }

// grow doubles the table, which stays as it is for others that use it, by repeating each bit, as the hash of a gram has one more bit then.
func (s *tails) grow(more int) {
	if s.grams == nil {
		s.grams, s.shift = make([]uint64, minTails/64), 64-12
	}
	for s.full(more) {
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

// open returns the position from which on t may be the beginning of a needle, the end if nowhere; and whether
// all of t may be the middle of one.
func (x *index) open(t []byte) (start int, all bool) {
	var gram uint64
	var later byte
	start, all = len(t), true
	s, n, gap := &x.tails, 0, 0
	for i := len(t) - 1; i >= 0; i-- {
		if all = n < x.longest; !all {
			break
		}
		c := t[i]
		if isGap(c) {
			if gap++; gap > maxGap {
				all = false
				break
			}
			continue
		}
		c = folded[c]
		pair := uint(c)<<8 | uint(later)
		if n > 0 && s.pairs[pair>>6]>>(pair&63)&1 == 0 {
			all = false
			break
		}
		gram = (gram<<8 | uint64(c)) & (1<<(8*longWidth) - 1)
		if n++; n >= longWidth {
			if h := gram * hashFactor >> s.shift; s.grams[h>>6]>>(h&63)&1 == 0 {
				all = false
				break
			}
		}
		if n == 1 && s.firstByte[c>>6]>>(c&63)&1 != 0 || n > 1 && s.firstPair[pair>>6]>>(pair&63)&1 != 0 {
			start = i
		}
		later, gap = c, 0
	}
	if start > 0 && x.longest > 0 && isBase64(t[start-1]) {
		start-- // it may carry bits of what begins there
	}
	for i := range x.words {
		start = min(start, x.words[i].open(t))
	}
	return start, all
}
