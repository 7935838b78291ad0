package redact

import (
	"bytes"
	"slices"
)

// maxPasses bounds how often a text is redacted again because a marker and its surroundings make up
// another value. A text that needs more is withheld.
const maxPasses = 16

// Bytes returns in with a marker in each place where a registered value stands, and the number of these
// places. If there is none, out is in itself; in is never changed.
func (s *Set) Bytes(in []byte) (out []byte, hits int) {
	return s.redact(in, (*matcher).replace)
}

// String returns in with a marker in each place where a registered value stands, and the number of these
// places. Valid UTF-8 stays valid.
func (s *Set) String(in string) (out string, hits int) {
	if !s.ContainsString(in) {
		return in, 0
	}
	edited, hits := s.Bytes([]byte(in))
	return string(edited), hits
}

// Contains reports whether b holds a registered value, that is whether [Set.Bytes] would change it.
func (s *Set) Contains(b []byte) bool {
	m := s.current.Load()
	return m != nil && find(m, b, &s.scratch) != nil
}

// ContainsString reports whether str holds a registered value.
func (s *Set) ContainsString(str string) bool {
	m := s.current.Load()
	return m != nil && find(m, str, &s.scratch) != nil
}

// Names lists the names of all values that str holds, sorted, each once and as they were registered. It
// is nil if there are none. A name may itself be what someone mistook for a name: it is not redacted.
func (s *Set) Names(str string) []string {
	m := s.current.Load()
	if m == nil {
		return nil
	}
	var names []string
	for _, sp := range find(m, str, &s.scratch) {
		names = append(names, m.owners[sp.owner].names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// redact applies replace until nothing is found any more.
func (s *Set) redact(in []byte, replace func(m *matcher, text []byte, spans []span) []byte) (out []byte, hits int) {
	m := s.current.Load()
	if m == nil {
		return in, 0
	}
	out = in
	for pass := 0; ; pass++ {
		spans := find(m, out, &s.scratch)
		if len(spans) == 0 {
			return out, hits
		}
		spans = m.merge(out, spans)
		hits += len(spans)
		if pass == maxPasses {
			whole := []span{{start: 0, end: len(out), owner: spans[0].owner}}
			return replace(m, out, whole), hits
		}
		out = replace(m, out, spans)
	}
}

// replace returns a copy of text with a marker for each of the sorted spans.
func (m *matcher) replace(text []byte, spans []span) []byte {
	edits := make([]edit, len(spans))
	for i, sp := range spans {
		edits[i] = edit{start: sp.start, end: sp.end, text: m.owners[sp.owner].marker}
	}
	return apply(text, edits)
}

// edit replaces text[start:end].
type edit struct {
	start, end int
	text       string
}

// apply returns a copy of text with the edits made, which are sorted and do not overlap.
func apply(text []byte, edits []edit) []byte {
	size := len(text)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(text[at:])
	return out.Bytes()
}
