package redact

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// needle is one string of canonical bytes to look for on behalf of a registered value.
type needle struct {
	text       string
	run        int    // how much of it, in a row, is a hit
	first      int    // offset of the first window of grams that is indexed; others follow every stride bytes
	owner      *entry // nil if the id is free
	lead, tail bool   // base64: the character before its beginning, after its end, also carries bits of the value
}

const (
	// secretRun is how many bytes in a row of a value of at least secretSize bytes are hidden.
	secretRun, secretSize = 16, 24
	// maxEscaped bounds the values that are looked for with escapes.
	maxEscaped = 256
	// encodedRun is the same for the characters of encodings that are rarely cut.
	encodedRun = 64
)

// needles lists what is looked for to find a part of a value. Escaped forms are not among them: they are
// found by decoding the text instead, since an encoder is free to escape any character.
func needles(p part) []needle {
	n := needleList{seen: make(map[string]bool)}
	run := secretRun
	if p.whole || len(p.text) < secretSize {
		run = 0
	}
	forms, tokens := rawForms(p.text)
	if (tokens || run == 0) && len(p.text) <= maxEscaped {
		forms = append(forms, escapedForms(p.text)...)
	}
	for _, text := range forms {
		n.add(canonical(text), run, false, false)
	}
	for _, text := range lineForms(p.text) {
		for shift := range 3 {
			core := base64Core(text, shift)
			n.add(canonical(core.text), run*8/6-1, core.lead, core.tail)
			for _, inner := range []string{core.text, urlAlphabet.Replace(core.text)} {
				for outer := range 3 {
					n.add(canonical(base64Core(inner, outer).text), encodedRun, false, false)
				}
				if !strings.ContainsAny(core.text, "+/") {
					break
				}
			}
		}
	}
	for _, text := range quotedForms(p.text) {
		for shift := range 3 {
			n.add(canonical(base64Core(text, shift).text), encodedRun, false, false)
		}
	}
	n.add(hex.EncodeToString([]byte(p.text)), 2*run, false, false)
	for shift := range 5 {
		n.add(canonical(base32Core(p.text, shift)), run*8/5-1, false, false)
	}
	return n.list
}

type needleList struct {
	list []needle
	seen map[string]bool
}

// add appends a needle, of which run bytes in a row are a hit, or only all of it if run is not positive.
func (n *needleList) add(text string, run int, lead, tail bool) {
	if len(text) < MinLength || n.seen[text] {
		return
	}
	n.seen[text] = true
	if run <= 0 || run > len(text) {
		run = len(text)
	}
	n.list = append(n.list, needle{text: text, run: run, lead: lead, tail: tail})
}

// rawForms are the texts that a value may be seen as when nothing is encoded, or what is has been decoded:
// a value that itself holds escapes is seen with these decoded when those around it are.
// Tokens says that there are escapes in it.
func rawForms(value string) (forms []string, tokens bool) {
	forms = []string{value, replaceInvalid(value), strings.ReplaceAll(value, " ", "+")}
	if strings.Contains(value, "!") {
		forms = append(forms, strings.ReplaceAll(value, "!", "'!'")) // as git quotes it, with the backslash decoded
	}
	for _, text := range utf16Forms(value) {
		if !isASCII(value) { // for others, it has the same canonical bytes
			forms = append(forms, text)
		}
	}
	for _, text := range forms {
		decoded := decodedForms(text)
		tokens = tokens || len(decoded) > 0
		forms = append(forms, decoded...)
	}
	return forms, tokens
}

// decodedForms are what a text becomes when its tokens are decoded, once and more often.
func decodedForms(text string) (forms []string) {
	var v view
	for range maxDepth {
		decoded, _ := unescape(&v, text, false, false)
		if !decoded {
			break
		}
		text = string(v.buf)
		forms = append(forms, text)
	}
	return forms
}

