package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
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
// Input that is no valid JSON is redacted as by [Set.Bytes].
func (s *Set) JSON(in []byte) (out []byte, hits int) {
	return s.redact(in, (*matcher).replaceJSON)
}

// replaceJSON returns a copy of the JSON text with the sorted spans redacted.
func (m *matcher) replaceJSON(text []byte, spans []span) []byte {
	if !json.Valid(text) {
		return m.replace(text, spans)
	}
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
			edits = cover(edits, edit{start: node.start, end: node.end, text: quoted(m.owners[spans[i].owner].marker)})
			i++
			continue
		}
		edits = m.editString(edits, text, node, spans[i:i+within])
		keys = keys || node.key
		i += within
	}
	text = apply(text, edits)
	if keys {
		text = m.distinguish(text)
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
func (m *matcher) editString(edits []edit, text []byte, node node, spans []span) []edit {
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
		e := edit{start: start, end: at, text: m.owners[sp.owner].marker}
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
	_, n := decodeEscape(text[at:]) // knows all escapes of JSON
	return at + n
}

// distinguish renames redacted keys that are equal to another key of their object.
func (m *matcher) distinguish(text []byte) []byte {
	nodes := parse(text)
	type member struct {
		object int
		key    string
	}
	taken := make(map[member]bool)
	var redacted []int
	for i, n := range nodes {
		if !n.key {
			continue
		}
		if m.hasMarker(text[n.start:n.end]) {
			redacted = append(redacted, i)
			continue
		}
		taken[member{n.parent, unquoted(text[n.start:n.end])}] = true
	}
	var edits []edit
	for _, i := range redacted {
		n := nodes[i]
		key := unquoted(text[n.start:n.end])
		suffix := ""
		for try := 2; taken[member{n.parent, key + suffix}]; try++ {
			suffix = "#" + strconv.Itoa(try)
		}
		taken[member{n.parent, key + suffix}] = true
		if suffix != "" {
			edits = append(edits, edit{start: n.end - 1, end: n.end - 1, text: suffix})
		}
	}
	return apply(text, edits)
}

// hasMarker reports whether a marker of this set stands in text.
func (m *matcher) hasMarker(text []byte) bool {
	return slices.ContainsFunc(m.markers, func(marker string) bool { return bytes.Contains(text, []byte(marker)) })
}

// quoted is a marker as a JSON string; markers need no escapes.
func quoted(marker string) string { return `"` + marker + `"` }

// unquoted is the content of a JSON string.
func unquoted(token []byte) string {
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		return string(token) // not reached: the text was checked before
	}
	return s
}
