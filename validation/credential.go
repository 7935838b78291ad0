package validation

import (
	"slices"
	"strings"
)

// Finding is a literal credential in a text.
type Finding struct {
	// Kind says what it looks like, in fixed words that fit after "the form of a": "GitHub token". The
	// words of a kind do not change between releases.
	Kind string
	// Start and End bound it in the text, in bytes; End is behind the last one. Of a URL this is the
	// password, of an assignment the value.
	Start, End int
}

// DetectCredentials finds literal credentials in s: the tokens and keys of known services, JSON web tokens,
// private keys in PEM form, passwords in URLs, Authorization headers, and text that looks random and is
// assigned to a secret-looking name, as in "DB_PASSWORD=…" or {"api_key": "…"}. The text may be JSON or
// source with its escapes undecoded.
//
// The findings are in order and do not overlap; nil means that there are none. Placeholders, references,
// digests, UUIDs and other identifiers are not reported. Text without findings costs no allocation.
func DetectCredentials(s string) []Finding {
	if whole := matchWhole(s); whole != nil {
		return whole
	}
	return credentials.detect(s, nil)
}

// DetectNamed finds literal credentials in value, the content of a field, environment variable or map entry
// called key. Beyond [DetectCredentials] it reports a value as a whole, if it looks random and
// [LooksSecretName] says so of the key.
func DetectNamed(key, value string) []Finding {
	if found := DetectCredentials(value); found != nil {
		return found
	}
	text := strings.TrimSpace(value)
	if len(text) < fieldLimits.length || !isGraphic(text) || !LooksSecretName(key) {
		return nil // a sentence is told from a secret sooner than a name is taken apart
	}
	kind := namedKind(key, text)
	if kind == kindRandom && !looksRandom(text, fieldLimits) {
		return nil
	}
	start := strings.Index(value, text)
	return []Finding{{Kind: kind, Start: start, End: start + len(text)}}
}

// isGraphic reports whether s is of visible ASCII characters only, as random text is.
func isGraphic(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// CredentialKinds lists all kinds that a [Finding] may have, sorted.
func CredentialKinds() []string {
	kinds := []string{
		kindAWSSecretKey, kindAuthHeader, kindDiscord, kindDiscordWebhook, kindJWT, kindPrivateKey, kindRandom,
		kindSlackWebhook, kindTelegram, kindTerraform, kindURLPassword, kindVault,
	}
	for _, r := range tokenRules {
		kinds = append(kinds, r.kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// The kinds that do not come from a table.
const (
	kindAWSSecretKey   = "AWS secret access key"
	kindAuthHeader     = "credential in an Authorization header"
	kindDiscord        = "Discord bot token"
	kindDiscordWebhook = "Discord webhook"
	kindJWT            = "JSON web token"
	kindPrivateKey     = "private key"
	kindRandom         = "random secret"
	kindSlackWebhook   = "Slack webhook"
	kindTelegram       = "Telegram bot token"
	kindTerraform      = "Terraform token"
	kindURLPassword    = "password in a URL"
	kindVault          = "Vault token"
)

// namedKind is the kind of a value that is called name, if it is random. Only AWS secret keys can be told apart: they
// are 40 characters of base64 and nothing else.
func namedKind(name, value string) string {
	const length = 40
	if len(value) != length || run(value, 0, alphaBase64) != length || run(value, 0, alphaHex) == length ||
		!isVaried(value) || !isMixed(value) || isPlaceholder(value) || isPath(value) {
		return kindRandom
	}
	words := splitName(name)
	secret, access := false, false
	for _, w := range words.list() {
		secret = secret || w.is("secret") || w.is("secretaccesskey")
		access = access || w.is("access") || w.is("secretaccesskey") || w.is("aws")
	}
	if secret && access {
		return kindAWSSecretKey
	}
	return kindRandom
}
