package redact

import (
	"bytes"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"
)

// span is a place in a text where a value stands.
type span struct {
	start, end int
	owner      int32
}

// maxDepth is how often escapes are decoded: twice, and once more since a backslash directly before an
// escaped value shifts the decoding of its first character by one level.
const maxDepth = 3

// maxScratch is the size up to which a buffer is kept for the next text.
const maxScratch = 4 << 20

// scratch is the working memory for texts that have to be decoded.
type scratch struct {
	levels  [maxDepth]view
	wrapped view
}

// release forgets the texts, which may hold values, and what was needed for uncommonly large ones.
func (s *scratch) release() {
	for _, v := range []*view{&s.levels[0], &s.levels[1], &s.levels[2], &s.wrapped} {
		v.wipe()
		if cap(v.buf) > maxScratch {
			v.buf = nil
		}
		v.segs = nil
	}
}

// find returns where values stand in text, in any order; nil if there are none. A place inside of a marker
// of this set is none, and a place that goes beyond a marker takes all of it: so a marker is never taken
// apart.
func find[T text](m *matcher, text T, pool *sync.Pool) []span {
	if len(text) < m.shortest {
		return nil
	}
	spans := scan(m, text, nil)
	if indexByte(text, '\\') >= 0 || isWrapped(text) {
		spans = findDecoded(m, text, pool, spans)
	}
	if len(spans) > 0 {
		spans = m.spareMarkers([]byte(text), spans)
	}
	if len(spans) == 0 {
		return nil
	}
	return spans
}

// findDecoded appends what can be found only after decoding the text.
func findDecoded[T text](m *matcher, text T, pool *sync.Pool, spans []span) []span {
	sc, ok := pool.Get().(*scratch)
	if !ok {
		sc = new(scratch)
	}
	defer func() {
		sc.release()
		pool.Put(sc)
	}()
	known := len(spans)
	if found := scanViews(m, text, sc, false, spans); len(found) == known {
		return found
	}
	return scanViews(m, text, sc, true, spans)
}

// scanViews appends the spans found in the views of text. They are places in text only with tracing.
func scanViews[T text](m *matcher, text T, sc *scratch, trace bool, spans []span) []span {
	known := len(spans)
	if unwrap(&sc.wrapped, text, trace) {
		spans = scan(m, sc.wrapped.buf, spans)
	}
	if trace {
		sc.wrapped.origins(spans[known:])
	}
	if !unescape(&sc.levels[0], text, trace) {
		return spans
	}
	for depth := 1; ; depth++ {
		src := sc.levels[depth-1].buf // text decoded depth times
		known := len(spans)
		spans = scan(m, src, spans)
		joined := len(spans)
		if unwrap(&sc.wrapped, src, trace) {
			spans = scan(m, sc.wrapped.buf, spans)
		}
		if trace {
			sc.wrapped.origins(spans[joined:])
			for d := depth - 1; d >= 0; d-- {
				sc.levels[d].origins(spans[known:])
			}
		}
		if depth == maxDepth || !unescape(&sc.levels[depth], src, trace) {
			return spans
		}
	}
}

// isWrapped reports whether base64 may go on from one line to the next somewhere in text.
func isWrapped[T text](text T) bool {
	for at := 0; ; at++ {
		i := indexByte(text[at:], '\n')
		if i < 0 {
			return false
		}
		at += i
		if _, _, next := fold(text, at); next >= 0 {
			return true
		}
	}
}

// spareMarkers drops the spans inside of markers and widens those that reach into one.
func (m *matcher) spareMarkers(text []byte, spans []span) []span {
	var markers []span // in order, none overlaps another
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(markerStart))
		if i < 0 {
			break
		}
		start := at + i
		at = start + 1
		if size := m.markerAt(text[start:]); size > 0 {
			at = start + size
			markers = append(markers, span{start: start, end: at})
		}
	}
	if len(markers) == 0 {
		return spans
	}
	kept := spans[:0]
	for _, s := range spans {
		first := sort.Search(len(markers), func(i int) bool { return markers[i].end > s.start })
		last := sort.Search(len(markers), func(i int) bool { return markers[i].start >= s.end }) - 1
		if first <= last {
			from, to := markers[first], markers[last]
			if first == last && from.start <= s.start && s.end <= from.end {
				continue
			}
			s.start, s.end = min(s.start, from.start), max(s.end, to.end)
		}
		kept = append(kept, s)
	}
	return kept
}

// markerAt is the length of the marker at the start of text, 0 if none of this set stands there.
func (m *matcher) markerAt(text []byte) int {
	end := bytes.IndexByte(text, markerEnd[0]) + 1
	if _, known := slices.BinarySearch(m.markers, string(text[:end])); !known {
		return 0
	}
	return end
}

// merge sorts spans, grows them to whole characters, and makes one of those that overlap. It belongs to
// the longest value among them, or to the first in order of values.
func (m *matcher) merge(text []byte, spans []span) []span {
	for i := range spans {
		spans[i].start, spans[i].end = wholeRunes(text, spans[i].start, spans[i].end)
	}
	slices.SortFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	merged := spans[:0]
	for _, s := range spans {
		last := len(merged) - 1
		if last < 0 || merged[last].end <= s.start {
			merged = append(merged, s)
			continue
		}
		into := &merged[last]
		into.end = max(into.end, s.end)
		if a, b := m.owners[into.owner].size, m.owners[s.owner].size; b > a || a == b && s.owner < into.owner {
			into.owner = s.owner
		}
	}
	return merged
}

// wholeRunes widens a range that begins or ends within a character, so that valid UTF-8 stays valid.
func wholeRunes(text []byte, start, end int) (from, to int) {
	from, to = start, end
	for i := start; i >= 0 && i > start-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if _, n := utf8.DecodeRune(text[i:]); i+n > start {
				from = i
			}
			break
		}
	}
	for i := end - 1; i >= 0 && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if _, n := utf8.DecodeRune(text[i:]); i+n > end {
				to = i + n
			}
			break
		}
	}
	return from, to
}
