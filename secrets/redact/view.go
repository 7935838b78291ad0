package redact

import (
	"slices"
	"sort"
)

// view is a text with its tokens decoded. Which bytes of the source each of its bytes was made of is noted
// only when the view is built with tracing, since that is needed only after a hit.
type view struct {
	buf    []byte
	segs   []segment
	source int // length of the source
}

// segment says that the bytes of a view from at on come from the source from src on: byte by byte, or, if
// whole is set, all together from everything up to the next segment. The last segment is never whole.
type segment struct {
	at, src int
	whole   bool
}

// wipe empties the view and forgets its text.
func (v *view) wipe() {
	clear(v.buf)
	v.buf, v.segs = v.buf[:0], v.segs[:0]
}

// unescape fills the view with src, its tokens decoded from left to right. It reports whether there was
// any. No token is shorter than what it stands for. With more, src is not all of the text, and decoding
// stops before a token that may go on; done says where.
func unescape[T text](v *view, src T, trace, more bool) (decoded bool, done int) {
	v.wipe()
	v.buf = slices.Grow(v.buf, len(src))
	plain := func(from, to int) {
		if trace {
			v.segs = append(v.segs, segment{at: len(v.buf), src: from})
		}
		v.buf = append(v.buf, src[from:to]...)
	}
	copied, at := 0, 0
	for at < len(src) {
		if !isStarter[src[at]] {
			at++
			continue
		}
		c, used := decodeToken(src[at:], more)
		if used == needMore {
			break
		}
		if used == 0 {
			at++
			continue
		}
		decoded = true
		plain(copied, at)
		if trace {
			v.segs = append(v.segs, segment{at: len(v.buf), src: at, whole: true})
		}
		v.buf = append(v.buf, c.bytes[:c.n]...)
		at += used
		copied = at
	}
	plain(copied, at)
	v.source = at
	return decoded, at
}

// isStarter marks the bytes that a token may begin with.
var isStarter = func() (set [256]bool) {
	for i := range len(starters) {
		set[starters[i]] = true
	}
	return set
}()

// origin maps a range of the view to the range of the source that it was made of.
func (v *view) origin(start, end int) (from, to int) {
	from = v.start(start)
	if start >= end {
		return from, from
	}
	i := v.segment(end - 1)
	if s := v.segs[i]; !s.whole {
		return from, s.src + end - s.at
	}
	return from, v.segs[i+1].src
}

// start is the position in the source of what the byte of the view at pos was made of.
func (v *view) start(pos int) int {
	if pos >= len(v.buf) {
		return v.source
	}
	s := v.segs[v.segment(pos)]
	if s.whole {
		return s.src
	}
	return s.src + pos - s.at
}

// segment is the index of the segment that the byte at pos belongs to.
func (v *view) segment(pos int) int {
	return sort.Search(len(v.segs), func(i int) bool { return v.segs[i].at > pos }) - 1
}

// floor is the last position of the source at or before pos that is not within a token, and where that is
// in the view.
func (v *view) floor(pos int) (src, at int) {
	i := sort.Search(len(v.segs), func(i int) bool { return v.segs[i].src > pos }) - 1
	s := v.segs[i]
	if s.whole {
		return s.src, s.at
	}
	return pos, s.at + pos - s.src
}

// ceil is the first position of the source at or after pos that is not within a token, and where that is
// in the view.
func (v *view) ceil(pos int) (src, at int) {
	i := sort.Search(len(v.segs), func(i int) bool { return v.segs[i].src > pos }) - 1
	s := v.segs[i]
	switch {
	case !s.whole:
		return pos, s.at + pos - s.src
	case s.src == pos:
		return pos, s.at
	}
	return v.segs[i+1].src, v.segs[i+1].at
}
