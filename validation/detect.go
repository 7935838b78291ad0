package validation

// holdsCredential reports whether s holds text with the form of a credential.
func holdsCredential(s string) bool { return len(DetectCredentials(s)) > 0 }
