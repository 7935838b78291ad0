package secrets

import "strings"

// credentialPrefixes are the beginnings of well-known credentials. A name that
// begins so, followed by at least body letters, digits, '-' and '_', is taken
// for a credential. The body of a prefix that no name would have is 0.
var credentialPrefixes = []struct {
	prefix string
	body   int
}{
	{"AGE-SECRET-KEY-", 0},
	{"AIza", 20},
	{"AKIA", 12},
	{"ASIA", 12},
	{"ATATT", 20},
	{"SG.", 16},
	{"dckr_pat_", 0},
	{"dop_v1_", 0},
	{"eyJ", 5},
	{"ghp_", 0},
	{"gho_", 0},
	{"ghr_", 0},
	{"ghs_", 0},
	{"ghu_", 0},
	{"github_pat_", 0},
	{"glpat-", 0},
	{"glsa_", 16},
	{"hf_", 20},
	{"hvb.", 0},
	{"hvs.", 0},
	{"npm_", 30},
	{"pypi-AgE", 0},
	{"rk_live_", 0},
	{"rk_test_", 0},
	{"shpat_", 16},
	{"sk-", 0},
	{"sk_live_", 0},
	{"sk_test_", 0},
	{"tskey-", 0},
	{"whsec_", 16},
	{"xapp-", 0},
	{"xoxa-", 0},
	{"xoxb-", 0},
	{"xoxe-", 0},
	{"xoxe.", 0},
	{"xoxp-", 0},
	{"xoxr-", 0},
	{"xoxs-", 0},
	{"ya29.", 0},
}

// looksPasted reports whether s has the form of a secret rather than of the name
// of one. Names are words: they have no white space, do not begin like a
// well-known credential, and do not change between letters, capitals and digits
// like random text does. Random text of small letters alone, or in groups like
// those of a UUID, cannot be told from words.
func looksPasted(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return true
		}
	}
	if strings.Contains(s, "-----BEGIN") || hasCredentialPrefix(s) {
		return true
	}
	if len(s) < randomRun && len(s) < randomSum {
		return false
	}
	for seg := range strings.SplitSeq(s, "/") {
		if isRandom(seg) {
			return true
		}
	}
	// Standard base64 has slashes of its own.
	return isRandom(strings.ReplaceAll(s, "/", "_"))
}

// hasCredentialPrefix reports whether s, or a segment of it, begins like a
// well-known credential.
func hasCredentialPrefix(s string) bool {
	for more := true; more; {
		var seg string
		seg, s, more = strings.Cut(s, "/")
		if seg == "" || !beginsCredential[seg[0]] {
			continue
		}
		for _, p := range credentialPrefixes {
			if body, ok := strings.CutPrefix(seg, p.prefix); ok && bodyLen(body) >= p.body {
				return true
			}
		}
	}
	return false
}

// beginsCredential holds the first bytes of the prefixes. Every use of a reference
// asks about it, and few names begin with one of them.
var beginsCredential = func() (first [256]bool) {
	for _, p := range credentialPrefixes {
		first[p.prefix[0]] = true
	}
	return first
}()

// bodyLen returns how many letters, digits, '-' and '_' s begins with.
func bodyLen(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '-' || s[n] == '_') {
		n++
	}
	return n
}

// Limits of isRandom: how long text must be, and how often its class must
// change, to be taken for random. Random hexadecimal, base32 and base62 text
// changes at 47 %, 30 % and 45 % of its places; camel case at about 17 %,
// capitals and words with version numbers at less.
const (
	randomRun     = 20 // letters and digits without a break
	randomRunRate = 0.24
	randomSum     = 20 // letters and digits with breaks, as in base64url
	randomSumRate = 0.30
	randomMeanRun = 7.0
)

// isRandom reports whether s, a name without slashes, reads like random text.
func isRandom(s string) bool {
	var chars, changes, runs, run, runChanges int
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '=' {
			if run > 0 {
				runs++
			}
			run, runChanges = 0, 0
			continue
		}
		chars++
		run++
		if run > 1 && changesClass(s[i-1], c) {
			changes++
			runChanges++
		}
		if run >= randomRun && float64(runChanges) >= randomRunRate*float64(run) {
			return true
		}
	}
	if run > 0 {
		runs++
	}
	return chars >= randomSum &&
		float64(changes) >= randomSumRate*float64(chars) &&
		float64(chars) >= randomMeanRun*float64(runs)
}

// changesClass reports whether a word would hardly go on with b after a: from a
// letter to a digit or back, or from a small letter to a capital.
func changesClass(a, b byte) bool {
	return isDigit(a) != isDigit(b) || isLower(a) && isUpper(b)
}
