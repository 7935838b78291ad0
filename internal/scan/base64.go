package scan

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/validation"
)

const (
	// minEncoded is the shortest base64 that is decoded: what is shorter has no
	// room for a credential.
	minEncoded = 16
	// minHex is the same of hexadecimal text.
	minHex = 2 * minText
	// maxDigest is the longest digest in either. What is longer is decoded whatever
	// comes out.
	maxDigest = 128
)

// base64Chars are the characters of both alphabets.
var base64Chars = charsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")

// encoded decodes what is base64 or hexadecimal in s, outside of what was found.
func (w *walker) encoded(key, s string, found []validation.Finding) {
	for at := 0; ; {
		start, end := nextEncoded(s, at)
		if end == 0 {
			return
		}
		if behind := overlaps(found, start, end); behind > 0 {
			at = max(behind, at+1)
			continue
		}
		at = end
		// A value that is encoded as a whole has the name of its field, and may be
		// bytes of any kind.
		name, whole := "", strings.TrimSpace(s) == s[start:end]
		if whole {
			name = key
		}
		w.stretch(name, strings.TrimRight(s[start:end], "="), whole)
	}
}

// stretch decodes what may be base64 or hexadecimal.
func (w *walker) stretch(name, s string, whole bool) {
	if decoded, ok := decodeHex(s); ok {
		w.deeperText("(hex)", func() { w.text(name, decoded) })
		return
	}
	lines := s
	if strings.IndexByte(s, '\n') >= 0 {
		s = unwrap.Replace(s)
	}
	first, last := len(s), 0 // where the first line ends and the last one begins
	if len(lines) > len(s) {
		first, last = strings.IndexAny(lines, "\r\n"), len(s)-len(lines)+strings.LastIndexAny(lines, " \t\n")+1
	}
	before := w.run.found
	decoded, to, ok := decodeStart(s)
	if ok {
		w.deeperText("(base64)", func() { w.text(name, decoded) })
		if to > last || w.run.found > before {
			return
		}
	}
	if text, from := decodeEnd(s); from < first {
		w.deeperText("(base64)", func() { w.text(name, text) })
		return
	}
	switch {
	case len(lines) > len(s): // lines that do not belong together
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); len(line) >= minEncoded {
				w.stretch("", line, false)
			}
		}
	case whole && !ok:
		if decoded, err := decodeBase64(s); err == nil {
			w.deeperText("(base64)", func() { w.text("", decoded) })
		}
	}
}

// decodeHex decodes hexadecimal text, and reports whether something that can be read
// came out.
func decodeHex(s string) (string, bool) {
	s = strings.TrimPrefix(s, "0x")
	if len(s) < minHex || len(s)%2 != 0 {
		return "", false
	}
	var head [minHex / 2]byte
	if _, err := hex.Decode(head[:], []byte(s[:minHex])); err != nil || len(s) <= maxDigest && !looksDecoded(string(head[:]), true) {
		return "", false
	}
	decoded, err := hex.DecodeString(s)
	return string(decoded), err == nil
}

// decodeStart decodes s if that seems to be base64: most of what has its characters is
// none, and a sample tells that can be read. s[:to] is base64 for certain.
func decodeStart(s string) (decoded string, to int, ok bool) {
	for at := 0; at+minEncoded <= len(s); at += minEncoded {
		sample, valid := decodeSample(s[at:])
		read := valid && looksDecoded(string(sample[:]), at == 0)
		if !read && len(s) <= maxDigest {
			continue
		}
		decoded, err := decodeBase64(s)
		if err == nil && read && at == 0 {
			to = len(s)
			if n := textLength(decoded); n >= len(sample)-utf8.UTFMax && n < len(decoded) {
				to = n/3*4 + 1
			}
		}
		return decoded, to, err == nil
	}
	return "", 0, false
}

// decodeEnd decodes the base64 in s[from:], behind a name or path that has its
// characters, too; from is len(s) when there is none. The last characters tell.
func decodeEnd(s string) (decoded string, from int) {
	for last := len(s); last > len(s)-4 && last >= minEncoded; last-- {
		tail, ok := decodeSample(s[last-minEncoded : last])
		if !ok || !isASCII(string(tail[:])) {
			continue
		}
		from = last - minEncoded
		for from >= 4 {
			if more, ok := decodeSample(s[from-4:]); !ok || !isASCII(string(more[:3])) {
				break
			}
			from -= 4
		}
		if decoded, err := decodeBase64(s[from:]); err == nil {
			return decoded, from
		}
	}
	return "", len(s)
}

// looksDecoded reports whether s is a part of something that can be read, or its
// beginning.
func looksDecoded(s string, first bool) bool {
	return isText(s, true) || isWide(s) || first && (isMarked(s) || isZlib(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if !isTextByte(s[i]) {
			return false
		}
	}
	return true
}

var (
	unwrap   = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")
	standard = strings.NewReplacer("-", "+", "_", "/")
)

// decodeSample decodes the first 16 characters of s in either alphabet. s has as many.
func decodeSample(s string) (out [minEncoded / 4 * 3]byte, ok bool) {
	var in [minEncoded]byte
	copy(in[:], s)
	for i, c := range in {
		switch c {
		case '-':
			in[i] = '+'
		case '_':
			in[i] = '/'
		}
	}
	_, err := base64.RawStdEncoding.Decode(out[:], in[:])
	return out, err == nil
}

// decodeBase64 decodes base64 in either alphabet, without a character at the end
// that stands for less than a byte.
func decodeBase64(s string) (string, error) {
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	decoded, err := base64.RawStdEncoding.DecodeString(standard.Replace(s))
	return string(decoded), err
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
		line := start
		for end = probe + 1; end < len(s); {
			if base64Chars[s[end]] {
				end++
				continue
			}
			next := wrapped(s, line, end)
			if next == 0 {
				break
			}
			line, end = next, next+1
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

// wrapped is where base64 goes on whose line s[line:end] is long enough to be one
// of several, whatever the next one is indented by; 0 when it does not.
func wrapped(s string, line, end int) (next int) {
	if end-line < minEncoded {
		return 0
	}
	next = end
	if s[next] == '\r' {
		next++
	}
	if next >= len(s) || s[next] != '\n' {
		return 0
	}
	for next++; next < len(s) && (s[next] == ' ' || s[next] == '\t'); {
		next++
	}
	if next < len(s) && base64Chars[s[next]] {
		return next
	}
	return 0
}
