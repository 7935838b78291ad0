package scan

import (
	"strings"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/validation"
)

const (
	// minText is the shortest text that can be a credential.
	minText = 8
	// maxNested bounds how often a text is found to hold another one. What is deeper
	// is counted as not scanned.
	maxNested = 8
)

// text looks at a text that stands under key: at JSON by its parts, so that names
// are known, at binary data by what is in it, and at everything else as plain text.
func (w *walker) text(key, s string) {
	if len(s) < minText {
		return
	}
	if isJSON(s) {
		err := errSyntax
		w.deeperText("(text)", func() {
			c := cursor{s: s}
			err = w.value(&c, key)
		})
		if err == nil {
			return
		}
	}
	if noBinary(s) {
		w.plain(key, s)
		return
	}
	w.binary(key, s)
}

// plain looks at a text as it is, with its escapes decoded and with its base64 decoded.
func (w *walker) plain(key, s string) {
	if len(s) < minText {
		return
	}
	found := validation.DetectNamed(key, s)
	if found == nil {
		found = assigned(s)
	}
	for _, f := range found {
		w.found(f.Kind, s[f.Start:f.End])
	}
	if how, decoded := unescaped(s, found); how != "" && w.deeperText(how, func() { w.text(key, decoded) }) {
		return
	}
	if len(s) >= minEncoded {
		w.encoded(key, s, found)
	}
}

// deeperText walks what a text holds. When that is nested too deep, it is counted
// as not scanned and ok is false.
func (w *walker) deeperText(how string, walk func()) (ok bool) {
	if w.nested >= maxNested {
		w.run.skip(reasonDepth)
		return false
	}
	w.nested++
	w.enter(step{key: how, word: true})
	w.within(walk)
	w.leave(1)
	w.nested--
	return true
}

// isText reports whether s is UTF-8 without control characters. A text that was
// cut may end within a character.
func isText(s string, cut bool) bool {
	n := textLength(s)
	return n == len(s) || cut && !utf8.FullRuneInString(s[n:])
}

// textLength is how much of s is UTF-8 without control characters, from the start.
func textLength(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if !isTextByte(c) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// isTextByte reports whether c is a character of ASCII that texts have.
func isTextByte(c byte) bool {
	return c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r' || c == 0x1b
}

// overlaps returns where the last of what was found in s[start:end] ends, 0 when
// nothing was.
func overlaps(found []validation.Finding, start, end int) (behind int) {
	for _, f := range found {
		if f.Start < end && start < f.End {
			behind = f.End
		}
	}
	return behind
}

// without blanks what was found, so that a second look does not count it again.
func without(s string, found []validation.Finding) string {
	if len(found) == 0 {
		return s
	}
	b := []byte(s)
	for _, f := range found {
		copy(b[f.Start:f.End], strings.Repeat(" ", f.End-f.Start))
	}
	return string(b)
}
