package redact

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// span is a place in a text where a part of a value stands.
type span struct {
	start, end int
	// found is where it ended before it was widened to the end of a token. In a stream, what follows may show that
	// there is no such token.
	found int
	owner *entry
}

// found collects what a search finds.
type found struct {
	spans  []span
	holder *Holder         // whose values name a marker before those of others
	first  bool            // whether one is enough
	all    map[*entry]bool // if not nil, takes all values that are found
	base   int             // index of the first span that may be made one with others
	tidied int             // how many spans were left when that was done last
	// partial is a range with all that matches a part of a needle, but too little of it for a hit, if its end
	// is not 0. Only a search for the first hit notes it.
	partial struct{ start, end int }
	last    compared
	looked  int     // windows that begin before were looked up
	family  *family // the last one
	best    *entry  // of it
	looks   int     // how many needles, and runs of several, were looked at
	open    span    // of a stream, reaches into its text if it has an owner
}

// compared is a needle that was found, and where. The grams within it need not be
// compared again: a long value that a text repeats would take its square.
type compared struct {
	needle *needle
	delta  int // from a byte of the needle to its place in the text
	end    int
}

// manySpans is how many are collected before those that overlap are made one.
const manySpans = 1 << 10

// add takes a span and reports whether that is enough.
func (f *found) add(start, end int, owner *entry) bool {
	if f.first {
		return true
	}
	if f.all != nil {
		f.all[owner] = true
	}
	s := span{start: start, end: end, found: end, owner: owner}
	if n := len(f.spans); n > f.base {
		if last := &f.spans[n-1]; last.owner == owner && last.start <= start && start < last.end {
			last.end, last.found = max(last.end, end), max(last.found, end)
			return false
		}
	}
	f.spans = append(f.spans, s)
	if len(f.spans)-f.base >= 2*max(f.tidied, manySpans) {
		f.tidy()
	}
	return false
}

// addFamily is add for a run that several values have.
func (f *found) addFamily(start, end int, by *family) bool {
	if f.first {
		return true
	}
	if f.family != by {
		f.family, f.best = by, by.best(f.holder)
		if f.all != nil {
			for _, e := range by.owners {
				f.all[e] = true
			}
		}
	}
	return f.add(start, end, f.best)
}

// addPartial takes a range that matches a part of a needle.
func (f *found) addPartial(start, end int) {
	if f.partial.end > 0 {
		start, end = min(start, f.partial.start), max(end, f.partial.end)
	}
	f.partial.start, f.partial.end = start, end
}

// tidy sorts the spans from base on and makes one of those that overlap.
func (f *found) tidy() {
	spans := f.spans[f.base:]
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	merged := spans[:0]
	for _, s := range spans {
		if last := len(merged) - 1; last >= 0 && s.start < merged[last].end {
			merged[last].end = max(merged[last].end, s.end)
			merged[last].found = max(merged[last].found, s.found)
			merged[last].owner = f.better(merged[last].owner, s.owner)
			continue
		}
		merged = append(merged, s)
	}
	clear(spans[len(merged):])
	f.spans = f.spans[:f.base+len(merged)]
	f.tidied = len(merged)
}

// better is the one of two values that names a marker for both: one that the holder was given, the longer
// one, or the first in order of values.
func (f *found) better(a, b *entry) *entry {
	if a == b {
		return a
	}
	if mine := f.holder.given(a); mine != f.holder.given(b) {
		if mine {
			return a
		}
		return b
	}
	if rank(a, b) < 0 {
		return a
	}
	return b
}

// wholeRunes widens a range that begins or ends within a character, so that valid UTF-8 stays valid.
func wholeRunes(text []byte, start, end int) (from, to int) {
	from, to = start, end
	if r := runeAround(text, start); r.start < start {
		from = r.start
	}
	if r := runeAround(text, end); r.start < end {
		to = r.end
	}
	return from, to
}

// runeAround is the character that goes on over the position at, or the empty range there.
func runeAround(text []byte, at int) span {
	for i := at - 1; i >= 0 && i > at-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if _, n := utf8.DecodeRune(text[i:]); i+n > at {
				return span{start: i, end: i + n}
			}
			break
		}
	}
	return span{start: at, end: at}
}

// openRune is where a character begins that goes on behind text, the end if none does.
func openRune(text []byte) int {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}
