package redact

import (
	"sort"
	"sync"
)

// maxDepth is how often tokens are decoded: twice, and once more since a backslash directly before an
// escaped value shifts the decoding of its first character by one level.
const maxDepth = 3

const (
	// maxScratch is the size up to which a buffer is kept for the next text.
	maxScratch = 4 << 20
	// maxSpans is the same for a list of spans.
	maxSpans = 1 << 16
)

// scratch is the working memory for texts that have to be decoded or edited.
type scratch struct {
	levels [maxDepth]view // each is the one before, decoded
	depth  int            // how many levels there are
	spans  []span         // of the text
	within []span         // of a level
}

// release forgets the texts, which may hold values, and what was needed for uncommonly large ones.
func (sc *scratch) release(pool *sync.Pool) {
	for i := range sc.levels {
		v := &sc.levels[i]
		v.wipe()
		if cap(v.buf) > maxScratch {
			v.buf, v.segs = nil, nil
		}
	}
	sc.spans, sc.within = forget(sc.spans), forget(sc.within)
	pool.Put(sc)
}

// forget empties a list of spans, whose owners hold values: nothing is left behind its end. One that was uncommonly
// long is not kept.
func forget(spans []span) []span {
	if cap(spans) > maxSpans {
		return nil
	}
	clear(spans)
	return spans[:0]
}

func newScratch(pool *sync.Pool) *scratch {
	if sc, ok := pool.Get().(*scratch); ok {
		return sc
	}
	return new(scratch)
}

// holds reports whether something that may be hidden stands in t. Markers are not taken into account.
func holds[T text](x *index, t T) bool {
	if len(t) < x.shortest {
		return false
	}
	f := found{first: true}
	if scan(x, t, edges{}, 0, &f) {
		return true
	}
	return mayDecode(t) && holdsDecoded(x, t, &f)
}

// holdsDecoded is what holds does once t itself was searched, where f says in which part of it a hit may begin
// that goes on behind a token.
func holdsDecoded[T text](x *index, t T, f *found) bool {
	d := decoder[T]{tokens: newTokens(t)}
	if p := f.partial; p.end > 0 {
		if d.finds(x, p.start, forth(t, p.end, 1), f) {
			return true
		}
		d = decoder[T]{tokens: newTokens(t)}
	}
	s := sieve[T]{x: x, t: t, pending: -1}
	for lo, hi, ok := s.next(); ok; lo, hi, ok = s.next() {
		if d.finds(x, lo, hi, f) {
			return true
		}
	}
	return false
}

// decoder decodes a text where it has to be, from its beginning to its end.
type decoder[T text] struct {
	tokens tokens[T]
	done   int // what is before needs no more decoding
}

// finds reports whether something stands in t[lo:hi], or around it, once that is decoded.
func (d *decoder[T]) finds(x *index, lo, hi int, f *found) bool {
	t := d.tokens.t
	at := max(d.done, unbroken(t, back(t, lo, x.margin)))
	sc := newScratch(x.pool)
	defer sc.release(x.pool)
	for at < hi {
		from, to, ok := d.tokens.region(at, x.margin)
		if !ok {
			return false
		}
		if decodes(x, sc, t[from:to], around(t, from, to, edges{}), f) {
			return true
		}
		at, d.done = to, to
	}
	return false
}

// decodes reports whether something stands in a region once it is decoded.
func decodes[T text](x *index, sc *scratch, region T, e edges, f *found) bool {
	decoded, _ := unescape(&sc.levels[0], region, false, false)
	for depth := 1; decoded; depth++ {
		if scan(x, sc.levels[depth-1].buf, e, depth, f) {
			return true
		}
		if depth == maxDepth {
			break
		}
		decoded, _ = unescape(&sc.levels[depth], sc.levels[depth-1].buf, false, false)
	}
	return false
}

// edges are the bytes before a text, as each level of decoding has it, and after it; 0 if nothing stands
// there.
type edges struct {
	before [maxDepth + 1]byte
	after  byte
}

// markerEdge stands for a marker there: whether a word went on where it is now is not known.
const markerEdge = 'x'

// behind is what stands before a text if that is the same at each level.
func behind(c byte) (before [maxDepth + 1]byte) {
	for i := range before {
		before[i] = c
	}
	return before
}

// around is what stands around t[from:to], where e stands around t.
func around[T text](t T, from, to int, e edges) edges {
	if from > 0 {
		e.before = behind(t[from-1])
	}
	if to < len(t) {
		e.after = t[to]
	}
	return e
}

// region returns the next stretch of text, at or after at, that has to be decoded: tokens, and around them
// as much as a hit needs. What lies farther from a token than that is found without decoding.
func (s *tokens[T]) region(at, margin int) (from, to int, ok bool) {
	pos, size := s.from(at)
	if size == 0 {
		return 0, 0, false
	}
	from = max(at, back(s.t, pos, margin))
	end := pos + size
	for {
		pos, size = s.from(end)
		if size == 0 || pos-end > margin && back(s.t, pos, margin) > forth(s.t, end, margin) {
			return from, forth(s.t, end, margin), true
		}
		end = pos + size
	}
}

