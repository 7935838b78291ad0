package validation

import "strings"

// Grant is the right to have one secret at one place. Either Env is set, or
// Activity is: with Input for a field of its arguments, without for an activity
// that asks with secrets.Get. The zero Grant grants nothing.
type Grant struct {
	// Secret is what is granted. What is resolved for a run is
	// Secret.RefFor of that run, whatever a payload spells.
	Secret Secret
	// Env is the name of a variable in a sandbox's environment.
	Env string
	// Activity is an activity type.
	Activity string
	// Input leads into the encoded arguments of Activity; its first segment is
	// the argument's index. It is empty in what [Policy.AskGrants] returns.
	Input Pointer
	// Literal says what the field at Input may hold besides the reference.
	Literal LiteralMode
	// DestinationFixed is the owner's statement that no argument of Activity
	// chooses where the secret is sent; see [DestinationField].
	DestinationFixed bool
}

// DestinationField reports whether an argument or field called name chooses
// where an activity sends what it holds: url, base_url, host, endpoint, address,
// webhook, server and the like, in any style of writing, with any prefix and in
// the plural (apiBaseURL, callback-url, Endpoints). The guard refuses a grant to
// a field of an activity that has such a field beside it, with rule
// destination-not-fixed, unless the grant has DestinationFixed.
func DestinationField(name string) bool {
	name = strings.TrimRight(name, "0123456789_-.")
	for _, form := range []string{name, strings.TrimSuffix(name, "s"), strings.TrimSuffix(name, "es")} {
		switch lastWord(form) {
		case "url", "uri", "host", "hostname", "endpoint", "address", "addr", "webhook", "server", "destination", "domain",
			"baseurl", "baseuri", "apiurl", "serverurl", "webhookurl", "callbackurl", "hosturl":
			return true
		}
	}
	return false
}

// lastWord returns the last word of a name in lower case: "url" for base_url,
// baseUrl, BASE-URL and BaseURL.
func lastWord(name string) string {
	if i := strings.LastIndexAny(name, "_-. "); i >= 0 {
		name = name[i+1:]
	}
	start := len(name)
	if start > 0 && isUpperLetter(name[start-1]) { // ends in an initialism
		for start > 0 && isUpperLetter(name[start-1]) {
			start--
		}
		return strings.ToLower(name[start:])
	}
	for start > 0 && !isUpperLetter(name[start-1]) {
		start--
	}
	return strings.ToLower(name[max(0, start-1):])
}

func isUpperLetter(c byte) bool { return 'A' <= c && c <= 'Z' }
