package redact

import "math/bits"

// grams finds runs of needles by sampling. Any stretch of size canonical bytes (a window) holds one stretch of width
// of them (a gram) whose first byte is the first one at or after a multiple of step = size-width+1, since
// gaps only lengthen the stretch. So the text is looked at only there, with gaps squeezed out of the eight
// bytes that are loaded. A filter turns away nearly all positions. Where one passes, the grams that begin before
// it are looked at until one is turned away, and the search goes on a step behind that one; only when all those
// of a stretch pass are the windows that hold the gram looked up. So text made of what many values begin with costs
// little more than other text, as long as it holds no whole window of them.
//
// Adding and removing a needle touches only its own grams and windows. When a table is full, a larger one takes its
// place.
type grams struct {
	size, width, step int
	mask              uint64   // of the bytes of a gram
	low               uint64   // of the high bits of these bytes
	filter            []uint64 // two bits of one word are set for each gram
	word              uint     // shift from a hash to an index of it
	listed            gramSet
	windows           windows
}

const (
	minSlots   = 1 << 8
	filterBits = 8 // for each slot of the set of grams

	hashFactor = 0x9e3779b97f4a7c15
	lowerCase  = 0x2020202020202020
	highBits   = 0x8080808080808080
)

func newGrams(size, width int) grams {
	g := grams{size: size, width: width, step: size - width + 1, mask: 1<<(8*width) - 1}
	g.low = highBits & g.mask
	return g
}

// gaps marks the high bit of each byte of x that is a gap.
func gaps(x uint64) uint64 {
	const most = 0x7f7f7f7f7f7f7f7f
	return ^((x & most) + (0x7f-' ')*0x0101010101010101 | x) & highBits
}

// squeeze removes the first of the bytes of x that are marked, if there is one.
func squeeze(x, marks uint64) (squeezed, left uint64) {
	first := marks & -marks
	above := -(first >> 7) // the bytes from that one on
	return x ^ (x^x>>8)&above, (marks ^ first) >> 8
}

// hash is the same for grams that differ only by case. Its upper bits depend on all of the gram, and are
// what is used.
func hash(gram uint64) uint64 { return (gram | lowerCase) * hashFactor }

// pattern is the two bits that a gram has in its word of the filter.
func pattern(h uint64) uint64 { return 1<<(h>>32&63) | 1<<(h>>26&63) }

// matches has its last bit set if a word of the filter has the pattern of the hash.
func matches(word, h uint64) uint64 { return word >> (h >> 32 & 63) & (word >> (h >> 26 & 63)) }

// full reports whether there is no room for more of both.
func (g *grams) full(by growth) bool {
	return g.listed.full(len(by.grams)) || g.windows.full(len(by.sites))
}

// reset empties the index and makes room for that many grams and windows.
func (g *grams) reset(listed, windows int) {
	g.listed.reset(listed)
	g.windows.reset(windows)
	words := len(g.listed.slots) * filterBits / 64
	g.filter = make([]uint64, words)
	g.word = 64 - uint(bits.Len(uint(words-1)))
}

// capacity is a power of two with room for n things and some more, and the shift from a hash to an index below it.
func capacity(n int) (slots uint64, shift uint) {
	width := bits.Len(uint(max(minSlots-1, 2*n-1)))
	return 1 << width, 64 - uint(width)
}

// list adds a gram.
func (g *grams) list(gram uint64) {
	h := hash(gram)
	g.filter[h>>g.word] |= pattern(h)
	g.listed.add(h)
}

// load reads the gram at offset of a needle.
func (g *grams) load(text string, offset int) uint64 {
	if offset+8 <= len(text) {
		return load64(text, offset) & g.mask
	}
	var gram uint64
	for i := range g.width {
		gram |= uint64(text[offset+i]) << (8 * i)
	}
	return gram
}

// spellings appends each gram that text may show for the canonical one: two bytes of it stand for two
// characters each, which differ by more than case.
func spellings(list []uint64, gram uint64) []uint64 {
	list = append(list, gram)
	if !hasByte(gram, '+') && !hasByte(gram, '/') {
		return list
	}
	known := len(list) - 1
	for shift := 0; gram>>shift != 0; shift += 8 {
		var other uint64
		switch byte(gram >> shift) { //nolint:gosec // one byte is meant
		case '+':
			other = '+' ^ '-'
		case '/':
			other = '/' ^ '_'
		default:
			continue
		}
		for _, p := range list[known:] {
			list = append(list, p^other<<shift)
		}
	}
	return list
}

// hasByte reports whether one of the bytes of x is c, which is not 0; it may also say so if that is c^1.
func hasByte(x uint64, c byte) bool {
	const ones = 0x0101010101010101
	y := x ^ uint64(c)*ones
	return (y-ones)&^y&highBits != 0
}

// scanGrams adds what of the indexed needles stands in t to f, and reports whether that is enough.
func scanGrams[T text](x *index, g *grams, t T, f *found) bool {
	if g.windows.live == 0 {
		return false
	}
	f.looked = 0
	for at := g.step - 1; ; at = f.looked + g.step - 1 {
		if g.step == longStep {
			at = candidate[T, [longStep]byte](g, t, at)
		} else {
			at = candidate[T, [midStep]byte](g, t, at)
		}
		if at >= len(t) {
			return false
		}
		if confirm(x, g, t, at, f) {
			return true
		}
	}
}

