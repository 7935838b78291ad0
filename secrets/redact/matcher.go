package redact

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// Needles of longSize bytes and more are sampled at every ninth byte, shorter ones at every fourth. One
// class for all would make a single short value slow the search for all others.
const (
	longSize, longWidth = 16, 8
	midSize, midWidth   = MinLength, 5
)

// matcher is an immutable snapshot of a set.
type matcher struct {
	needles   []needle
	long, mid *grams
	short     []needle // needles below MinLength, found on word boundaries
	shortest  int
	owners    []owner
	markers   []string // the distinct markers
}

// owner is one registered value.
type owner struct {
	size   int    // of the value
	marker string // what takes its place
	names  []string
}

func newMatcher(entries []*entry, pool *sync.Pool) *matcher {
	m := &matcher{shortest: math.MaxInt}
	for i, e := range entries {
		for _, n := range e.needles {
			n.owner = int32(i)
			m.shortest = min(m.shortest, len(n.text))
			if len(n.text) < MinLength {
				m.short = append(m.short, n)
				continue
			}
			m.needles = append(m.needles, n)
		}
		names := slices.Sorted(maps.Keys(e.names))
		m.owners = append(m.owners, owner{size: len(e.value), names: names})
	}
	m.long = newGrams(m.needles, longSize, longWidth, math.MaxInt)
	m.mid = newGrams(m.needles, midSize, midWidth, longSize)
	for i := range m.owners {
		o := &m.owners[i]
		o.marker = markerStart + m.label(o.names[0], pool) + markerEnd
		m.markers = append(m.markers, o.marker)
	}
	slices.Sort(m.markers)
	m.markers = slices.Compact(m.markers)
	return m
}

// scan appends a span for each needle in text, as it stands and without decoding anything.
func scan[T text](m *matcher, text T, spans []span) []span {
	if m.long != nil {
		spans = scanGrams(m.long, text, m.needles, spans)
	}
	if m.mid != nil {
		spans = scanGrams(m.mid, text, m.needles, spans)
	}
	for _, n := range m.short {
		spans = scanWord(text, n, spans)
	}
	return spans
}

// scanWord appends a span for each place where a short needle stands as a word.
func scanWord[T text](text T, n needle, spans []span) []span {
	for at := 0; ; at++ {
		i := indexByte(text[at:], n.text[0])
		if i < 0 {
			return spans
		}
		at += i
		end := at + len(n.text)
		switch {
		case !hasAt(text, at, n.text):
		case at > 0 && isWord(text[at-1]) && isWord(text[at]):
		case end < len(text) && isWord(text[end-1]) && isWord(text[end]):
		default:
			spans = append(spans, span{start: at, end: end, owner: n.owner})
		}
	}
}

// isWord reports whether c is part of a word; each byte of a non-ASCII character counts as one.
func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

const (
	markerStart = "[redacted:"
	markerEnd   = "]"
	plainLabel  = "secret"
)

// label is the form in which a name may stand in a marker. It needs no escape in JSON, cannot end the
// marker early, and holds no value: a value that was passed as its own name must not be shown by it.
func (m *matcher) label(name string, pool *sync.Pool) string {
	if name == "" || find(m, name, pool) != nil {
		return plainLabel
	}
	plain := []byte(name)
	for i, c := range plain {
		if c >= 0x80 || !isWord(c) && strings.IndexByte("-.:/#@+", c) < 0 {
			plain[i] = '_'
		}
	}
	label := string(plain)
	if find(m, label, pool) != nil {
		return plainLabel
	}
	return label
}
