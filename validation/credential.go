package validation

// Finding is a literal credential in a text: what kind it is and where it stands.
type Finding struct {
	Kind       string // a fixed text such as "GitHub token"
	Start, End int    // byte offsets, End exclusive
}

// DetectCredentials finds literal credentials in s.
func DetectCredentials(s string) []Finding { return nil }

// DetectNamed finds literal credentials in value, the content of a field or map key called key.
func DetectNamed(key, value string) []Finding { return nil }

// LooksSecretName reports whether key is the name of a field that holds a secret.
func LooksSecretName(key string) bool { return false }
