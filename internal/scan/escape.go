package scan

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"github.com/sandboxguard/sandboxguard/validation"
)

// unescaped decodes the percent escapes of a URL or form in s, without what was
// found in it as it stands, and reports whether there are any.
func unescaped(s string, found []validation.Finding) (string, bool) {
	at := nextEscape(s, 0)
	if at < 0 {
		return "", false
	}
	s = without(s, found)
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for ; at >= 0; at = nextEscape(s, from) {
		b.WriteString(s[from:at])
		b.WriteByte(unhex(s[at+1])<<4 | unhex(s[at+2]))
		from = at + len("%00")
	}
	b.WriteString(s[from:])
	return b.String(), true
}

// nextEscape is where the next percent escape of s[at:] begins, or -1.
func nextEscape(s string, at int) int {
	for {
		i := strings.IndexByte(s[at:], '%')
		if i < 0 || at+i+2 >= len(s) {
			return -1
		}
		at += i
		if hexChars[s[at+1]] && hexChars[s[at+2]] {
			return at
		}
		at++
	}
}

// unhex is the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// hexChars are the hexadecimal digits.
var hexChars = charsOf("0123456789abcdefABCDEF")

func charsOf(chars string) (set [256]bool) {
	for _, c := range []byte(chars) {
		set[c] = true
	}
	return set
}

// utf16Sample is how much of a text tells that it is UTF-16.
const utf16Sample = 16

// fromUTF16 decodes a text of UTF-16 that begins with its byte order mark or with
// characters of ASCII.
func fromUTF16(s string) (string, bool) {
	order := orderOf(s)
	if order == nil {
		return "", false
	}
	units := make([]uint16, 0, len(s)/2)
	for at := 0; at+2 <= len(s); at += 2 {
		units = append(units, order.Uint16([]byte(s[at:at+2])))
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"), true
}

// orderOf is the byte order of a text of UTF-16, nil of others.
func orderOf(s string) binary.ByteOrder {
	if len(s) < minText {
		return nil
	}
	switch {
	case s[:2] == "\xff\xfe", halves(s, 0):
		return binary.LittleEndian
	case s[:2] == "\xfe\xff", halves(s, 1):
		return binary.BigEndian
	}
	return nil
}

// halves reports whether the sample of s has a character of ASCII in each pair of
// bytes, at the place given, and nothing beside it.
func halves(s string, place int) bool {
	for at := 0; at+2 <= min(len(s), utf16Sample); at += 2 {
		if s[at+1-place] != 0 || !isTextByte(s[at+place]) {
			return false
		}
	}
	return true
}
