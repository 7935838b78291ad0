package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// needle is one byte string to look for on behalf of a registered value.
type needle struct {
	text  string
	owner int32 // index of the value in the matcher
	lead  bool  // base64: the character before it also carries bits of the value
	tail  bool  // base64: so does the character after it
}

// needles lists the forms in which a trimmed value is looked for. Escaped forms are not among them: they
// are found by decoding the text instead, since an encoder is free to escape any character.
func needles(value string) []needle {
	var out []needle
	seen := make(map[string]bool)
	add := func(n needle) {
		if !seen[n.text] {
			seen[n.text] = true
			out = append(out, n)
		}
	}
	add(needle{text: value})
	if len(value) < MinLength {
		return out
	}
	unix := strings.ReplaceAll(value, "\r\n", "\n")
	for _, text := range []string{
		unix,
		strings.ReplaceAll(unix, "\n", "\r\n"),
		strings.ReplaceAll(unix, "\n", " "),
		strings.Join(strings.Fields(value), " "), // what a shell makes of an unquoted variable
		replaceInvalid(value),
	} {
		if len(text) >= MinLength {
			add(needle{text: text})
		}
	}
	for _, text := range []string{value, unix} {
		for shift := range 3 {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				add(base64Core(enc, text, shift))
			}
		}
	}
	return out
}

// base64Core is the run of characters that stands in any base64 text whose data holds value at an offset
// that leaves the remainder shift when divided by three. Characters that also carry bits of a neighbouring
// byte are cut off, as they differ from text to text.
func base64Core(enc *base64.Encoding, value string, shift int) needle {
	const sextet = 6
	var (
		bits    = 8 * (shift + len(value))
		first   = (8*shift + sextet - 1) / sextet
		end     = bits / sextet
		encoded = enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	)
	return needle{text: encoded[first:end], lead: 8*shift%sextet != 0, tail: bits%sextet != 0}
}

// replaceInvalid writes U+FFFD for each byte that is no UTF-8, as encoding/json does. The result is empty
// if the value is valid, or if so little of it is left that it would be found everywhere.
func replaceInvalid(value string) string {
	if utf8.ValidString(value) {
		return ""
	}
	var b strings.Builder
	kept := 0
	for _, r := range value { // ranging yields U+FFFD once for each bad byte
		b.WriteRune(r)
		if r != utf8.RuneError {
			kept += utf8.RuneLen(r)
		}
	}
	if kept < MinLength {
		return ""
	}
	return b.String()
}

// isBase64 reports whether c is a character of either base64 alphabet.
func isBase64(c byte) bool { return base64Chars[c>>6]>>(c&63)&1 != 0 }

// base64Chars is the set of the characters of both base64 alphabets, as a bitmap over bytes.
var base64Chars = func() (set [4]uint64) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		set[c>>6] |= 1 << (c & 63)
	}
	return set
}()
