package validation

import "strings"

// addAssignments adds the words that names of credentials are made of to the detector, in the cases that
// occur in names.
func (d *detector) addAssignments() {
	after := newAlphabet("=:\"' _-\\>,", digits)
	for _, w := range []string{"pass", "secr", "toke", "cred", "apik", "pwd", "key", "auth"} {
		for _, text := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:]} {
			d.add(text, after, d.matchAssignment)
		}
	}
}

// alphaName are the characters of names.
var alphaName = newAlphabet(digits, lowers, uppers, "_-.")

// maxName is the longest name that is looked at.
const maxName = 64

// matchAssignment matches a random value that is assigned to a secret-looking name of which a part stands
// at s[at:].
func (d *detector) matchAssignment(s string, at int, found []Finding) []Finding {
	nameStart := at - runBack(s, at, alphaName, maxName)
	nameEnd := at + runUpTo(s, at, alphaName, maxName)
	if nameEnd-nameStart >= maxName {
		return found
	}
	start, ok := assigned(s, nameEnd)
	if !ok && strings.HasPrefix(s[nameStart:nameEnd], "--") { // a flag and its value
		start = skipQuote(s, skipSpaces(s, nameEnd))
		ok = start > nameEnd && start < len(s)
	}
	if !ok {
		return found
	}
	// Random text is random from the start. Looking at all of each value would take long for a text made of
	// names, where each is part of the values of those before it.
	const sample = 64
	n := valueLength(s, start, sample)
	if n < textLimits.length || !LooksSecretName(s[nameStart:nameEnd]) {
		return found
	}
	kind := namedKind(s[nameStart:nameEnd], s[start:start+n])
	if kind == kindRandom && !looksRandom(s[start:start+n], textLimits) && matchWhole(s[start:start+n]) == nil {
		return found
	}
	if n == sample {
		n = valueLength(s, start, maxRandom)
		if kind = namedKind(s[nameStart:nameEnd], s[start:start+n]); kind == kindRandom && !looksRandom(s[start:start+n], textLimits) {
			return found
		}
	}
	return d.addWithin(found, s, start, start+n, kind)
}

// assigned is where the value begins that is assigned to the name which ends at s[at]: after "=", ":" or one
// of the longer operators of languages and makefiles, with or without quotes, spaces and the name of a type;
// as the next argument; or within the element of XML that has the name.
func assigned(s string, at int) (start int, ok bool) {
	if at < len(s) && s[at] == '>' {
		return element(s, at)
	}
	closed := skipQuote(s, at)
	at = skipSpaces(s, closed)
	switch {
	case at < len(s) && s[at] == ',' && closed > 0 && isQuote(s[closed-1]): // ("NAME", "value")
		at = skipSpaces(s, at+1)
		if value := skipQuote(s, at); value > at {
			return value, value < len(s)
		}
		return 0, false
	case strings.HasPrefix(s[at:], "=="):
		return 0, false
	}
	after := skipOperator(s, at)
	if after == at {
		return declared(s, at)
	}
	at = skipQuote(s, skipSpaces(s, after))
	return at, at < len(s)
}

// operators assign, longest first.
var operators = [...]string{":::=", "::=", "||=", "??=", ":=", "?=", ".=", "=>", "=", ":"}

// skipOperator steps over what assigns.
func skipOperator(s string, at int) int {
	for _, op := range operators {
		if strings.HasPrefix(s[at:], op) {
			return at + len(op)
		}
	}
	return at
}

// declared is where the value begins of a name that a type follows, as in "token string = …".
func declared(s string, at int) (start int, ok bool) {
	const longest = 24
	n := runUpTo(s, at, alphaType, longest)
	if n == 0 || n == longest || at == 0 || s[at-1] != ' ' {
		return 0, false
	}
	at = skipSpaces(s, at+n)
	if !strings.HasPrefix(s[at:], "=") || strings.HasPrefix(s[at:], "==") {
		return 0, false
	}
	at = skipSpaces(s, at+1)
	start = skipQuote(s, at)
	return start, start > at && start < len(s)
}

// alphaType are the characters of types.
var alphaType = newAlphabet(digits, lowers, uppers, "_.*[]")

// element is where the text of an element of XML begins, whose name ends at s[at].
func element(s string, at int) (start int, ok bool) {
	if begin := at - runBack(s, at, alphaName, maxName); begin == 0 || s[begin-1] != '<' {
		return 0, false
	}
	const most = 32
	at++
	for n := 0; n < most && at < len(s) && strings.IndexByte(" \t\r\n", s[at]) >= 0; n++ {
		at++
	}
	return at, at < len(s)
}

func isQuote(c byte) bool { return strings.IndexByte("\"'`", c) >= 0 }

// skipQuote steps over one quotation mark, escaped or not.
func skipQuote(s string, at int) int {
	quote := at
	for quote < len(s) && s[quote] == '\\' {
		quote++
	}
	if quote < len(s) && isQuote(s[quote]) {
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

// valueLength is the length, up to limit, of the value that begins at s[at:].
func valueLength(s string, at, limit int) int {
	value := s[at:min(len(s), at+limit)]
	n := strings.IndexAny(value, "\"'`\\ \t\r\n,;<>(){}[]&|")
	if n < 0 {
		n = len(value)
	}
	for n > 0 && n < limit && strings.IndexByte(".:", value[n-1]) >= 0 {
		n-- // the end of a sentence
	}
	return n
}
