package redact

import "io"

const (
	// streamChunk is how much of a Write is looked at together.
	streamChunk = 32 << 10
	// longTail is how much may wait before a stream looks at more only when it has got an eighth of that.
	longTail = 4 << 10
	// firstLook is how far back a stream looks at first for what may go on in the next Write.
	firstLook = 64
	// longestToken bounds the size of a token.
	longestToken = max(maxControl, maxEntity)
)

// Writer redacts a stream, in pieces of any size, to the very bytes that [Set.Bytes] makes of the whole.
// What cannot be the beginning of a value, an escape, a character or a marker is written at once; the rest
// waits for the next Write or for Close. How much waits is bounded by the longest value and its encodings,
// not by the stream. A Writer must not be used by several goroutines at the same time.
type Writer struct {
	set    *Set
	holder *Holder
	to     io.Writer
	err    error
	hits   int

	buf    []byte             // what waits
	before [maxDepth + 1]byte // what stood before it, at each level of decoding
	enough int                // how much has to wait before it is worth to look again
	open   span               // reaches from before buf into it, if it has an owner
	out    []byte
}

// NewWriter returns a Writer that writes to w what is left of a stream. Values that are added to the set
// while it is in use count from the next Write on.
func (s *Set) NewWriter(w io.Writer) *Writer { return &Writer{set: s, to: w} }

// NewWriter is [Set.NewWriter] with the markers of this holder.
func (h *Holder) NewWriter(w io.Writer) *Writer { return &Writer{set: h.set, holder: h, to: w} }

// Write takes all of p unless it fails: with what the underlying writer returned, or with [ErrFailed] after
// [Withheld] was written in place of the rest. Nothing is written after that.
func (w *Writer) Write(p []byte) (n int, err error) {
	for len(p) > n && w.err == nil {
		size := min(len(p)-n, streamChunk)
		w.buf = append(w.buf, p[n:n+size]...)
		n += size
		if len(w.buf) >= w.enough {
			w.step(false)
		}
	}
	return n, w.err
}

// Close writes what still waits. It does not close the underlying writer. A Write after Close is part of the
// same stream, but a value that began before Close is not found in it.
func (w *Writer) Close() error {
	if w.err == nil {
		w.step(true)
	}
	return w.err
}

// Hits is how many markers were written so far.
func (w *Writer) Hits() int { return w.hits }

// step writes as much of what waits as can be written, or all of it.
func (w *Writer) step(final bool) {
	var n counts
	if failed := w.redact(final, &n); failed != nil {
		w.err = failed
		w.out = append(w.out[:0], Withheld...)
		n = counts{own: 1}
		clear(w.buf)
		w.buf = nil
	}
	w.hits += n.hits()
	if w.holder != nil {
		w.holder.count(n)
	}
	if len(w.out) == 0 {
		return
	}
	if _, err := w.to.Write(w.out); err != nil && w.err == nil {
		w.err = err
	}
	w.out = w.out[:0]
}

// redact moves what can be written from buf to out.
func (w *Writer) redact(final bool, n *counts) (err error) {
	s := w.set
	defer s.recovered(func() { err = ErrFailed })
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.x == nil {
		if n := len(w.buf); n > 0 {
			w.before = behind(w.buf[n-1])
		}
		w.out = append(w.out, w.buf...)
		w.drop(len(w.buf))
		return nil
	}
	p := s.pass(w.holder)
	defer p.release()
	if w.open.owner != nil || holds(s.x, w.buf) {
		p.f.open = w.open
		p.sc.collect(s.x, w.buf, w.before, &p.f)
	}
	cut, before := len(w.buf), w.before
	if !final {
		cut, before = p.cut(w.buf, w.before, len(w.buf))
		// A hit that reaches over the cut waits, too, where that is affordable: what follows may show that it ends
		// elsewhere, as a word or an escape does.
		if start := p.over(cut); len(w.buf)-start <= 2*s.x.longest+longTail {
			cut, before = p.cut(w.buf, w.before, start)
		}
	}
	w.move(p, cut, n)
	w.before = before
	return nil
}

