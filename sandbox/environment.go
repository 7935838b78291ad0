package sandbox

import "github.com/sandboxguard/sandboxguard/secrets"

// Environment holds the environment variables of a sandbox by name.
type Environment struct {
	// Values are the variables by their name inside the sandbox.
	Values map[string]EnvValue `json:"value,omitzero"`
}

// EnvForm is the way in which an [EnvValue] is written.
type EnvForm int

// The forms of an environment value. They differ in spelling only.
const (
	// EnvPlain writes a literal as a JSON string and a secret as its tagged
	// reference. It is the zero EnvForm.
	EnvPlain EnvForm = iota
	// EnvTagged writes a literal as {"type":"str","value":"..."}. For a secret
	// it is the same as EnvPlain.
	EnvTagged
	// EnvEntry writes {"value":{...},"description":...,"ephemeral":...}.
	EnvEntry
)

// EnvValue is one environment variable: a literal or a secret, never both.
type EnvValue struct {
	// Literal is the text of the variable when Secret is zero.
	Literal string
	// Secret is the secret that the variable holds.
	Secret secrets.Value
	// Description says what the variable is for. Nil means none.
	Description *string
	// Ephemeral is a remark of the format that nothing depends on.
	Ephemeral bool
	// Form is how the value is written. A value with a Description or with
	// Ephemeral set is always written as [EnvEntry].
	Form EnvForm
}

// EnvLiteral returns the variable that holds the text s.
func EnvLiteral(s string) EnvValue { return EnvValue{Literal: s} }

// EnvSecret returns the variable that holds the secret v.
func EnvSecret(v secrets.Value) EnvValue { return EnvValue{Secret: v} }

// IsSecret reports whether v holds a secret, resolved or not.
func (v EnvValue) IsSecret() bool { return !v.Secret.IsZero() }
