package scan

import (
	"strings"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/validation"
)

// An escape is a way to write a character in two hexadecimal digits behind a prefix.
type escape struct{ how, prefix string }

// escapes are those of URLs and forms, and those of JSON, Go, Python and JavaScript
// where a text is cut out of a source.
var escapes = [...]escape{{"(percent)", "%"}, {"(escape)", `\u00`}, {"(escape)", `\x`}}

// unescaped returns s with its escapes decoded or its colours taken out, without what
// was found in it as it stands, and how that was written; "" when there is nothing of
// the kind. Of several kinds it does the first: what comes out is looked at again.
func unescaped(s string, found []validation.Finding) (how, decoded string) {
	for _, e := range escapes {
		if at := e.next(s, 0); at >= 0 {
			return e.how, e.decode(without(s, found), at)
		}
	}
	if at := strings.Index(s, colour); at >= 0 {
		return "(colour)", uncoloured(without(s, found))
	}
	return "", ""
}

// decode decodes s, whose first escape stands at the place given.
func (e escape) decode(s string, at int) string {
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for ; at >= 0; at = e.next(s, from) {
		b.WriteString(s[from:at])
		digits := at + len(e.prefix)
		b.WriteByte(unhex(s[digits])<<4 | unhex(s[digits+1]))
		from = digits + 2
	}
	b.WriteString(s[from:])
	return b.String()
}

// next is where the next escape of s[at:] begins, or -1. Only those of a percent sign
// stand for bytes; of the others those above ASCII are left alone.
func (e escape) next(s string, at int) int {
	for {
		i := strings.Index(s[at:], e.prefix)
		digits := at + i + len(e.prefix)
		if i < 0 || digits+1 >= len(s) {
			return -1
		}
		if hexChars[s[digits]] && hexChars[s[digits+1]] && (e.prefix == "%" || unhex(s[digits])<<4 < utf8.RuneSelf) {
			return at + i
		}
		at += i + 1
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

// colour begins what tells a terminal how to show the text that comes.
const colour = "\x1b["

// uncoloured takes that out: parameters, of ' ' to '?', and a last character.
func uncoloured(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		text, rest, more := strings.Cut(s, colour)
		b.WriteString(text)
		if !more {
			return b.String()
		}
		i := 0
		for i < len(rest) && rest[i] >= ' ' && rest[i] <= '?' {
			i++
		}
		s = rest[min(len(rest), i+1):]
	}
}
