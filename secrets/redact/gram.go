package redact

import "math/bits"

// grams finds needles of at least size bytes by sampling. Any stretch of size bytes holds one stretch of
// width bytes (a gram) that begins at a multiple of step = size-width+1. So the text is looked at only
// there, and of each needle only the step grams of one window of size bytes are indexed. A bitmap turns
// away nearly all positions; what passes is looked up and compared in full.
type grams struct {
	width, step int
	mask        uint64
	shift       uint
	bitmap      []uint64
	slots       []slot // hash table with linear probing; its length is a power of two
	last        uint64 // index of the last slot
	links       []link
}

// slot holds the needles that share a gram, as the head of a chain in links; 0 is an empty slot.
type slot struct {
	gram uint64
	head int
}

// link says that the gram of its chain stands at offset in needle.
type link struct {
	needle, offset, next int
}

const (
	hashFactor = 0x9e3779b97f4a7c15
	// maxWindows bounds the windows that are compared for one needle when the rarest is chosen.
	maxWindows = 1024
)

// newGrams indexes those needles whose text has a length in [size, limit). It returns nil if there are none.
func newGrams(needles []needle, size, width, limit int) *grams {
	g := &grams{width: width, step: size - width + 1, mask: 1<<(8*width) - 1}
	var members []int
	for i, n := range needles {
		if len(n.text) >= size && len(n.text) < limit {
			members = append(members, i)
		}
	}
	if len(members) == 0 {
		return nil
	}
	total := len(members) * g.step
	g.shift = 64 - uint(max(10, bits.Len(uint(total*24))))
	g.bitmap = make([]uint64, 1<<(64-g.shift)/64)
	exponent := bits.Len(uint(2 * total))
	g.slots, g.last = make([]slot, 1<<exponent), 1<<exponent-1
	g.links = make([]link, 1, total+1)
	common := g.count(needles, members)
	for _, i := range members {
		g.insert(i, needles[i].text, common)
	}
	return g
}

// count estimates how often each gram stands in the needles, by hash. Needles that have a prefix in common
// must not be indexed by it: each text with that prefix would have to be compared with all of them.
func (g *grams) count(needles []needle, members []int) []uint16 {
	counts := make([]uint16, 1<<(64-g.shift))
	for _, i := range members {
		text := needles[i].text
		for at := 0; at+g.width <= len(text) && at < maxWindows+g.step; at++ {
			if c := &counts[g.hash(g.load(text, at))]; *c < 1<<16-1 {
				*c++
			}
		}
	}
	return counts
}

// insert indexes the window of the needle whose grams are the rarest.
func (g *grams) insert(index int, text string, counts []uint16) {
	windows := min(len(text)-(g.step+g.width-1), maxWindows) + 1
	sum, best, start := 0, 0, 0
	for at := range windows + g.step - 1 {
		sum += int(counts[g.hash(g.load(text, at))])
		if at >= g.step {
			sum -= int(counts[g.hash(g.load(text, at-g.step))])
		}
		if first := at - g.step + 1; first == 0 || first > 0 && sum < best {
			best, start = sum, first
		}
	}
	for offset := start; offset < start+g.step; offset++ {
		gram := g.load(text, offset)
		h := g.hash(gram)
		g.bitmap[h>>6] |= 1 << (h & 63)
		s := g.find(gram)
		g.links = append(g.links, link{needle: index, offset: offset, next: s.head})
		s.gram, s.head = gram, len(g.links)-1
	}
}

// hash maps a gram to a bit of the bitmap.
func (g *grams) hash(gram uint64) uint64 { return gram * hashFactor >> g.shift }

// find returns the slot of a gram, or the empty slot where it belongs.
func (g *grams) find(gram uint64) *slot {
	for at := gram * hashFactor >> 20 & g.last; ; at = (at + 1) & g.last {
		if s := &g.slots[at]; s.head == 0 || s.gram == gram {
			return s
		}
	}
}

// load reads the gram that begins at text[at:].
func (g *grams) load(text string, at int) uint64 {
	if at+8 <= len(text) {
		return load64(text, at) & g.mask
	}
	var gram uint64
	for i := range g.width {
		gram |= uint64(text[at+i]) << (8 * i)
	}
	return gram
}

// scanGrams appends a span for each place in text where one of the indexed needles stands.
func scanGrams[T text](g *grams, text T, needles []needle, spans []span) []span {
	at := 0
	for ; at+8 <= len(text); at += g.step {
		gram := load64(text, at) & g.mask
		if h := g.hash(gram); g.bitmap[h>>6]>>(h&63)&1 != 0 {
			spans = confirm(g, text, at, gram, needles, spans)
		}
	}
	if at+g.width <= len(text) { // less than eight bytes are left, so this is the last one
		gram := g.load(string(text[at:]), 0)
		spans = confirm(g, text, at, gram, needles, spans)
	}
	return spans
}

// confirm compares the needles that hold gram with the text around at.
func confirm[T text](g *grams, text T, at int, gram uint64, needles []needle, spans []span) []span {
	for l := g.find(gram).head; l != 0; l = g.links[l].next {
		n := &needles[g.links[l].needle]
		start := at - g.links[l].offset
		if start < 0 || !hasAt(text, start, n.text) {
			continue
		}
		end := start + len(n.text)
		if n.lead && start > 0 && isBase64(text[start-1]) {
			start--
		}
		if n.tail && end < len(text) && isBase64(text[end]) {
			end++
		}
		spans = append(spans, span{start: start, end: end, owner: n.owner})
	}
	return spans
}
