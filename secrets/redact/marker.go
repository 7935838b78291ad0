package redact

import (
	"bytes"
	"strings"
	"sync/atomic"
	"time"
)

const (
	markerOpen  = "[redacted"
	markerColon = ":"
	markerClose = "]"
	plainLabel  = "secret"

	// foreignMarker stands where a value was that the holder was not given.
	foreignMarker = markerOpen + markerClose
)

// Withheld is what is put out in place of a text when redacting it failed.
const Withheld = markerOpen + markerColon + withheldLabel + markerClose

const withheldLabel = "withheld"

// label is a name that a value was registered under.
type label struct {
	name       string
	entry      *entry
	registered int       // by Add and AddShort, and not removed
	holders    int       // that were given the value under this name and have not ended
	until      time.Time // when it may be forgotten once nobody uses it
	item       int       // index among those that nobody uses
	shown      atomic.Pointer[shown]
}

// shown is the marker of a label, as long as the index has the version that it was made for.
type shown struct {
	marker  string
	version int
}

// marker is what takes the place of a value with this label. A value that was passed as its own name, or
// as a part of that of another, is not shown by it.
func (l *label) marker(x *index) string {
	if l == nil { // forgotten while a stream waited for the end of the value
		return foreignMarker
	}
	if s := l.shown.Load(); s != nil && s.version == x.version {
		return s.marker
	}
	text := readable(l.name)
	if holds(x, l.name) || holds(x, text) {
		text = plainLabel
	}
	s := &shown{marker: markerOpen + markerColon + text + markerClose, version: x.version}
	l.shown.Store(s)
	return s.marker
}

// readable is the form in which a name may stand in a marker: it needs no escape in JSON and cannot end the
// marker early.
func readable(name string) string {
	if name == "" {
		return plainLabel
	}
	plain := []byte(name)
	for i, c := range plain {
		if !isLabel(c) {
			plain[i] = '_'
		}
	}
	return string(plain)
}

func isLabel(c byte) bool { return c < 0x80 && (isWord(c) || strings.IndexByte("-.:/#@+", c) >= 0) }

// addLabel and removeLabel keep count of the names in markers that are taken for markers.
func (x *index) addLabel(name string) {
	text := readable(name)
	x.labels[text]++
	x.maxLabel = max(x.maxLabel, len(text))
}

func (x *index) removeLabel(name string) {
	text := readable(name)
	if x.labels[text]--; x.labels[text] <= 0 {
		delete(x.labels, text)
	}
}

// nextMarker is the range of the first marker in text at or after at; empty, and at the end, if there is
// none.
func (x *index) nextMarker(text []byte, at int) (start, end int) {
	for {
		i := bytes.Index(text[at:], []byte(markerOpen))
		if i < 0 {
			return len(text), len(text)
		}
		start = at + i
		if size := x.markerAt(text[start:]); size > 0 {
			return start, start + size
		}
		at = start + len(markerOpen)
	}
}

// markerAt is the size of the marker at the start of text, 0 if none of this set stands there.
func (x *index) markerAt(text []byte) int {
	rest := text[len(markerOpen):]
	if bytes.HasPrefix(rest, []byte(markerClose)) {
		return len(foreignMarker)
	}
	if !bytes.HasPrefix(rest, []byte(markerColon)) {
		return 0
	}
	rest = rest[len(markerColon):]
	n := bytes.IndexByte(rest[:min(len(rest), max(x.maxLabel, len(withheldLabel))+1)], markerClose[0])
	if n < 0 {
		return 0
	}
	switch name := string(rest[:n]); {
	case name == plainLabel || name == withheldLabel:
	case x.labels[name] == 0 || holds(x, name):
		return 0
	}
	return len(markerOpen) + len(markerColon) + n + len(markerClose)
}

// openMarker is where text may end in the middle of a marker, the end if it does not.
func (x *index) openMarker(text []byte) int {
	window := len(markerOpen) + len(markerColon) + max(x.maxLabel, len(withheldLabel))
	for at := max(0, len(text)-window); ; at++ {
		i := bytes.IndexByte(text[at:], markerOpen[0])
		if i < 0 {
			return len(text)
		}
		at += i
		rest := text[at:]
		n := min(len(rest), len(markerOpen))
		if string(rest[:n]) != markerOpen[:n] {
			continue
		}
		if rest = rest[n:]; len(rest) == 0 || rest[0] == markerColon[0] && allLabel(rest[1:]) {
			return at
		}
	}
}

func allLabel(text []byte) bool {
	for _, c := range text {
		if !isLabel(c) {
			return false
		}
	}
	return true
}
