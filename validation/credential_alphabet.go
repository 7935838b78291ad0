package validation

// alphabet is a set of ASCII characters.
type alphabet [2]uint64

func newAlphabet(chars ...string) (a alphabet) {
	for _, s := range chars {
		for i := range len(s) {
			a[s[i]>>6] |= 1 << (s[i] & 63)
		}
	}
	return a
}

func (a alphabet) has(c byte) bool { return c < 0x80 && a[c>>6]>>(c&63)&1 != 0 }

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// The alphabets of credentials.
var (
	alphaDigit     = newAlphabet(digits)
	alphaHex       = newAlphabet(digits, "abcdef")
	alphaBase32    = newAlphabet("234567", uppers)
	alphaBech32    = newAlphabet(digits, uppers)
	alphaLetter    = newAlphabet(lowers, uppers)
	alphaBase62    = newAlphabet(digits, lowers, uppers)
	alphaWord      = newAlphabet(digits, lowers, uppers, "_")
	alphaBase64    = newAlphabet(digits, lowers, uppers, "+/")
	alphaBase64URL = newAlphabet(digits, lowers, uppers, "-_")
	alphaDotted    = newAlphabet(digits, lowers, uppers, "-_.")
	alphaPadded    = newAlphabet(digits, lowers, uppers, "-_=.")
	alphaToken68   = newAlphabet(digits, lowers, uppers, "-._~+/=")
)

// run is the length of the text over a that begins at s[at:]. Every caller that may come by the same text
// again and again uses runUpTo.
func run(s string, at int, a alphabet) int { return runUpTo(s, at, a, len(s)) }

// runUpTo is run, but looks at no more than limit characters.
func runUpTo(s string, at int, a alphabet, limit int) int {
	n := 0
	for n < limit && at+n < len(s) && a.has(s[at+n]) {
		n++
	}
	return n
}

// runBack is the length, up to limit, of the text over a that ends at s[:at].
func runBack(s string, at int, a alphabet, limit int) int {
	n := 0
	for n < limit && at-n > 0 && a.has(s[at-n-1]) {
		n++
	}
	return n
}

// startsWord reports whether a word may begin at s[at:]: after something that is neither letter nor digit,
// or after an escape that ends in one, as in "\n" and "%20" and "\u0026".
func startsWord(s string, at int) bool {
	if at == 0 || !alphaBase62.has(s[at-1]) {
		return true
	}
	switch {
	case at >= 2 && s[at-2] == '\\':
		return true
	case at >= 3 && s[at-3] == '%':
		return isHexPair(s[at-2:])
	case at >= 6 && s[at-6] == '\\' && s[at-5] == 'u':
		return true
	}
	return false
}

// isHexPair reports whether s begins with two hexadecimal digits in either case.
func isHexPair(s string) bool {
	for i := range 2 {
		if c := s[i] | 0x20; !alphaHex.has(c) || s[i] > 'f' {
			return false
		}
	}
	return true
}
