package sandbox_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

type (
	foreignEntry struct {
		Type    string `json:"type"`
		Content string `json:"content"`
		hidden  func()
	}
	foreignText    struct{}
	pointerEncoder struct{}
	failingEncoder struct{ text string }
	namedText      string
	namedBool      bool
)

func (foreignText) MarshalText() ([]byte, error) { return []byte("text"), nil }

func (*pointerEncoder) MarshalJSON() ([]byte, error) { return []byte(`{"a":1}`), nil }

func (f failingEncoder) MarshalJSON() ([]byte, error) { return nil, errors.New(f.text) }

// TestFreeFormValues: in a free-form object every Go value stands as
// encoding/json writes it.
func TestFreeFormValues(t *testing.T) {
	text := "x"
	for _, tt := range []struct {
		name string
		in   any
		want string
	}{
		{"null", nil, `null`},
		{"bool", namedBool(true), `true`},
		{"text", namedText("<&>"), `"<&>"`},
		{"pointer", &text, `"x"`},
		{"nil pointer", (*string)(nil), `null`},
		{"uint8", uint8(200), `200`},
		{"uint64", uint64(math.MaxUint64), `18446744073709551615`},
		{"float32", float32(1) / 3, `0.33333334`},
		{"float", 1e-7, `1e-7`},
		{"number", json.Number("1.50"), `1.50`},
		{"bytes", []byte("hi"), `"aGk="`},
		{"named bytes", json.RawMessage(`{"a": 1.0}`), `{"a":1.0}`},
		{"byte array", [2]byte{1, 2}, `[1,2]`},
		{"ints", []int{1, 2}, `[1,2]`},
		{"nil slice", []string(nil), `[]`},
		{"nil map", m(nil), `{}`},
		{"texts", map[namedText]string{"b": "2", "a": "1"}, `{"a":"1","b":"2"}`},
		{"duration", time.Second, `1000000000`},
		{"time", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), `"2026-01-02T03:04:05Z"`},
		{"text marshaler", foreignText{}, `"text"`},
		{"pointer marshaler", &pointerEncoder{}, `{"a":1}`},
		{"struct", foreignEntry{Type: "file", hidden: func() {}}, `{"content":"","type":"file"}`},
		{"manifest", &sandbox.Manifest{Users: []sandbox.User{{Name: "a"}}}, `{"users":[{"name":"a"}]}`},
		{"any map", map[any]any{"a": []any{map[any]any{"b": nil}}}, `{"a":[{"b":null}]}`},
	} {
		rc, err := sandbox.NormalizeRunConfig(m{"model_settings": m{"v": tt.in}})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if want, got := `{"v":`+tt.want+`}`, string(rc.ModelSettings); want != got {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
	}
	const secretText = "text-of-a-foreign-error"
	for name, in := range map[string]any{
		"function": func() {}, "channel": make(chan int), "complex": 1i, "failing": failingEncoder{secretText}, "failing pointer": &failingEncoder{secretText},
		"struct of them": struct{ F func() }{}, "not a number": math.NaN(), "bad number": json.Number("1; drop"), "int keys": map[int]string{1: "a"},
		"bad JSON": json.RawMessage("{"), "secret": secrets.Env("A"), "reference": secrets.EnvRef("A"), "pointer to secret": ptr(secrets.Env("A")),
		"secret in a manifest": sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": sandbox.EnvSecret(secrets.Env("A"))}}},
	} {
		_, err := sandbox.NormalizeRunConfig(m{"model_settings": m{"v": in}})
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if e := asError(t, err); len(e.Faults) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForeignTypes: a type of the user's own is read as the JSON that it is
// written as, wherever the format wants an object.
func TestForeignTypes(t *testing.T) {
	got, err := sandbox.NormalizeManifest(struct {
		Entries     map[string]foreignEntry `json:"entries"`
		Environment any                     `json:"environment"`
	}{
		Entries:     map[string]foreignEntry{"a": {Type: "file", Content: "x"}},
		Environment: map[string]map[string]secrets.Value{"value": {"A": secrets.Env("N")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.Manifest{
		Entries:     map[string]sandbox.Entry{"a": {Type: "file", Content: "x"}},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": sandbox.EnvSecret(secrets.Env("N"))}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTypedContainers: members may be any Go type with the right form.
func TestTypedContainers(t *testing.T) {
	want := fullManifest()
	got, err := sandbox.NormalizeManifest(m{
		"version": uint8(1), "root": namedText("/workspace"), "entries": want.Entries,
		"environment": m{"value": map[namedText]*sandbox.EnvValue{
			"LANG": ptr(want.Environment.Values["LANG"]), "TAGGED": ptr(want.Environment.Values["TAGGED"]),
			"TOKEN": ptr(want.Environment.Values["TOKEN"]), "DSN": ptr(want.Environment.Values["DSN"]),
		}},
		"users": []*sandbox.User{{Name: "agent"}}, "groups": []any{&want.Groups[0], want.Groups[1]},
		"extra_path_grants": []any{}, "remote_mount_command_allowlist": [0]string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	entries := m{}
	for name, e := range want.Entries {
		entries[name] = e.ToMap()
	}
	got, err = sandbox.NormalizeManifest(m{"entries": entries})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Entries, got.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// TestEnvironmentForms: every way to write a variable in a map.
func TestEnvironmentForms(t *testing.T) {
	var dropped secrets.Value
	if err := json.Unmarshal([]byte(`"pasted"`), &dropped); err != nil {
		t.Fatal(err)
	}
	noted := sandbox.EnvValue{Secret: secrets.Env("N"), Description: ptr("d"), Form: sandbox.EnvEntry}
	for _, tt := range []struct {
		name string
		in   any
		want sandbox.EnvValue
	}{
		{"text", "x", sandbox.EnvLiteral("x")},
		{"named text", namedText("x"), sandbox.EnvLiteral("x")},
		{"legacy", m{"value": "x"}, sandbox.EnvValue{Literal: "x", Form: sandbox.EnvTagged}},
		{"tagged", m{"type": "str", "value": "x"}, sandbox.EnvValue{Literal: "x", Form: sandbox.EnvTagged}},
		{"env reference", m{"type": "temporal.worker_env_value", "name": "N"}, sandbox.EnvSecret(secrets.Env("N"))},
		{"short reference", m{"type": "secret_ref", "key": "N"}, sandbox.EnvSecret(secrets.Env("N"))},
		{"reference", map[string]string{"type": "sandboxguard.secret_ref", "ref": "file:a/b"}, sandbox.EnvSecret(secrets.File("a/b"))},
		{"reference to env", m{"type": "sandboxguard.secret_ref", "ref": "env:N"}, sandbox.EnvSecret(secrets.Env("N"))},
		{"Value", secrets.Env("N"), sandbox.EnvSecret(secrets.Env("N"))},
		{"Ref", secrets.EnvRef("N"), sandbox.EnvSecret(secrets.Env("N"))},
		{"pointer to Ref", ptr(secrets.EnvRef("N")), sandbox.EnvSecret(secrets.Env("N"))},
		{"EnvValue", noted, noted},
		{"secret tagged", sandbox.EnvValue{Secret: secrets.Env("N"), Form: sandbox.EnvTagged}, sandbox.EnvSecret(secrets.Env("N"))},
		{"unmarked entry", sandbox.EnvValue{Secret: secrets.Env("N"), Description: ptr("d")}, noted},
		{"entry of a Value", m{"value": secrets.Env("N"), "description": "d"}, noted},
		{"entry of a Ref", m{"value": secrets.EnvRef("N"), "description": "d"}, noted},
		{"entry of an EnvValue", m{"value": sandbox.EnvSecret(secrets.Env("N")), "description": "d"}, noted},
		{"entry of a map", m{"value": m{"type": "secret_ref", "key": "N"}, "description": ptr("d"), "ephemeral": false}, noted},
		{"entry without remarks", m{"value": m{"value": "x"}}, sandbox.EnvValue{Literal: "x", Form: sandbox.EnvEntry}},
		{"dropped literal", dropped, sandbox.EnvSecret(dropped)},
		{"dropped literal in a map", m{"type": "sandboxguard.dropped_literal"}, sandbox.EnvSecret(dropped)},
	} {
		got, err := sandbox.NormalizeManifest(m{"environment": m{"value": m{"K": tt.in}}})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got.Environment.Values["K"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		again, err := sandbox.NormalizeManifest(got.ToMap())
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%s, map form: %v (-want +got):\n%s", tt.name, err, diff)
		}
		text, err := sandbox.DecodeManifest(mustJSON(t, got), sandbox.Strict)
		if diff := cmp.Diff(got, text); err != nil || diff != "" {
			t.Errorf("%s, JSON: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}