// escapedForms are what common encoders make of a text, one and two of them. They are looked for where a value
// cannot be found by decoding, since that decodes all of a text, and what it takes for an escape is another thing
// than what the encoder wrote. In JSON, the quote of `"%00%00%00` is escaped and the rest, which stands for white
// space, is not; `\%0000` becomes `\\%0000`; and `a"bcdef%4` may stand before a digit.
func escapedForms(text string) []string {
	once := escaped(text)
	forms := once
	for _, form := range once {
		forms = append(forms, escaped(form)...)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

func escaped(text string) (forms []string) {
	plain := jsonContent(text, false)
	quoted, ascii := strconv.Quote(text), strconv.QuoteToASCII(text)
	for _, form := range []string{
		plain, jsonContent(text, true), asciiContent(plain), strings.ReplaceAll(plain, "/", `\/`), quoted[1 : len(quoted)-1], ascii[1 : len(ascii)-1],
		html.EscapeString(text), strings.ReplaceAll(text, "'", `'\''`), strings.ReplaceAll(text, "'", `'"'"'`),
	} {
		if form != text {
			forms = append(forms, form)
		}
	}
	return forms
}

// lineForms are the texts that programs encode as base64 for a value of several lines.
func lineForms(value string) []string {
	unix := strings.ReplaceAll(value, "\r\n", "\n")
	forms := []string{value}
	if unix != value {
		forms = append(forms, unix)
	}
	if windows := strings.ReplaceAll(unix, "\n", "\r\n"); windows != unix && windows != value {
		forms = append(forms, windows)
	}
	return forms
}

// quotedForms are the texts in which programs hold a value that they encode as base64: string literals of
// JSON, a query, UTF-16.
func quotedForms(value string) []string {
	forms := utf16Forms(value)[:1] // big endian is not what programs for Windows use
	if !isPlain(value) {
		plain := jsonContent(value, false)
		forms = append(forms, jsonContent(value, true), plain, asciiContent(plain), url.QueryEscape(value), url.PathEscape(value))
	}
	return forms
}

// jsonContent is value as encoding/json writes it, without the quotes.
func jsonContent(value string, html bool) string {
	if isPlain(value) {
		return value
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(value) != nil {
		return value // cannot happen: every string has a JSON form
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// asciiContent writes the characters of a JSON string that are no printable ASCII as \u.
func asciiContent(content string) string {
	const del = 0x7f
	if isASCII(content) && strings.IndexByte(content, del) < 0 {
		return content
	}
	var b strings.Builder
	for _, r := range content {
		if r < del {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// isPlain reports whether no encoder escapes anything in value.
func isPlain(value string) bool {
	for i := range len(value) {
		if c := value[i]; c >= utf8.RuneSelf || c != '-' && c != '.' && !isWord(c) {
			return false
		}
	}
	return true
}

func isASCII(value string) bool {
	for i := range len(value) {
		if value[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// utf16Forms is value in both byte orders.
func utf16Forms(value string) []string {
	little, big := make([]byte, 0, 2*len(value)), make([]byte, 0, 2*len(value))
	unit := func(u uint16) {
		little = append(little, byte(u), byte(u>>8)) //nolint:gosec // the low byte is meant
		big = append(big, byte(u>>8), byte(u))       //nolint:gosec // as above
	}
	for _, r := range value {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			unit(uint16(high)) //nolint:gosec // a surrogate has 16 bits
			unit(uint16(low))  //nolint:gosec // as above
			continue
		}
		unit(uint16(r)) //nolint:gosec // others need surrogates
	}
	return []string{string(little), string(big)}
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

// base64Core is the run of characters that stands in any base64 text whose data holds value at an offset
// that leaves the remainder shift when divided by three. Characters that also carry bits of a neighbouring
// byte are cut off, as they differ from text to text.
func base64Core(value string, shift int) needle {
	first, end, last := core(len(value), shift, 6)
	encoded := base64.RawStdEncoding.EncodeToString(shifted(value, shift))
	return needle{text: encoded[first:end], lead: 8*shift%6 != 0, tail: end < last}
}

// urlAlphabet turns the standard alphabet of base64 into that for URLs.
var urlAlphabet = strings.NewReplacer("+", "-", "/", "_")

// base32Core is the same for base32, where the remainder is of a division by five.
func base32Core(value string, shift int) string {
	first, end, _ := core(len(value), shift, 5)
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(shifted(value, shift))[first:end]
}

func shifted(value string, shift int) []byte {
	return append(make([]byte, shift, shift+len(value)), value...)
}

// core returns which characters of width bits depend on nothing but size bytes that follow shift others,
// and where the last character that depends on them ends.
func core(size, shift, width int) (first, end, last int) {
	bits := 8 * (shift + size)
	return (8*shift + width - 1) / width, bits / width, (bits + width - 1) / width
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
