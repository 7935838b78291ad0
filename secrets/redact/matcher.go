package redact

import (
	"bytes"
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
func (m *matcher) scan(text []byte, spans []span) []span {
	if m.long != nil {
		spans = m.long.scan(text, m.needles, spans)
	}
	if m.mid != nil {
		spans = m.mid.scan(text, m.needles, spans)
	}
	for _, n := range m.short {
		spans = scanWord(text, n, spans)
	}
	return spans
}

// scanWord appends a span for each place where a short needle stands as a word.
func scanWord(text []byte, n needle, spans []span) []span {
	needle := []byte(n.text) // at most seven bytes, so this stays on the stack
	for from := 0; ; {
		i := bytes.Index(text[from:], needle)
		if i < 0 {
			return spans
		}
		start := from + i
		end := start + len(needle)
		from = start + 1
		if start > 0 && isWord(text[start-1]) && isWord(text[start]) {
			continue
		}
		if end < len(text) && isWord(text[end-1]) && isWord(text[end]) {
			continue
		}
		spans = append(spans, span{start: start, end: end, owner: n.owner})
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
	if name == "" || len(m.find([]byte(name), pool)) > 0 {
		return plainLabel
	}
	label := strings.Map(func(r rune) rune {
		if r >= 0x80 || !isWord(byte(r)) && !strings.ContainsRune("-.:/#@+", r) {
			return '_'
		}
		return r
	}, name)
	if len(m.find([]byte(label), pool)) > 0 {
		return plainLabel
	}
	return label
}