// candidate is the first probe of t, from at on in steps, that ends a stretch whose grams may all be those of
// needles. It is behind the text if there is none.
//
// Three probes are made together, so that the processor can work on them at the same time and one branch,
// which is nearly never taken, decides about them all. For the same reason the step is given as the length of
// a type, which the compiler knows.
func candidate[T text, S [longStep]byte | [midStep]byte](g *grams, t T, at int) int {
	var sized S
	step := len(sized)
	filter, word, mask, low := g.filter, g.word&63, g.mask, g.low
	for at+2*step+8 <= len(t) {
		s := t[at : at+2*step+8]
		a, b, c := load64(s, 0), load64(s, step), load64(s, 2*step)
		if x, y, z := gaps(a), gaps(b), gaps(c); (x|y|z)&low != 0 {
			// Most text has one or two gaps in a gram, at places that no branch predictor can know.
			a, x = squeeze(a, x)
			b, y = squeeze(b, y)
			c, z = squeeze(c, z)
			a, x = squeeze(a, x)
			b, y = squeeze(b, y)
			c, z = squeeze(c, z)
			if (x|y|z)&low != 0 {
				a = regather(g, t, at, a, x)
				b = regather(g, t, at+step, b, y)
				c = regather(g, t, at+2*step, c, z)
			}
		}
		h, i, j := hash(a&mask), hash(b&mask), hash(c&mask)
		known := matches(filter[h>>word], h) | matches(filter[i>>word], i) | matches(filter[j>>word], j)
		if known&1 == 0 {
			at += 3 * step
			continue
		}
		var is bool
		if at, is = look(g, t, at, at+3*step); is {
			return at
		}
	}
	at, _ = look(g, t, at, len(t))
	return at
}

// look is candidate for the probes before end, one by one. It returns the first, or where to go on.
func look[T text](g *grams, t T, at, end int) (next int, is bool) {
	for at < end {
		if !g.knows(gramAt(g, t, at)) {
			at += g.step
			continue
		}
		if next = behindUnknown(g, t, at); next == at {
			return at, true
		}
		at = next
	}
	return at, false
}

// behindUnknown looks for a gram that no needle has among those that begin less than a step before at. No hit
// holds it, so the next probe is one step behind it, and farther than at. It is at if there is no such gram.
func behindUnknown[T text](g *grams, t T, at int) int {
	filter, word := g.filter, g.word&63
	gap := 0
	for pos, n := at-1, 1; pos >= 0 && n < g.step; pos-- {
		if isGap(t[pos]) {
			if gap++; gap > maxGap {
				return at
			}
			continue
		}
		gram, ok := gramAt(g, t, pos)
		if h := hash(gram); !ok || matches(filter[h>>word], h)&1 == 0 {
			return max(pos+g.step, at+1)
		}
		gap = 0
		n++
	}
	return at
}

// knows reports whether a gram may be one of a needle.
func (g *grams) knows(gram uint64, ok bool) bool {
	h := hash(gram)
	return ok && matches(g.filter[h>>g.word], h)&1 != 0
}

// lists reports whether a gram is one of a needle.
func (g *grams) lists(gram uint64) bool {
	return g.knows(gram, true) && g.listed.has(hash(gram))
}

// gramAt reads the gram that begins at or after at.
func gramAt[T text](g *grams, t T, at int) (gram uint64, ok bool) {
	if at+8 <= len(t) {
		gram = load64(t, at)
		m := gaps(gram)
		if m&g.low == 0 {
			return gram & g.mask, true
		}
		gram, m = squeeze(gram, m)
		if gram, m = squeeze(gram, m); m&g.low == 0 {
			return gram & g.mask, true
		}
	}
	return gather(t, at, g.width)
}

// regather is gram if no gap is left in it, else the one at that place with more gaps left out, or any that is
// known by chance.
func regather[T text](g *grams, t T, at int, gram, marks uint64) uint64 {
	if marks&g.low == 0 {
		return gram
	}
	if at+16 <= len(t) {
		const kept = 1<<48 - 1 // what two squeezes have left
		gram = gram&kept | load64(t, at+8)<<48
		gram, marks = squeeze(gram, gaps(gram))
		if gram, marks = squeeze(gram, marks); marks&g.low == 0 {
			return gram
		}
	}
	gram, _ = gather(t, at, g.width)
	return gram
}

// gather reads a gram that begins at or after at, one byte at a time.
func gather[T text](t T, at, width int) (gram uint64, ok bool) {
	for i, n, gap := at, 0, 0; i < len(t); i++ {
		c := t[i]
		if isGap(c) {
			if gap++; gap > maxGap {
				return 0, false
			}
			continue
		}
		gram |= uint64(c) << (8 * n)
		gap = 0
		if n++; n == width {
			return gram, true
		}
	}
	return 0, false
}