// search adds all places in text where something stands that may be hidden to f, cut so that no token is
// taken apart. Offset is where text begins in the text that f is about.
func (sc *scratch) search(x *index, text []byte, offset int, e edges, f *found) {
	f.base = len(f.spans)
	scan(x, text, e, 0, f)
	if offset == 0 && f.open.owner != nil {
		f.spans = append(f.spans, f.open) // as if it had been found here: it must not end within a token either
	}
	sc.decode(x, text, e, f)
	for i := range f.spans[f.base:] {
		f.spans[f.base+i].start += offset
		f.spans[f.base+i].end += offset
		f.spans[f.base+i].found += offset
	}
}

// decode adds what can be found in text only after decoding it to what was found without.
func (sc *scratch) decode(x *index, text []byte, e edges, f *found) {
	tk := newTokens(text)
	from, to, ok := tk.region(0, x.margin)
	if !ok || from > 0 {
		x.wordsAtStart(text, e, 1, f)
	}
	if !ok {
		return
	}
	f.tidy()
	plain := len(f.spans)
	for ok {
		sc.build(text[from:to], false)
		sc.searchLevels(x, from, around(text, from, to, e), f)
		sc.alignPlain(f, plain, from, to)
		from, to, ok = tk.region(to, x.margin)
	}
}

// alignPlain aligns those of the spans before the index plain that reach into a region.
func (sc *scratch) alignPlain(f *found, plain, from, to int) {
	first := f.base + sort.Search(plain-f.base, func(i int) bool { return f.spans[f.base+i].end > from })
	for i := first; i < plain && f.spans[i].start < to; i++ {
		sc.align(&f.spans[i], from, to)
	}
}

// build decodes a region as often as there are tokens in it; with more, which says that the text goes on
// behind it, always as often as is done at all.
func (sc *scratch) build(region []byte, more bool) {
	for sc.depth = 0; sc.depth < maxDepth; sc.depth++ {
		if decoded, _ := unescape(&sc.levels[sc.depth], region, true, more); !decoded && !more {
			return
		}
		region = sc.levels[sc.depth].buf
	}
}

// searchLevels adds what stands in the levels of the region that begins at from.
func (sc *scratch) searchLevels(x *index, from int, e edges, f *found) {
	for depth := range sc.depth {
		in := found{spans: sc.within[:0], holder: f.holder, all: f.all}
		scan(x, sc.levels[depth].buf, e, depth+1, &in)
		if from == 0 && depth == sc.depth-1 {
			x.wordsAtStart(sc.levels[depth].buf, e, depth+2, &in)
		}
		in.tidy()
		for _, s := range in.spans {
			for d := depth; d >= 0; d-- {
				s.start, s.end = sc.levels[d].origin(s.start, s.end)
			}
			s.start, s.end = s.start+from, s.end+from
			s.found = s.end
			sc.align(&s, from, from+sc.levels[0].source)
			f.spans = append(f.spans, s)
		}
		clear(in.spans)
		sc.within = in.spans[:0]
	}
}

// align widens a span so that it does not begin or end within a token of the region, at any level. So what
// is left beside a marker is decoded as before.
func (sc *scratch) align(s *span, from, to int) {
	if s.start > from && s.start <= to {
		s.start = from + sc.floor(0, s.start-from)
	}
	if s.end >= from && s.end < to {
		s.end = from + sc.ceil(0, s.end-from)
	}
}

// floor is the last position at or before pos that is within no token of the given and deeper levels.
func (sc *scratch) floor(depth, pos int) int {
	if depth == sc.depth {
		return pos
	}
	v := &sc.levels[depth]
	src, at := v.floor(pos)
	if deeper := sc.floor(depth+1, at); deeper < at {
		return v.start(deeper)
	}
	return src
}

// ceil is the first position at or after pos that is within no token of the given and deeper levels.
func (sc *scratch) ceil(depth, pos int) int {
	if depth == sc.depth {
		return pos
	}
	v := &sc.levels[depth]
	src, at := v.ceil(pos)
	if deeper := sc.ceil(depth+1, at); deeper > at {
		_, src = v.origin(at, deeper)
	}
	return src
}

// collect adds all places to hide in text to f, sorted, none of them in a marker, overlapping ones made one.
func (sc *scratch) collect(x *index, text []byte, before [maxDepth + 1]byte, f *found) {
	at := 0
	for at < len(text) {
		start, end := x.nextMarker(text, at)
		e := edges{before: before}
		if start < end {
			e.after = markerEdge
		}
		sc.search(x, text[at:start], at, e, f)
		at, before = end, behind(markerEdge)
	}
	finish(text, f)
}

// finish makes the spans whole characters, sorted, and one of those that overlap.
func finish(text []byte, f *found) {
	for i, s := range f.spans {
		f.spans[i].start, f.spans[i].end = wholeRunes(text, s.start, s.end)
	}
	f.base = 0
	f.tidy()
}
