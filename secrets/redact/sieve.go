package redact

import "math/bits"

// sieve looks for tokens that have to be decoded. Each stretch of a needle's size that a token has a part in
// holds one of a few grams around that token. So most tokens are done with after a few look-ups, unless what
// one stands for may be a part of another.
type sieve[T text] struct {
	x       *index
	t       T
	lo, hi  int  // of what was found and not returned yet, if hi is not 0
	end     int  // of the last token
	pending int  // the last place where something begins that a token behind it may complete, or -1
	crowded bool // whether another such place is near that

	from, to int    // what is marked
	word     int    // index of the marks that are looked at
	left     uint64 // those of them that are still to be looked at
	marks    [sieveSize / 64]uint64
}

// sieveSize is how much of a text is searched for tokens together: little enough to stay in the fastest cache.
const sieveSize = 2 << 10

// lineSize is up to where looking at each byte takes less than a search for each starter.
const lineSize = 64

// mayDecode reports whether t may hold tokens. It is for short texts: most of these hold none, and a sieve
// takes longer to set up than to find that out.
func mayDecode[T text](t T) bool {
	if len(t) > sieveSize {
		return true
	}
	if len(t) <= lineSize {
		for i := range len(t) {
			if isStarter[t[i]] {
				return true
			}
		}
		return false
	}
	for k := range len(starters) {
		if indexByte(t, starters[k]) >= 0 {
			return true
		}
	}
	return false
}

// next returns the next stretch of text with tokens that have to be decoded, if there is one. They are in
// order and so far apart that no hit belongs to two of them.
func (s *sieve[T]) next() (lo, hi int, ok bool) {
	for at, is := s.mark(); is; at, is = s.mark() {
		if at < s.end || !s.suspects(at, &lo) {
			continue
		}
		if s.hi > 0 && lo-s.hi > 2*s.x.margin {
			lo, hi, s.lo, s.hi = s.lo, s.hi, lo, s.end
			return lo, hi, true
		}
		if s.hi == 0 {
			s.lo = lo
		}
		s.hi = s.end
	}
	lo, hi, s.hi = s.lo, s.hi, 0
	return lo, hi, hi > 0
}

// mark is the next place where a token begins, or something that a token behind it may make one.
func (s *sieve[T]) mark() (at int, ok bool) {
	for s.left == 0 {
		if s.word++; s.from+64*s.word >= s.to && !s.fill() {
			return 0, false
		}
		s.left = s.marks[s.word]
	}
	at = s.from + 64*s.word + bits.TrailingZeros64(s.left)
	s.left &= s.left - 1
	return at, true
}

// fill marks such places in the next part of the text that has any.
func (s *sieve[T]) fill() bool {
	for s.to < len(s.t) {
		s.from, s.to, s.word = s.to, min(s.to+sieveSize, len(s.t)), 0
		clear(s.marks[:])
		some := false
		for k := range len(starters) {
			for at := s.from; at < s.to; at++ {
				i := indexByte(s.t[at:s.to], starters[k])
				if i < 0 {
					break
				}
				if at += i; at+1 < len(s.t) && follows[s.t[at+1]]>>k&1 != 0 {
					s.marks[(at-s.from)/64] |= 1 << ((at - s.from) % 64)
					some = true
				}
			}
		}
		if some {
			return true
		}
	}
	return false
}

// follows tells for each byte which starters it may follow, as a set of their indexes: as part of a token, or
// as the beginning of one.
var follows = func() (sets [256]uint8) {
	for c := range sets {
		for k := range len(starters) {
			if _, used := decodeToken([]byte{starters[k], byte(c)}, true); used != 0 || isStarter[c] {
				sets[c] |= 1 << k
			}
		}
	}
	return sets
}()

// suspects looks at the mark at. If a token that has to be decoded begins there, lo is from where on.
func (s *sieve[T]) suspects(at int, lo *int) bool {
	*lo = at
	c, used := decodeToken(s.t[at:], false)
	near := s.pending >= s.end && at-s.pending < longestToken
	if used == 0 {
		s.pending, s.crowded = at, near
		return false
	}
	start := s.end // of what belongs to no token
	s.end = at + used
	if near {
		if _, size := decodeToken(s.t[s.pending:at], true); size == needMore || s.crowded {
			*lo = s.pending
			return true
		}
	}
	if len(s.x.words) > 0 {
		return true
	}
	for _, b := range c.bytes[:c.n] {
		if isStarter[b] {
			return true
		}
	}
	return s.knows(&s.x.long, start, at, c) || s.knows(&s.x.mid, start, at, c)
}

// knows reports whether one of the grams around the token at, which ends at s.end and stands for c, is that of a
// needle. They are so chosen that each stretch that c has a part in, or that is on both sides of the token,
// holds one of them.
func (s *sieve[T]) knows(g *grams, start, at int, c char) bool {
	if g.windows.live == 0 {
		return false
	}
	const room = longWidth - 1 // for what is before the token
	var buf [room + 2*len(c.bytes) + longWidth]byte
	first, lead := room-(g.width-1), room
	for pos, gap := at, 0; pos > start && lead > first && gap <= maxGap; {
		if pos--; isGap(s.t[pos]) {
			gap++
			continue
		}
		lead--
		buf[lead] = s.t[pos]
		gap = 0
	}
	n := room
	for _, b := range c.bytes[:c.n] {
		if !isGap(b) {
			buf[n] = b
			n++
		}
	}
	last := n - 1
	for pos, gap := s.end, 0; n < last+g.width && pos < len(s.t) && gap <= maxGap; {
		b := s.t[pos]
		if isStarter[b] {
			if next, used := decodeToken(s.t[pos:], false); used > 0 {
				for _, b := range next.bytes[:next.n] {
					if gap++; !isGap(b) {
						buf[n] = b
						n++
						gap = 0
					}
				}
				pos += used
				continue
			}
		}
		if pos++; isGap(b) {
			gap++
			continue
		}
		buf[n] = b
		n++
		gap = 0
	}
	for j := first; ; j += g.step {
		j = min(j, last)
		if j >= lead && j+g.width <= n && g.lists(load64(buf[:], j)&g.mask) {
			return true
		}
		if j == last {
			return false
		}
	}
}
