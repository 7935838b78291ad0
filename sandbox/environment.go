package sandbox

import (
	"encoding/json"
	"strings"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// The tags of environment values. secretRefTag and its short form are read by
// this module only; the Python models know the first two.
const (
	tagStr            = "str"
	tagWorkerEnv      = "temporal.worker_env_value"
	tagSecretRef      = "sandboxguard.secret_ref"
	tagShortRef       = "secret_ref"
	tagDroppedLiteral = "sandboxguard.dropped_literal"
)

// Environment holds the environment variables of a sandbox by name. The zero
// Environment is empty.
type Environment struct {
	// Values are the variables by their name inside the sandbox, which need not
	// be the name of the secret.
	Values map[string]EnvValue `json:"value,omitzero"`
}

// UnmarshalJSON reads e in [Lenient] mode. The error is an [*Error].
func (e *Environment) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

func (e Environment) tree() map[string]any {
	if e.Values == nil {
		return map[string]any{}
	}
	return map[string]any{"value": e.Values}
}

// EnvForm is the way in which an [EnvValue] is written. Forms differ in
// spelling and in what they can say about a value, never in the value.
type EnvForm int

// The forms of an environment value.
const (
	// EnvPlain writes a literal as a JSON string and a secret as its tagged
	// reference. It is the zero EnvForm.
	EnvPlain EnvForm = iota
	// EnvTagged writes a literal as {"type":"str","value":"..."}. For a secret
	// it is the same as EnvPlain, and read as such.
	EnvTagged
	// EnvEntry writes {"value":{...},"description":...,"ephemeral":...}.
	EnvEntry
)

// EnvValue is one environment variable: a literal or a secret, never both. The
// zero EnvValue is the empty literal.
type EnvValue struct {
	// Literal is the text of the variable when Secret is zero. It is recorded
	// wherever the manifest is.
	Literal string
	// Secret is the secret that the variable holds. It travels as its
	// reference.
	Secret secrets.Value
	// Description says what the variable is for. Nil means none.
	Description *string
	// Ephemeral is a remark of the format; resolution does not depend on it.
	Ephemeral bool
	// Form is how the value is written. A value with a Description, or with
	// Ephemeral set, is always written as [EnvEntry].
	Form EnvForm
}

// EnvLiteral returns the variable that holds the text s.
func EnvLiteral(s string) EnvValue { return EnvValue{Literal: s} }

// EnvSecret returns the variable that holds the secret v.
func EnvSecret(v secrets.Value) EnvValue { return EnvValue{Secret: v} }

// IsSecret reports whether v holds a secret, resolved or not.
func (v EnvValue) IsSecret() bool { return !v.Secret.IsZero() }

// MarshalJSON writes v in its form. A value that holds a literal and a secret
// at once is an error, since either could have been meant.
func (v EnvValue) MarshalJSON() ([]byte, error) {
	d := &decoder{}
	d.unambiguous(v, nil)
	tree := d.lift(v, nil, true)
	if err := d.err(); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// UnmarshalJSON reads v in [Lenient] mode. The error is an [*Error].
func (v *EnvValue) UnmarshalJSON(data []byte) error { return unmarshal(data, v) }

// node is the tree of v, which may be a string.
func (v EnvValue) node() any {
	v = v.formed()
	inner := func() any {
		switch {
		case v.IsSecret():
			return v.Secret
		case v.Form == EnvPlain:
			return v.Literal
		default:
			return map[string]any{"type": tagStr, "value": v.Literal}
		}
	}
	if v.Form != EnvEntry {
		return inner()
	}
	entry := map[string]any{"value": inner()}
	if v.Description != nil {
		entry["description"] = *v.Description
	}
	if v.Ephemeral {
		entry["ephemeral"] = true
	}
	return entry
}

// formed returns v with the form that it is written in.
func (v EnvValue) formed() EnvValue {
	switch {
	case v.Description != nil || v.Ephemeral || v.Form == EnvEntry:
		v.Form = EnvEntry
	case v.IsSecret() || v.Form != EnvTagged:
		v.Form = EnvPlain
	}
	return v
}

// refMap is the tagged map of a value's reference.
func refMap(v secrets.Value) any {
	switch {
	case v.Literal():
		return map[string]any{"type": tagDroppedLiteral}
	case v.IsZero():
		return nil
	default:
		return v.Ref().ToMap()
	}
}

func (d *decoder) environment(v any, at *place) Environment {
	m, ok := d.fields(v, at)
	if !ok {
		return Environment{}
	}
	values, ok := m["value"]
	if !ok {
		if d.strict() && len(m) > 0 {
			d.report(at, RuleEnvWrapperMissing, `must hold the variables under the key "value"`)
		}
		return Environment{}
	}
	d.known(m, at, func(key string) bool { return key == "value" }, false)
	at = at.key("value")
	members, ok := d.fields(values, at)
	if !ok {
		return Environment{}
	}
	out := make(map[string]EnvValue, len(members))
	for i, name := range sortedKeys(members) {
		at := at.member(name, i)
		if d.strict() && (name == "" || strings.ContainsAny(name, "=\x00")) {
			d.report(at, RuleEnvName, `must be the name of a variable, without "=" and NUL`)
		}
		out[d.text(name, at)] = d.envValue(members[name], at)
	}
	return Environment{Values: out}
}

// envValue reads one variable. An object is a tagged value when it has a type
// or its value is a string, and an entry otherwise.
func (d *decoder) envValue(v any, at *place) EnvValue {
	v = d.shape(v, at)
	switch v := v.(type) {
	case string:
		return EnvLiteral(d.text(v, at))
	case secrets.Ref:
		return d.envRef(v, at)
	case secrets.Value:
		return d.envSecret(v, at)
	case EnvValue:
		return d.typedEnvValue(v, at)
	}
	m, ok := v.(map[string]any)
	if !ok {
		d.wrongType(v, at, "a string, a tagged value or an entry")
		return EnvValue{}
	}
	if !d.enter(len(m), at) {
		return EnvValue{}
	}
	_, tagged := m["type"]
	if _, text := d.shape(m["value"], at.key("value")).(string); tagged || text {
		return d.envTagged(m, at)
	}
	return d.envEntry(m, at)
}

func (d *decoder) envEntry(m map[string]any, at *place) EnvValue {
	d.known(m, at, func(key string) bool { return key == "value" || key == "description" || key == "ephemeral" }, false)
	out := EnvValue{}
	if inner, at, ok := d.required(m, "value", at); ok {
		switch inner := d.shape(inner, at).(type) {
		case secrets.Ref:
			out = d.envRef(inner, at)
		case secrets.Value:
			out = d.envSecret(inner, at)
		case EnvValue:
			out = d.typedEnvValue(inner, at)
		case map[string]any:
			if d.enter(len(inner), at) {
				out = d.envTagged(inner, at)
			}
		default:
			d.wrongType(inner, at, "a tagged value")
		}
	}
	out.Form = EnvEntry
	if s := d.nullStr(m, "description", at); s != nil {
		out.Description = s
	}
	out.Ephemeral = d.boolean(m, "ephemeral", at) || out.Ephemeral
	return out
}

// envTagged reads {"type":...}, and {"value":"..."} for compatibility.
func (d *decoder) envTagged(m map[string]any, at *place) EnvValue {
	tag, typed := m["type"]
	if !typed {
		if len(m) == 1 {
			s, _ := d.str(m["value"], at.key("value"))
			return EnvValue{Literal: s, Form: EnvTagged}
		}
		d.report(at, RuleEnvAmbiguous, `must be a tagged value, or an entry whose "value" is a tagged value`)
		return EnvValue{}
	}
	name, ok := d.str(tag, at.key("type"))
	if !ok {
		return EnvValue{}
	}
	only := func(field string) string {
		d.known(m, at, func(key string) bool { return key == "type" || key == field }, false)
		v, at, ok := d.required(m, field, at)
		if !ok {
			return ""
		}
		s, _ := d.str(v, at)
		return s
	}
	switch name {
	case tagStr:
		return EnvValue{Literal: only("value"), Form: EnvTagged}
	case tagWorkerEnv:
		return d.envRef(secrets.EnvRef(only("name")), at)
	case tagShortRef:
		return d.envRef(secrets.EnvRef(only("key")), at)
	case tagSecretRef:
		ref, err := secrets.ParseRef(only("ref"))
		if err != nil {
			d.badRef(at)
			return EnvValue{}
		}
		return d.envRef(ref, at)
	case tagDroppedLiteral:
		d.known(m, at, func(key string) bool { return key == "type" }, false)
		var dropped secrets.Value
		if err := dropped.UnmarshalJSON([]byte(`{"type":"` + tagDroppedLiteral + `"}`)); err != nil {
			d.badRef(at)
		}
		return EnvValue{Secret: dropped}
	default:
		d.report(at.key("type"), RuleUnknownType, "must be a registered type of environment value")
		return EnvValue{}
	}
}

// envRef reads a reference. Strict mode wants one that could be resolved; what
// it is allowed to be is for policy.
func (d *decoder) envRef(ref secrets.Ref, at *place) EnvValue {
	if d.strict() && ref.Validate() != nil {
		d.badRef(at)
	}
	return d.envSecret(secrets.From(ref), at)
}

func (d *decoder) badRef(at *place) {
	d.report(at, RuleSecretRef, "must be a well-formed reference to a secret, such as env:NAME")
}

// envSecret reads a secret that Go code made. One that stands for dropped text
// is left to policy, which may have a reference for it.
func (d *decoder) envSecret(v secrets.Value, at *place) EnvValue {
	switch {
	case v.IsZero():
		d.report(at, RuleRequired, "must name a secret")
	case d.strict() && !v.Literal() && v.Ref().Validate() != nil:
		d.badRef(at)
	}
	return EnvValue{Secret: v}
}

// typedEnvValue reads a value that Go code made, keeping a resolved secret.
func (d *decoder) typedEnvValue(v EnvValue, at *place) EnvValue {
	d.unambiguous(v, at)
	if v.IsSecret() {
		d.envSecret(v.Secret, at)
	}
	v.Literal = d.text(v.Literal, at)
	if v.Description != nil {
		s := d.text(*v.Description, at.key("description"))
		v.Description = &s
	}
	return v.formed()
}

func (d *decoder) unambiguous(v EnvValue, at *place) {
	if v.IsSecret() && v.Literal != "" {
		d.report(at, RuleEnvAmbiguous, "must hold either a literal or a secret")
	}
}
