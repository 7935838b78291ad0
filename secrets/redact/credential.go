package redact

import (
	"math"
	"strings"
)

// credentialKeys are what keys of credentials end in, in lower case and without anything but letters and
// digits.
var credentialKeys = []string{
	"accesskey", "accesskeyid", "accountkey", "apikey", "apisecret", "apitoken", "auth", "authkey", "authorization",
	"authtoken", "bearer", "clientkey", "clientkeydata", "clientsecret", "connectionstring", "consumersecret",
	"cookie", "credential", "credentials", "dsn", "encryptionkey", "identitytoken", "idtoken", "masterkey",
	"mnemonic", "pass", "passcode", "passphrase", "passwd", "password", "passwort", "pat", "privatekey",
	"privatekeydata", "privatekeyid", "pwd", "refreshtoken", "registrytoken", "sas", "secret", "secretkey",
	"secretaccesskey", "secretstring", "secretvalue", "seed", "sessionid", "sessionkey", "sharedaccesskey", "sig",
	"signature", "signingkey", "signingsecret", "sshkey", "storagekey", "token", "tokensecret", "webhooksecret",
	"webhookurl",
}

// isCredentialKey reports whether a key says that its value is a credential.
func isCredentialKey(key string) bool {
	plain := plainKey(key)
	for _, suffix := range credentialKeys {
		if !strings.HasSuffix(plain, suffix) {
			continue
		}
		if len(suffix) > 4 || len(plain) == len(suffix) || !isLetter(key[len(key)-len(suffix)-1]) || isUpper(key[len(key)-len(suffix)]) {
			return true // short ones only as words of their own
		}
	}
	return false
}

// vagueKeys are credentialKeys under which the kind of a credential stands as often as the credential itself.
var vagueKeys = []string{
	"auth", "authorization", "bearer", "cookie", "credential", "credentials", "dsn", "pass", "pat", "sas", "seed", "sig",
	"signature",
}

// isVagueKey reports whether a key is one of those, or ends in one as a word of its own.
func isVagueKey(key string) bool {
	plain := plainKey(key)
	for _, suffix := range vagueKeys {
		if strings.HasSuffix(plain, suffix) {
			return true
		}
	}
	return false
}

// isWords reports whether a text is nothing but small letters and what stands between words: "kubernetes",
// "service-account", "x509.certificate" without the digits.
func isWords(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && strings.IndexByte("-_./ ", c) < 0 {
			return false
		}
	}
	return true
}

// isBasicKey reports whether a key says that its value is base64 of user:password.
func isBasicKey(key string) bool { return plainKey(key) == "auth" }

// plainKey is a key in lower case, letters and digits only.
func plainKey(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return -1
	}, key)
}

// isKey reports whether a text can be the key of a setting.
func isKey(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isWord(c) && c != '.' && c != '-' {
			return false
		}
	}
	return text != ""
}

// isVariable reports whether a key is written like those of environment variables.
func isVariable(key string) bool {
	for i := range len(key) {
		if c := key[i]; !isUpper(c) && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return strings.Contains(key, "_") || len(key) < 16
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || isUpper(c) }

// isReserved reports whether a text is a word of a format, or a place for a value: no credential even under
// the key of one.
func isReserved(text string) bool {
	switch strings.ToLower(text) {
	case "required", "optional", "disabled", "undefined", "redacted", "password", "changeme", "x-oauth-basic", "x-access-token":
		return true
	}
	return strings.HasPrefix(text, "${") || strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">")
}

const (
	// minRandom is the length from which on the looks of a text can tell that it is random.
	minRandom = 20
	// minEntropy is in bits a character. Random hexadecimal digits have nearly 4, words about 3.
	minEntropy = 3.2
	// minChanges is the share of characters that are of another kind than the one before.
	minChanges = 0.25
)

// isRandom reports whether a text looks like a key or token: long, of one piece, without much repetition,
// and changing between letters, cases and digits as words, names and addresses do not.
func isRandom(text string) bool {
	if len(text) < minRandom || isUUID(text) {
		return false
	}
	var counts [256]int
	changes, last := 0, kindOther
	kinds := 0
	for i := range len(text) {
		c := text[i]
		k := kindOf(c)
		if c >= 0x80 || k == kindOther && strings.IndexByte("+/=_-.~", c) < 0 {
			return false
		}
		if k != kindOther { // words with something between them are no change
			if k != last && last != kindOther {
				changes++
			}
			last = k
		}
		kinds |= 1 << k
		counts[c]++
	}
	if kinds&(1<<kindDigit) == 0 || kinds&(1<<kindLower|1<<kindUpper) == 0 {
		return false
	}
	entropy := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			entropy -= p * math.Log2(p)
		}
	}
	return entropy >= minEntropy && float64(changes) >= minChanges*float64(len(text))
}

type kind uint

const (
	kindOther kind = iota
	kindLower
	kindUpper
	kindDigit
)

func kindOf(c byte) kind {
	switch {
	case 'a' <= c && c <= 'z':
		return kindLower
	case isUpper(c):
		return kindUpper
	case '0' <= c && c <= '9':
		return kindDigit
	}
	return kindOther
}

// isUUID reports whether a text has the form of an identifier that is no secret.
func isUUID(text string) bool {
	if len(text) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i := range len(text) {
		if _, ok := digit(text[i], 16); ok == (i == 8 || i == 13 || i == 18 || i == 23) {
			return false
		}
	}
	return true
}
