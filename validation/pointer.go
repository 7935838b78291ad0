package validation

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Pointer is a JSON pointer (RFC 6901) by its unescaped segments. The nil
// Pointer is the whole document. A segment "*" in a pointer of the policy file
// stands for any one key or index.
type Pointer []string

var errPointer = errors.New(`validation: a JSON pointer must be "" or begin with "/", and hold "~" only as ~0 (for ~) or ~1 (for /)`)

// ParsePointer reads a JSON pointer: "" or "/segment/segment", with ~0 for "~"
// and ~1 for "/". The error never quotes s.
func ParsePointer(s string) (Pointer, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' || !utf8.ValidString(s) {
		return nil, errPointer
	}
	segments := strings.Split(s[1:], "/")
	for i, seg := range segments {
		unescaped, ok := unescape(seg)
		if !ok {
			return nil, errPointer
		}
		segments[i] = unescaped
	}
	return segments, nil
}

// unescape replaces ~1 and ~0 in one pass, so that ~01 is "~1" and not "/".
func unescape(seg string) (string, bool) {
	if !strings.Contains(seg, "~") {
		return seg, true
	}
	var b strings.Builder
	for i := 0; i < len(seg); i++ {
		if seg[i] != '~' {
			b.WriteByte(seg[i])
			continue
		}
		i++
		switch {
		case i < len(seg) && seg[i] == '0':
			b.WriteByte('~')
		case i < len(seg) && seg[i] == '1':
			b.WriteByte('/')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// escape is the opposite of unescape.
func escape(seg string) string {
	return strings.ReplaceAll(strings.ReplaceAll(seg, "~", "~0"), "/", "~1")
}

// String returns the pointer in its escaped form, "" for the whole document.
func (p Pointer) String() string {
	var b strings.Builder
	for _, seg := range p {
		b.WriteByte('/')
		b.WriteString(escape(seg))
	}
	return b.String()
}

// Match reports whether p names the place with exactly these segments, a "*" of
// p standing for any one of them.
func (p Pointer) Match(segments []string) bool {
	if len(p) != len(segments) {
		return false
	}
	for i, seg := range p {
		if seg != "*" && seg != segments[i] {
			return false
		}
	}
	return true
}

// overlaps reports whether a place can lie at or below both pointers.
func (p Pointer) overlaps(q Pointer) bool {
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] && p[i] != "*" && q[i] != "*" {
			return false
		}
	}
	return true
}
