package redact

import (
	"math/bits"
)

// sieve looks for places where decoding may bring a value to light, and decodes only there. Each stretch of a
// needle's size that a token has a part in holds one of a few grams around that token. So most tokens are done
// with after a few look-ups, unless what one stands for may be a part of another.
type sieve[T text] struct {
	x       *index
	t       T
	tokens  tokens[T] // for regions
	done    int       // what is before has been decoded, if it had to be
	lo, hi  int       // what has to be decoded next, if hi is not 0
	end     int       // of the last token
	pending int       // the last place where something begins that a token behind it may complete, or -1
	crowded bool      // whether another such place is near that
	marks   [sieveSize / 64]uint64
}

// sieveSize is how much of a text is searched for tokens together: little enough to stay in the fastest cache.
const sieveSize = 4 << 10

// holds reports whether something stands in the text of a sieve once that is decoded. What the text shows
// as it is was looked for before, and f says where that showed a part of a hit.
func (s *sieve[T]) holds(f *found) bool {
	if p := f.partial; p.end > 0 {
		s.suspect(p.start, forth(s.t, p.end, 1), f)
		if s.decode(f) {
			return true
		}
		s.tokens, s.done = newTokens(s.t), 0
	}
	for from := 0; from < len(s.t); from += sieveSize {
		if !s.mark(from, min(from+sieveSize, len(s.t))) {
			continue
		}
		for i, word := range s.marks {
			for ; word != 0; word &= word - 1 {
				if at := from + 64*i + bits.TrailingZeros64(word); at >= s.end && s.token(at, f) {
					return true
				}
			}
		}
	}
	return s.decode(f)
}

// mark marks where in t[from:to] a token begins, or something that a token behind it may make one.
func (s *sieve[T]) mark(from, to int) (some bool) {
	s.marks = [sieveSize / 64]uint64{}
	for k := range len(starters) {
		for at := from; at < to; at++ {
			i := indexByte(s.t[at:to], starters[k])
			if i < 0 {
				break
			}
			if at += i; at+1 < len(s.t) && follows[s.t[at+1]]>>k&1 != 0 {
				s.marks[(at-from)/64] |= 1 << ((at - from) % 64)
				some = true
			}
		}
	}
	return some
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

// token looks at the mark at, and reports whether something was found.
func (s *sieve[T]) token(at int, f *found) bool {
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
			return s.suspect(s.pending, s.end, f)
		}
	}
	deeper := len(s.x.words) > 0
	for _, b := range c.bytes[:c.n] {
		deeper = deeper || isStarter[b]
	}
	if deeper || s.knows(&s.x.long, start, at, c) || s.knows(&s.x.mid, start, at, c) {
		return s.suspect(at, s.end, f)
	}
	return false
}

// knows reports whether one of the grams around the token at, which ends at s.end and stands for c, is that of a
// needle. They are so chosen that each stretch that c has a part in, or that is on both sides of the token,
// holds one of them.
func (s *sieve[T]) knows(g *grams, start, at int, c char) bool {
	if g.live == 0 {
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
					if !isGap(b) {
						buf[n] = b
						n++
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

// suspect says that t[lo:hi] has to be decoded. It may do so with what was to be decoded before, and reports
// whether something was found there.
func (s *sieve[T]) suspect(lo, hi int, f *found) bool {
	if s.hi > 0 && lo-s.hi <= 2*s.x.margin {
		s.hi = hi
		return false
	}
	yes := s.decode(f)
	s.lo, s.hi = lo, hi
	return yes
}

// decode decodes the regions around what has to be decoded, and reports whether something was found.
func (s *sieve[T]) decode(f *found) bool {
	if s.hi == 0 {
		return false
	}
	hi := s.hi
	s.hi = 0
	at := max(s.done, unbroken(s.t, back(s.t, s.lo, s.x.margin)))
	sc := newScratch(s.x.pool)
	defer sc.release(s.x.pool)
	for at < hi {
		from, to, ok := s.tokens.region(at, s.x.margin)
		if !ok {
			return false
		}
		if decodes(s.x, sc, s.t[from:to], around(s.t, from, to, edges{}), f) {
			return true
		}
		at, s.done = to, to
	}
	return false
}
