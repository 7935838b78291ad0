package secretstest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// window is how many bytes of a canary, or characters of its base64 form,
	// are a hit.
	window = 12
	// minCanary is the shortest canary that can be looked for.
	minCanary = 6
)

// needles are the pieces of text that give a canary away.
type needles struct {
	// byHead holds those of at least window bytes by their first window bytes.
	byHead map[[window]byte][]needle
	// short holds the others.
	short []needle
}

type needle struct{ text, form string }

type hit struct {
	at   int
	form string
}

// needlesOf returns all that is looked for of one canary.
func needlesOf(canary string) *needles {
	n := &needles{byHead: make(map[[window]byte][]needle)}
	n.addWindows(canary, "raw")
	for _, w := range windows(canary) {
		n.add(hex.EncodeToString([]byte(w)), "hexadecimal")
		n.add(strings.ToUpper(hex.EncodeToString([]byte(w))), "hexadecimal")
	}
	for _, w := range characterWindows(canary) {
		for _, once := range escapes(w) {
			n.add(once, "JSON-escaped")
			for _, twice := range escapes(once) {
				n.add(twice, "JSON-escaped twice")
			}
		}
	}
	for _, form := range distinct(append(escapes(canary), canary)) {
		for _, once := range base64Cores(form) {
			n.addWindows(once, "base64")
			for _, twice := range base64Cores(once) {
				n.addWindows(twice, "base64 twice")
			}
		}
	}
	return n
}

func (n *needles) addWindows(text, form string) {
	for _, w := range windows(text) {
		n.add(w, form)
	}
}

func (n *needles) add(text, form string) {
	if len(text) < minCanary {
		return // the core of a short canary's encoding: it would occur by chance
	}
	if len(text) < window {
		n.short = append(n.short, needle{text, form})
		return
	}
	head := [window]byte([]byte(text))
	for _, have := range n.byHead[head] {
		if have.text == text {
			return
		}
	}
	n.byHead[head] = append(n.byHead[head], needle{text, form})
}

// find returns the first place in data where one of n is.
func (n *needles) find(data []byte) (hit, bool) {
	for i := 0; i+window <= len(data); i++ {
		for _, c := range n.byHead[[window]byte(data[i:])] {
			if bytes.HasPrefix(data[i:], []byte(c.text)) {
				return hit{i, c.form}, true
			}
		}
	}
	for _, c := range n.short {
		if i := bytes.Index(data, []byte(c.text)); i >= 0 {
			return hit{i, c.form}, true
		}
	}
	return hit{}, false
}

// windows returns the pieces of s that have window bytes, or s if it has fewer.
func windows(s string) []string {
	if len(s) <= window {
		return []string{s}
	}
	var out []string
	for i := 0; i+window <= len(s); i++ {
		out = append(out, s[i:i+window])
	}
	return out
}

// characterWindows returns the shortest pieces of s that have at least window
// bytes and whole characters: an encoder that escapes characters sees no halves.
func characterWindows(s string) []string {
	if len(s) <= window {
		return []string{s}
	}
	var out []string
	for i := 0; i+window <= len(s); i++ {
		end := i + window
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		if utf8.RuneStart(s[i]) {
			out = append(out, s[i:end])
		}
	}
	return out
}

// escapes returns s as it stands between the quotes of a JSON string, in the
// ways that encoders have: all that Go escapes for HTML, only what must be,
// slashes too, and all but ASCII as \u.
func escapes(s string) []string {
	plain := escapeJSON(s, false)
	return distinct([]string{
		escapeJSON(s, true),
		plain,
		strings.ReplaceAll(plain, "/", `\/`),
		escapeASCII(plain),
	})
}

// distinct returns in without repetitions, in order of text.
func distinct(in []string) []string {
	slices.Sort(in)
	return slices.Compact(in)
}

// escapeJSON returns s as encoding/json writes it.
func escapeJSON(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s // cannot happen: every string has a JSON form
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// escapeASCII writes every character of s that is not ASCII as \u.
func escapeASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// base64Cores returns the characters of the base64 form of any text with s in
// it that depend on s alone, for the three places where s may begin within a
// group and both alphabets.
func base64Cores(s string) []string {
	var out []string
	for shift := range 3 {
		in := append(make([]byte, shift), s...)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString(in)
			from := (shift*8 + 5) / 6
			to := len(in) * 8 / 6
			out = append(out, text[from:to])
		}
	}
	return out
}
