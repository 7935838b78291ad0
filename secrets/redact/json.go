package redact

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON redacts one JSON value and returns valid JSON of the same shape, together with the number of places
// where a registered value stood. Strings and object keys get markers in these places; if two keys of an
// object become equal, the later ones are told apart by "#2", "#3" and so on. All other bytes stay as they
// are. If there is nothing to redact, out is in itself; in is never changed.
//
// What is no string can only be withheld, which changes the shape there: a number whose text holds a
// registered value, and the smallest array or object around a value that extends over several elements,
// become a string that is the marker.
//
// Input that is no valid JSON is redacted as by [Set.Bytes]. If redacting fails, out is [Withheld] as a JSON
// string.
func (s *Set) JSON(in []byte) (out []byte, hits int) {
	out, n := s.editJSON(nil, in)
	return out, n.hits()
}

func (s *Set) editJSON(h *Holder, in []byte) ([]byte, counts) {
	out, n := s.edit(h, in, quoted(Withheld), (*pass).replaceJSON)
	if s.ambiguous.Load() == 0 || bytes.IndexByte(out, '\\') < 0 || !json.Valid(out) {
		return out, n
	}
	return s.editLeaves(h, out, n)
}

// editLeaves looks at the strings of a JSON text once more, as what they stand for.
// Where a value holds what is an escape elsewhere, decoding a text two ways at once
// takes the value apart; decoding JSON alone does not.
func (s *Set) editLeaves(h *Holder, text []byte, n counts) ([]byte, counts) {
	var edits []edit
	for _, node := range parse(text) {
		if node.kind != stringNode || bytes.IndexByte(text[node.start:node.end], '\\') < 0 {
			continue
		}
		leaf := keyOf(text[node.start:node.end])
		clean, found := s.editString(h, leaf)
		if found.hits() == 0 {
			continue
		}
		n.own, n.foreign = n.own+found.own, n.foreign+found.foreign
		encoded, err := json.Marshal(clean)
		if err != nil { // a string is always encoded
			encoded = []byte(quoted(Withheld))
		}
		edits = append(edits, edit{start: node.start, end: node.end, text: string(encoded)})
	}
	if len(edits) == 0 {
		return text, n
	}
	return apply(text, edits), n
}

// isAmbiguous is true for values that hold what may be part of an escape, or what
// JSON escapes: see editLeaves.
func isAmbiguous(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return strings.ContainsRune("%\\&<>\"'", r) || r < ' ' || r > '~' })
}

// replaceJSON returns a copy of the JSON text with a marker for each span.
func (p *pass) replaceJSON(text []byte) []byte {
	if !json.Valid(text) {
		return p.replace(text)
	}
	spans := p.f.spans
	nodes := parse(text)
	var edits []edit
	keys := false
	for i := 0; i < len(spans); {
		at := innermost(nodes, spans[i])
		node := nodes[at]
		within := 1 // how many of the spans this node holds
		for i+within < len(spans) && spans[i+within].end <= node.end {
			within++
		}
		if node.kind != stringNode {
			edits = cover(edits, edit{start: node.start, end: node.end, text: quoted(p.marker(spans[i].owner))})
			i++
			continue
		}
		edits = p.editString(edits, text, node, spans[i:i+within])
		keys = keys || node.key
		i += within
	}
	text = apply(text, edits)
	if keys {
		text = p.distinguish(text)
	}
	return text
}

// cover appends an edit that withholds a whole node, in place of those inside of it.
func cover(edits []edit, e edit) []edit {
	if n := len(edits); n > 0 && edits[n-1].end >= e.end {
		return edits // withheld already, as part of something larger
	}
	for len(edits) > 0 && edits[len(edits)-1].start >= e.start {
		edits = edits[:len(edits)-1]
	}
	return append(edits, e)
}

// editString appends the edits for the spans that begin in a string, cut down to its content and then
// grown so that no escape is taken apart.
func (p *pass) editString(edits []edit, text []byte, node node, spans []span) []edit {
	if n := len(edits); n > 0 && edits[n-1].end >= node.end {
		return edits
	}
	first, last := node.start+1, node.end-1
	at := first
	for _, sp := range spans {
		start, end := max(sp.start, first), min(sp.end, last)
		// Go on to the character that start is in, then behind the one that end is in.
		for at < start && step(text, at) <= start {
			at = step(text, at)
		}
		start = at
		for at < end {
			at = step(text, at)
		}
		e := edit{start: start, end: at, text: p.marker(sp.owner)}
		if n := len(edits); n > 0 && e.start < edits[n-1].end {
			edits[n-1].end = max(edits[n-1].end, e.end)
			continue
		}
		edits = append(edits, e)
	}
	return edits
}

// step is the position after the character or escape of a JSON string that begins at text[at].
func step(text []byte, at int) int {
	if text[at] != '\\' {
		_, n := utf8.DecodeRune(text[at:])
		return at + n
	}
	_, n := decodeBackslash(text[at:]) // knows all escapes of JSON
	return at + n
}

// distinguish renames redacted keys that are equal to another key of their object.
func (p *pass) distinguish(text []byte) []byte {
	nodes := parse(text)
	type member struct {
		object int
		key    string
	}
	taken := make(map[member]bool)
	next := make(map[member]int) // what to try for one more of the same key
	var redacted []int
	for i, n := range nodes {
		if !n.key {
			continue
		}
		if p.holdsMarker(text[n.start:n.end]) {
			redacted = append(redacted, i)
			continue
		}
		taken[member{n.parent, keyOf(text[n.start:n.end])}] = true
	}
	var edits []edit
	for _, i := range redacted {
		n := nodes[i]
		key := keyOf(text[n.start:n.end])
		suffix := ""
		m := member{n.parent, key}
		try := max(2, next[m])
		for ; taken[member{n.parent, key + suffix}]; try++ {
			suffix = "#" + strconv.Itoa(try)
		}
		taken[member{n.parent, key + suffix}], next[m] = true, try
		if suffix != "" {
			edits = append(edits, edit{start: n.end - 1, end: n.end - 1, text: suffix})
		}
	}
	return apply(text, edits)
}

// holdsMarker reports whether a marker stands in text.
func (p *pass) holdsMarker(text []byte) bool {
	start, end := p.set.x.nextMarker(text, 0)
	return start < end
}

// quoted is a marker as a JSON string; markers need no escapes.
func quoted(marker string) string { return `"` + marker + `"` }

// keyOf is the content of a JSON string.
func keyOf(token []byte) string {
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		return string(token) // not reached: the text was checked before
	}
	return s
}