// move redacts buf[:cut] and keeps the rest, and what reaches into it, for later.
func (w *Writer) move(p *pass, cut int, n *counts) {
	if cut == 0 && len(w.buf) > 0 {
		w.drop(0)
		return
	}
	at := 0
	w.open = span{}
	kept := p.f.spans[:0]
	for _, s := range p.f.spans {
		if s.start >= cut {
			break
		}
		w.out = append(w.out, w.buf[at:s.start]...)
		if s.found > cut {
			w.open = span{end: s.found - cut, found: s.found - cut, owner: s.owner}
			at = cut
			break
		}
		if at = s.end; at > cut { // no token stands there after all
			at = s.found
		}
		w.out = append(w.out, p.marker(s.owner)...)
		kept = append(kept, s)
	}
	clear(p.f.spans[len(kept):])
	p.f.spans = kept
	*n = p.count()
	w.out = append(w.out, w.buf[at:cut]...)
	w.drop(cut)
}

// drop forgets the first n bytes of buf.
func (w *Writer) drop(n int) {
	left := copy(w.buf, w.buf[n:])
	clear(w.buf[left:])
	w.buf = w.buf[:left]
	w.enough = 0
	if left > longTail {
		w.enough = left + left/8
	}
}

// over is where the hit begins that reaches over the position at, or at if there is none.
func (p *pass) over(at int) int {
	for _, s := range p.f.spans {
		if s.start < at && s.end > at {
			return s.start
		}
	}
	return at
}

// cut is the position in text, at most the given one, up to which nothing depends on what follows the text, and what
// stands before that at each level, where before stands before the text.
func (p *pass) cut(text []byte, before [maxDepth + 1]byte, limit int) (int, [maxDepth + 1]byte) {
	x := p.set.x
	base := 0
	for {
		start, end := x.nextMarker(text, base)
		if start == end || end > limit {
			break
		}
		base, before = end, behind(markerEdge)
	}
	text = text[base:]
	text = text[:x.openMarker(text)]
	most, _ := x.open(text)
	most = min(most, openRune(text), limit-base)
	for look := firstLook; ; look *= 2 {
		from := unbroken(text, back(text, len(text), look))
		if from >= most && from > 0 {
			continue
		}
		p.sc.build(text[from:], true)
		at, sure := p.sc.cut(x, most-from)
		if at = p.sc.whole(text, from, from+at); from == 0 || sure && at > from {
			return base + at, p.sc.behind(text, from, at, before)
		}
	}
}

// cut is the position in the region, at most the given one, up to which nothing depends on what follows it
// at any level. It is sure if nothing before the region might change that.
func (sc *scratch) cut(x *index, most int) (at int, sure bool) {
	at, sure = most, true
	for depth := range sc.depth {
		pos := sc.levels[depth].source
		if depth > 0 {
			pos = sc.source(depth-1, pos)
		}
		start, all := x.open(sc.levels[depth].buf)
		sure = sure && !all && start > 1
		at = min(at, pos, sc.source(depth, start))
	}
	return at, sure
}

// behind is what stands before text[at] at each level of the region that begins at from, where before stands
// before the text.
func (sc *scratch) behind(text []byte, from, at int, before [maxDepth + 1]byte) [maxDepth + 1]byte {
	if from > 0 {
		before = behind(text[from-1])
	}
	if at > 0 {
		before[0] = text[at-1]
	}
	at -= from
	for depth := range sc.depth {
		if _, at = sc.levels[depth].floor(at); at > 0 {
			before[depth+1] = sc.levels[depth].buf[at-1]
		}
	}
	return before
}

// source is where in the region the byte at pos of a level comes from.
func (sc *scratch) source(depth, pos int) int {
	for ; depth >= 0; depth-- {
		pos = sc.levels[depth].start(pos)
	}
	return pos
}

// whole is the last position in text at or before at that is within no token of the region that begins at
// from, and within no character.
func (sc *scratch) whole(text []byte, from, at int) int {
	for {
		before := at
		at = from + sc.floor(0, at-from)
		at = max(from, runeAround(text, at).start)
		if at == before {
			return at
		}
	}
}

// unbroken is the last position at or before at that is surely within no token.
func unbroken[T text](t T, at int) int {
	for free := 0; at > 0; at-- {
		if free == longestToken {
			return at + longestToken
		}
		if free++; isStarter[t[at-1]] {
			free = 0
		}
	}
	return 0
}
