package validation

import "strings"

// addAssignments adds the words that names of credentials are made of to the detector, in the cases that
// occur in names.
func (d *detector) addAssignments() {
	after := newAlphabet("=:\"' _-\\", digits)
	for _, w := range []string{"pass", "secr", "toke", "cred", "apik", "pwd", "key", "auth"} {
		for _, text := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:]} {
			d.add(text, after, d.matchAssignment)
		}
	}
}

// alphaName are the characters of names.
var alphaName = newAlphabet(digits, lowers, uppers, "_-.")

// matchAssignment matches a random value that is assigned to a secret-looking name of which a part stands
// at s[at:].
func (d *detector) matchAssignment(s string, at int, found []Finding) []Finding {
	const maxName = 64
	nameStart, nameEnd := at-runBack(s, at, alphaName), at+run(s, at, alphaName)
	start, ok := assigned(s, nameEnd)
	if !ok && strings.HasPrefix(s[nameStart:nameEnd], "--") { // a flag and its value
		start = skipQuote(s, skipSpaces(s, nameEnd))
		ok = start > nameEnd && start < len(s)
	}
	if !ok {
		return found
	}
	end := start + valueLength(s, start)
	if end-start < textLimits.length {
		return found
	}
	if nameEnd-nameStart > maxName || !LooksSecretName(s[nameStart:nameEnd]) {
		return found
	}
	value := s[start:end]
	kind := namedKind(s[nameStart:nameEnd], value)
	if kind == kindRandom && matchWhole(value) == nil && !looksRandom(value, textLimits) {
		return found
	}
	return d.addWithin(found, s, start, end, kind)
}

// assigned is where the value begins that is assigned to the name which ends at s[at]: after "=", ":" or
// ":=" or "=>", with or without quotes and spaces.
func assigned(s string, at int) (start int, ok bool) {
	at = skipQuote(s, at)
	at = skipSpaces(s, at)
	switch {
	case strings.HasPrefix(s[at:], ":="), strings.HasPrefix(s[at:], "=>"):
		at += 2
	case strings.HasPrefix(s[at:], "=="):
		return 0, false
	case strings.HasPrefix(s[at:], "="), strings.HasPrefix(s[at:], ":"):
		at++
	default:
		return 0, false
	}
	at = skipSpaces(s, at)
	at = skipQuote(s, at)
	return at, at < len(s)
}

// skipQuote steps over one quotation mark, escaped or not.
func skipQuote(s string, at int) int {
	quote := at
	for quote < len(s) && s[quote] == '\\' {
		quote++
	}
	if quote < len(s) && strings.IndexByte("\"'`", s[quote]) >= 0 {
		return quote + 1
	}
	return at
}

// skipSpaces steps over a few spaces, not over lines.
func skipSpaces(s string, at int) int {
	const most = 8
	for i := 0; i < most && at < len(s) && (s[at] == ' ' || s[at] == '\t'); i++ {
		at++
	}
	return at
}

// valueLength is the length of the value that begins at s[at:].
func valueLength(s string, at int) int {
	n := strings.IndexAny(s[at:min(len(s), at+maxRandom)], "\"'`\\ \t\r\n,;<>(){}[]&|")
	if n < 0 {
		n = min(len(s), at+maxRandom) - at
	}
	for n > 0 && strings.IndexByte(".:", s[at+n-1]) >= 0 {
		n--
	}
	return n
}
