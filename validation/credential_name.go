package validation

import "strings"

// LooksSecretName reports whether key is what one calls a field, variable or map entry that holds a
// credential: password, API_KEY, githubToken, x-auth-token. Names of something about a credential are not
// meant (token_count, secretName, password_hash), nor are other tokens and keys (next_page_token,
// partition_key, public_key).
func LooksSecretName(key string) bool {
	const longest = 256
	key = key[max(0, len(key)-longest):]
	words := splitName(key)
	words.trimDecoration()
	list := words.list()
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	before := list[:len(list)-1]
	for _, w := range before {
		if w.in(harmlessBefore) {
			return false
		}
	}
	switch {
	case last.in(secretWords):
		return true
	case last.hasSuffix("password"), last.hasSuffix("passwd"), last.hasSuffix("passphrase"), last.hasSuffix("apikey"),
		last.hasSuffix("secretkey"), last.hasSuffix("accesskey"), last.hasSuffix("privatekey"),
		last.hasSuffix("accesstoken"), last.hasSuffix("authtoken"), last.hasSuffix("clientsecret"):
		return true
	case len(before) == 0:
		return false
	}
	return last.is("key") && before[len(before)-1].in(keyWords) || last.is("tokens") && before[len(before)-1].in(tokenWords)
}

// The vocabulary of names, in lower case.
var (
	// secretWords name a credential wherever they stand at the end.
	secretWords = newVocabulary("password passwd passphrase passcode pwd pass secret token credential credentials creds cred auth authorization " +
		"bearer jwt apikey apitoken apisecret accesskey accesstoken authkey authtoken secretkey secretaccesskey privatekey privkey " +
		"clientsecret refreshtoken sharedkey accountkey bottoken")
	// keyWords make a credential of a key.
	keyWords = newVocabulary("api access secret private signing sign encryption encrypt decryption auth authentication account master service " +
		"shared license deploy ssh hmac webhook app application admin server integration aes session cookie")
	// tokenWords make credentials of tokens in the plural, which are mostly counted.
	tokenWords = newVocabulary("api access auth refresh secret bearer bot personal deploy")
	// harmlessBefore turns the words after it into something else.
	harmlessBefore = newVocabulary("public pub page next prev previous continuation cursor sync pagination paging resume start task csrf xsrf " +
		"request client_request idempotency idempotent cancel cancellation stop eos bos pad unk mask special design lexer syntax " +
		"parse parser keyword delimiter separator position stream fencing max min num total count input output prompt completion " +
		"has is no use uses enable enabled disable with without require requires required allow hash hashed encrypted sealed " +
		"dry forgot reset change watch partition sort primary foreign cache object nonsecret")
	// decorations may follow a credential's name without a change of what it is.
	decorations = newVocabulary("value text string plain plaintext raw b base hex encoded current new old prod production dev staging test live " +
		"default primary secondary backup")
)

// vocabulary is a set of words.
type vocabulary map[string]bool

func newVocabulary(words string) vocabulary {
	v := make(vocabulary)
	for w := range strings.FieldsSeq(words) {
		v[w] = true
	}
	return v
}

// maxWords and maxWord bound what is looked at of a name.
const (
	maxWords = 16
	maxWord  = 32
)

// word is a part of a name, in lower case.
type word struct {
	text [maxWord]byte
	n    int
}

func (w *word) is(s string) bool { return string(w.text[:w.n]) == s }

func (w *word) hasSuffix(s string) bool {
	return w.n >= len(s) && string(w.text[w.n-len(s):w.n]) == s
}

// in reports whether the word stands in a vocabulary.
func (w *word) in(v vocabulary) bool { return v[string(w.text[:w.n])] }

// nameWords are the words of a name. Of a longer name these are the last ones.
type nameWords struct {
	words [maxWords]word
	n     int
}

func (ws *nameWords) list() []word { return ws.words[:ws.n] }

// trimDecoration drops what may follow.
func (ws *nameWords) trimDecoration() {
	for ws.n > 1 && ws.words[ws.n-1].in(decorations) {
		ws.n--
	}
}

// splitName cuts a name in snake, kebab, dotted or camel case into its words. Digits at the end of a word
// are dropped: "password2".
func splitName(name string) (ws nameWords) {
	for at := 0; at < len(name); {
		if !alphaLetter.has(name[at]) {
			at++
			continue
		}
		end := wordEnd(name, at)
		if ws.n == maxWords {
			copy(ws.words[:], ws.words[1:])
			ws.n--
		}
		w := &ws.words[ws.n]
		w.n = 0
		for _, c := range []byte(name[at:end]) {
			if w.n < maxWord {
				w.text[w.n] = c | 0x20
				w.n++
			}
		}
		ws.n++
		at = end
	}
	return ws
}

// wordEnd is where the word ends that begins at name[at]: before anything but a letter, before a capital
// after a small letter, and before the last of several capitals that a small letter follows ("APIKey").
func wordEnd(name string, at int) int {
	end := at + 1
	for end < len(name) && alphaLetter.has(name[end]) {
		if isCapital(name[end]) {
			next := end+1 < len(name) && alphaLetter.has(name[end+1]) && !isCapital(name[end+1])
			if !isCapital(name[end-1]) || next {
				break
			}
		}
		end++
	}
	return end
}
