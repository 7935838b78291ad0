package validation

import "strings"

// isPlaceholder reports whether s stands where a credential is to be put.
func isPlaceholder(s string) bool {
	if s == "" || strings.ContainsAny(s[:1], "$<{[%*(&@") && !alphaBase62.has(s[len(s)-1]) {
		return true
	}
	if s[0] == '$' && run(s, 1, alphaWord) == len(s)-1 {
		return true
	}
	for _, mark := range [...]string{"${", "$(", "{{", "}}", "%(", "%{", "#{", "<<", "***", "...", "…", "xxxx", "XXXX", "____", "0000000000"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	for _, word := range [...]string{
		"example", "placeholder", "changeme", "change-me", "change_me", "redacted", "your-", "your_", "yourtoken", "yourkey",
		"youraccess", "yoursecret", "dummy", "notreal", "not-real", "not_real", "replaceme", "replace-me", "replace_me", "insert-", "insert_",
		"fake-", "fake_", "faketoken", "fakekey",
	} {
		if containsFold(s, word) {
			return true
		}
	}
	return false
}

// containsFold reports whether word, which is in lower case, stands in s in any case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0]|0x20 && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// referenceSchemes begin texts that name a secret or something else instead of being it.
var referenceSchemes = [...]string{
	"arn:", "aws:", "azure:", "data:", "docker:", "env:", "file:", "gcp:", "git:", "integrity:", "k8s:", "keychain:", "kms:", "md5:", "md5-", "op:",
	"redacted:", "ref+", "ref:", "secret:", "secrets:", "secretref:", "sha1:", "sha1-", "sha224:", "sha256:", "sha256-", "sha384-", "sha384:", "sha512-", "sha512:",
	"ssm:", "urn:", "vault:", "h1:", "blake3:", "did:", "oci:", "tag:", "xxh64:", "crc32:",
}

// isReference reports whether s names something: a reference to a secret, a URL, a path, a digest.
func isReference(s string) bool {
	for _, scheme := range referenceSchemes {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return true
		}
	}
	if strings.HasPrefix(s, "ENC[") || strings.HasPrefix(s, "projects/") || strings.Contains(s, "://") {
		return true
	}
	return isPath(s)
}

// isPath reports whether s is a path of several parts. Base64 may hold slashes, too, but rarely begins with
// one or has words between them.
func isPath(s string) bool {
	for _, start := range [...]string{"./", "../", "~/", `\\`, "/run/", "/var/", "/etc/", "/home/", "/tmp/", "/usr/", "/opt/", "/srv/", "/mnt/", "/proc/", "/dev/"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	if len(s) > 3 && alphaLetter.has(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		return true
	}
	parts, words := 0, 0
	for part := range strings.SplitSeq(s, "/") {
		parts++
		if part == "" || randomness(part) < 0 {
			words++
		}
	}
	return parts >= 3 && 2*words >= parts
}

// isIdentifier reports whether s is a UUID, alone or as the end of a longer name, or a time.
func isIdentifier(s string) bool {
	const uuid = len("00000000-0000-0000-0000-000000000000")
	for at := 0; at+uuid <= len(s); at++ {
		if at > 0 && alphaBase62.has(s[at-1]) {
			continue
		}
		if isUUID(s[at : at+uuid]) {
			return true
		}
	}
	return len(s) >= len("2006-01-02T15:04") && run(s, 0, alphaDigit) == 4 && s[4] == '-' && s[7] == '-' && (s[10] == 'T' || s[10] == ' ')
}

func isUUID(s string) bool {
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if c := s[i]; !alphaDigit.has(c) && !(alphaLetter.has(c) && c|0x20 <= 'f') {
				return false
			}
		}
	}
	return true
}
