package scan

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

// maxArgument bounds the names of variables and flags that are looked at.
const maxArgument = 128

// assigned finds a credential in an argument or setting that is nothing but a name
// and its value: NAME=value, --name=value. The name tells as much as that of a
// field.
func assigned(s string) []validation.Finding {
	at := strings.IndexByte(s[:min(len(s), maxArgument)], '=')
	if at <= 0 || !isArgumentName(s[:at]) || strings.ContainsAny(strings.TrimRight(s[at+1:], "="), " &;,=") {
		return nil
	}
	found := validation.DetectNamed(flagName(s[:at]), s[at+1:])
	for i := range found {
		found[i].Start += at + 1
		found[i].End += at + 1
	}
	return found
}

// flagName returns the name of a flag, or the name as it is.
func flagName(s string) string { return strings.TrimLeft(s, "-") }

// isFlag reports whether s is a flag whose value is the next argument.
func isFlag(s string) bool {
	return len(s) > 1 && len(s) <= maxArgument && s[0] == '-' && isArgumentName(s)
}

// argumentChars are the characters of the names of variables and flags.
var argumentChars = charsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")

func isArgumentName(s string) bool {
	for i := range len(s) {
		if !argumentChars[s[i]] {
			return false
		}
	}
	return true
}

// argumentKey is the name that an element of a list stands under: that of the list,
// or of the flag before it when that is one of a credential.
func argumentKey(list, before string) string {
	if isFlag(before) && validation.LooksSecretName(flagName(before)) {
		return flagName(before)
	}
	return list
}
