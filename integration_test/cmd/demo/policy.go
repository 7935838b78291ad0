package main

import (
	_ "embed"
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

//go:embed policy.yaml
var policyFile string

//go:embed stricter.yaml
var stricterFile string

func loadPolicies() (*validation.Policies, error) {
	return validation.ParsePolicies("policy.yaml", []byte(policyFile))
}

func loadStricter() (*validation.Policies, error) {
	return validation.ParsePolicies("stricter.yaml", []byte(stricterFile))
}

// excerpt returns the line of the policy file that begins with head, and the
// lines below it that are indented further.
func excerpt(head string) string {
	var b strings.Builder
	indent := len(head) - len(strings.TrimLeft(head, " "))
	for line := range strings.Lines(policyFile) {
		own := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.HasPrefix(line, head):
			b.WriteString(line)
		case b.Len() > 0 && own <= indent:
			return b.String()
		case b.Len() > 0:
			b.WriteString(line)
		}
	}
	return b.String()
}
