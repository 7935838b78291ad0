package validation

import (
	"encoding/base64"
	"strings"
)

// addHeaders adds URLs with passwords and Authorization headers to the detector.
func (d *detector) addHeaders() {
	for c := range byte(0x80) {
		if alphaBase62.has(c) { // the last character of the scheme
			d.add(string(rune(c))+"://", alphaBase62, d.matchURL)
		}
	}
	for _, scheme := range []string{"Bear", "bear", "BEAR"} {
		d.add(scheme, alphaLetter, d.matchBearer)
	}
	for _, scheme := range []string{"Basi", "basi", "BASI"} {
		d.add(scheme, alphaLetter, matchBasic)
	}
}

// urlEnd are the characters that end the part of a URL in which user and host stand.
const urlEnd = "/\"'`<> \t\r\n\\,;()|"

// matchURL matches the password of a URL. The scheme ends at s[at].
func (d *detector) matchURL(s string, at int, found []Finding) []Finding {
	const maxAuthority = 1024
	from := at + len("s://")
	authority := s[from:min(len(s), from+maxAuthority)]
	if i := strings.IndexAny(authority, urlEnd); i >= 0 {
		authority = authority[:i]
	}
	// A password may hold "?" and "#" that should have been escaped, and a query or fragment may hold "@".
	if i := strings.IndexAny(authority, "?#"); i >= 0 {
		if _, port, ok := strings.Cut(authority[:i], ":"); !ok || run(port, 0, alphaDigit) == len(port) {
			authority = authority[:i]
		}
	}
	host := strings.LastIndexByte(authority, '@')
	if host < 0 || host+1 == len(authority) {
		return found
	}
	user, password, ok := strings.Cut(authority[:host], ":")
	if !ok || isTrivialPassword(user, password) {
		return found
	}
	start := from + len(user) + 1
	return d.addWithin(found, s, start, start+len(password), kindURLPassword)
}

// matchBearer matches the token of "Bearer …".
func (d *detector) matchBearer(s string, at int, found []Finding) []Finding {
	start, ok := afterScheme(s, at, "bearer")
	if !ok {
		return found
	}
	n := run(s, start, alphaToken68)
	for n > 0 && (s[start+n-1] == '.' || s[start+n-1] == '-') {
		n--
	}
	token := s[start : start+n]
	if n == 0 || !looksRandom(token, textLimits) && matchWhole(token) == nil && d.inner.detect(token, nil) == nil {
		return found
	}
	return d.addWithin(found, s, start, start+n, kindAuthHeader)
}

// matchBasic matches the base64 of "Basic …" if it stands for a user and a password.
func matchBasic(s string, at int, found []Finding) []Finding {
	const minLength, maxLength = 8, 1024
	start, ok := afterScheme(s, at, "basic")
	if !ok {
		return found
	}
	n := run(s, start, alphaBase64)
	if n < minLength || n > maxLength {
		return found
	}
	var decoded [maxLength]byte
	size, err := base64.RawStdEncoding.Decode(decoded[:], []byte(s[start:start+n]))
	if err != nil || !isPrintable(decoded[:size]) {
		return found
	}
	user, password, ok := strings.Cut(string(decoded[:size]), ":")
	if !ok || isTrivialPassword(user, password) {
		return found
	}
	end := start + n
	for end < len(s) && s[end] == '=' {
		end++
	}
	return add(found, Finding{Kind: kindAuthHeader, Start: start, End: end})
}

// afterScheme is where the credential begins if an authorization scheme, in any case, stands at s[at:].
func afterScheme(s string, at int, scheme string) (start int, ok bool) {
	end := at + len(scheme)
	if len(s) <= end || s[end] != ' ' || !startsWord(s, at) || !strings.EqualFold(s[at:end], scheme) {
		return 0, false
	}
	return end + 1, true
}

func isPrintable(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return len(text) > 0
}

// isTrivialPassword reports whether a password is one of documentation and tests, or stands for one.
func isTrivialPassword(user, password string) bool {
	const minLength = 3
	if len(password) < minLength || strings.EqualFold(user, password) || isPlaceholder(password) || isReference(password) {
		return true
	}
	const trivial = " pass passwd password passphrase pwd pw secret token key apikey api_key test tests testing admin root guest " +
		"user username foo bar baz qux abc abcd abcdef xyz 123 1234 12345 123456 1234567 12345678 123456789 1234567890 " +
		"hello opensesame p@ssword p@ssw0rd letmein qwerty default postgres mysql redis rabbitmq mongo minio elastic temporal demo hidden masked none null "
	if len(password) > 20 {
		return false
	}
	lower := strings.ToLower(strings.ReplaceAll(password, " ", ""))
	return strings.Contains(trivial, " "+lower+" ")
}
