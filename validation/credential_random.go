package validation

import (
	"math"
	"strings"
)

// limits say how random text must look.
type limits struct {
	length int     // in bytes, at least
	score  float64 // see randomness, at least
}

var (
	// fieldLimits are for the content of a field that has a secret-looking name.
	fieldLimits = limits{length: 10, score: 0}
	// textLimits are for what seems to be an assignment in a text, which may be anything.
	textLimits = limits{length: 16, score: 2}
)

const maxRandom = 4096

// looksRandom reports whether s was made by a generator rather than by a person: no words, no numbers, no
// identifier of a known form, no path, reference or placeholder.
func looksRandom(s string, lim limits) bool {
	if len(s) < lim.length || len(s) > maxRandom {
		return false
	}
	letters, digits, hex := 0, 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c <= ' ' || c >= 0x7f:
			return false
		case alphaDigit.has(c):
			digits++
		case alphaLetter.has(c):
			letters++
		}
		if alphaHex.has(c) || alphaHex.has(c|0x20) && alphaLetter.has(c) {
			hex++
		}
	}
	chars := letters + digits
	if 10*chars < 6*len(s) || 10*chars < 7*lim.length || letters == 0 {
		return false
	}
	const hexLength = 32
	switch {
	case hex == len(s) && len(s) >= hexLength && digits > 0:
	case digits == 0: // words have none either, so the letters must be all the wilder
		const length, score = 20, 6
		if len(s) < length || randomness(s) < score {
			return false
		}
	case randomness(s) < lim.score:
		return false
	}
	return isVaried(s) && !isReference(s) && !isPlaceholder(s) && !isIdentifier(s)
}

// randomness is the logarithm of how much likelier the pairs of neighbouring letters and digits in s are in
// random text than in names, words and numbers of source code. Each pair adds one of the weights, which were
// measured on random text over several alphabets and on a large body of source.
func randomness(s string) float64 {
	const (
		commonPair, rarePair         = -1.3, 1.8 // two letters of the same case
		smallAfterCapital            = -0.1
		capitalAfterSmall            = 0.2
		digitAfterDigit              = -0.15
		letterAfterDigit             = 1.8
		digitAfterLetter     float64 = 1.25
	)
	score := 0.0
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		switch {
		case !alphaBase62.has(a) || !alphaBase62.has(b):
		case alphaDigit.has(a) && alphaDigit.has(b):
			score += digitAfterDigit
		case alphaDigit.has(a):
			score += letterAfterDigit
		case alphaDigit.has(b):
			score += digitAfterLetter
		case isCapital(a) && !isCapital(b):
			score += smallAfterCapital
		case isCapital(b) && !isCapital(a):
			score += capitalAfterSmall
		case isCommonPair(a|0x20, b|0x20):
			score += commonPair
		default:
			score += rarePair
		}
	}
	return score
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

// commonPairs are the pairs of letters that make up most of English words and of the abbreviations in
// identifiers.
const commonPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri " +
	"ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo " +
	"wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe " +
	"bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl " +
	"du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys " +
	"ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok nl my gl aw ju oa eq " +
	"sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd pm sk ks js db ui ctx "

var isCommon = func() (set [26 * 26]bool) {
	for pair := range strings.FieldsSeq(commonPairs) {
		for i := range len(pair) - 1 {
			set[int(pair[i]-'a')*26+int(pair[i+1]-'a')] = true
		}
	}
	return set
}()

// isCommonPair looks up two small letters.
func isCommonPair(a, b byte) bool { return isCommon[int(a-'a')*26+int(b-'a')] }

// isVaried reports whether the characters of s are spread as those of generated text: few repetitions, no
// alphabet in order.
func isVaried(s string) bool {
	var counts [256]uint16
	sequence := 0
	for i := range len(s) {
		counts[s[i]]++
		if i > 0 && (s[i] == s[i-1]+1 || s[i]+1 == s[i-1] || s[i] == s[i-1]) {
			sequence++
		}
	}
	if sequence*2 > len(s) {
		return false
	}
	entropy := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			entropy -= p * math.Log2(p)
		}
	}
	// Random hexadecimal text of 32 characters has 3.6 bits a character, and no text more than its length allows.
	return entropy >= min(3, 0.65*math.Log2(float64(len(s))))
}

// isMixed reports whether s holds both letters and digits.
func isMixed(s string) bool {
	letters, digits := false, false
	for i := range len(s) {
		letters = letters || alphaLetter.has(s[i])
		digits = digits || alphaDigit.has(s[i])
	}
	return letters && digits
}
