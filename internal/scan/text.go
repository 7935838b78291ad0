package scan

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/validation"
)

const (
	// minText is the shortest text that can be a credential.
	minText = 8
	// minEncoded is the shortest base64 that is decoded: what is shorter has no
	// room for a credential.
	minEncoded = 16
	// maxNested bounds how often a text is found to hold another one.
	maxNested = 8
)

// text looks at a text that stands under key: at JSON by its parts, so that names
// are known, and at everything else as it is and with its base64 decoded.
func (w *walker) text(key, s string) {
	if len(s) < minText {
		return
	}
	if w.nested < maxNested && isJSON(s) {
		var err error
		w.deeperText("(text)", func() {
			c := cursor{s: s}
			err = w.value(&c, key)
		})
		if err == nil {
			return
		}
	}
	found := validation.DetectNamed(key, s)
	for _, f := range found {
		w.found(f.Kind, s[f.Start:f.End])
	}
	if w.nested < maxNested && len(s) >= minEncoded {
		w.encoded(key, s, found)
	}
}

// deeperText walks what a text holds.
func (w *walker) deeperText(how string, walk func()) {
	w.nested++
	w.enter(step{key: how})
	w.within(walk)
	w.leave(1)
	w.nested--
}

// encoded decodes what is base64 in s, outside of what was found.
func (w *walker) encoded(key, s string, found []validation.Finding) {
	for at := 0; ; {
		start, end := nextEncoded(s, at)
		if end == 0 {
			return
		}
		at = end
		if overlaps(found, start, end) {
			continue
		}
		name := ""
		if strings.TrimSpace(s) == s[start:end] {
			name = key
		}
		if decoded, ok := decodeText(s[start:end]); ok {
			w.deeperText("(base64)", func() { w.text(name, decoded) })
		}
	}
}

func overlaps(found []validation.Finding, start, end int) bool {
	for _, f := range found {
		if f.Start < end && start < f.End {
			return true
		}
	}
	return false
}

// nextEncoded finds the next run of base64 in s[at:], with its line ends and its
// padding; end is 0 when there is none. It looks at every 16th character only
// where there is none.
func nextEncoded(s string, at int) (start, end int) {
	for probe := at + minEncoded - 1; probe < len(s); {
		if !base64Chars[s[probe]] {
			at = probe + 1
			probe += minEncoded
			continue
		}
		start = probe
		for start > at && base64Chars[s[start-1]] {
			start--
		}
		end = probe + 1
		for end < len(s) && (base64Chars[s[end]] || isWrap(s, start, end)) {
			end++
		}
		if end-start >= minEncoded {
			for end < len(s) && s[end] == '=' {
				end++
			}
			return start, end
		}
		at = end
		probe = at + minEncoded - 1
	}
	return 0, 0
}

// isWrap reports whether the line end at s[at] is one within base64 that is
// wrapped: lines of the same 60 to 80 characters.
func isWrap(s string, start, at int) bool {
	if s[at] == '\r' {
		return at+1 < len(s) && s[at+1] == '\n' && isWrap(s, start, at+1)
	}
	if s[at] != '\n' {
		return false
	}
	line := strings.LastIndexByte(s[start:at], '\n') + 1
	n := len(strings.TrimSuffix(s[start+line:at], "\r"))
	return n >= 60 && n <= 80
}

// base64Chars are the characters of both alphabets.
var base64Chars = func() (set [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		set[c] = true
	}
	return set
}()

var unwrap = strings.NewReplacer("\r", "", "\n", "", "-", "+", "_", "/", "=", "")

// decodeText decodes base64 in either alphabet, padded or not, and reports
// whether text came out: random bytes do not look like it.
func decodeText(s string) (string, bool) {
	s = unwrap.Replace(s)
	if len(s)%4 == 1 {
		return "", false
	}
	// The beginning tells, and most of what looks like base64 is none.
	var head [minEncoded / 4 * 3]byte
	n, err := base64.RawStdEncoding.Decode(head[:], []byte(s[:min(len(s)/4*4, minEncoded)]))
	if err != nil || !isText(string(head[:n]), true) {
		return "", false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil || !isText(string(decoded), false) {
		return "", false
	}
	return string(decoded), true
}

// isText reports whether s is UTF-8 without control characters. A text that was
// cut may end within a character.
func isText(s string, cut bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < 0x80 {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != 0x1b || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return cut && !utf8.FullRuneInString(s[i:])
		}
		i += n
	}
	return true
}
