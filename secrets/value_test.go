package secrets_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

var vaultRef = secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token"}

// literal returns what is left of a string where a reference belongs.
func literal(t *testing.T) secrets.Value {
	t.Helper()
	var v secrets.Value
	if err := json.Unmarshal([]byte(`"hunter2"`), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValueStates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                    string
		value                   secrets.Value
		ref                     secrets.Ref
		zero, resolved, literal bool
		text, json              string
		reveal                  string
		revealErr               error
	}{
		{
			name: "zero", zero: true,
			text: "secrets.Value()", json: `null`, revealErr: secrets.ErrUnresolved,
		},
		{
			name: "from nothing", value: secrets.From(secrets.Ref{}), zero: true,
			text: "secrets.Value()", json: `null`, revealErr: secrets.ErrUnresolved,
		},
		{
			name: "env", value: secrets.Env("TOKEN"), ref: secrets.EnvRef("TOKEN"),
			text: "secrets.Value(env:TOKEN)", json: `{"name":"TOKEN","type":"temporal.worker_env_value"}`,
			revealErr: secrets.ErrUnresolved,
		},
		{
			name: "file", value: secrets.File("github/token"), ref: secrets.FileRef("github/token"),
			text: "secrets.Value(file:github/token)", json: `{"ref":"file:github/token","type":"sandboxguard.secret_ref"}`,
			revealErr: secrets.ErrUnresolved,
		},
		{
			name: "resolved", value: secretstest.Resolved(t, vaultRef, "hunter2"), ref: vaultRef, resolved: true,
			text: "secrets.Value(vault:kv/app#token, resolved)", json: `{"ref":"vault:kv/app#token","type":"sandboxguard.secret_ref"}`,
			reveal: "hunter2",
		},
		{
			name: "literal", value: literal(t), literal: true,
			text: "secrets.Value(dropped literal)", json: `{"type":"sandboxguard.dropped_literal"}`, revealErr: secrets.ErrLiteral,
		},
		{
			name: "literal that a binding names", value: literal(t).WithRef(vaultRef), ref: vaultRef,
			text: "secrets.Value(vault:kv/app#token)", json: `{"ref":"vault:kv/app#token","type":"sandboxguard.secret_ref"}`,
			revealErr: secrets.ErrUnresolved,
		},
		{
			name:  "resolved, named anew",
			value: secretstest.Resolved(t, vaultRef, "hunter2").WithRef(secrets.EnvRef("TOKEN")), ref: secrets.EnvRef("TOKEN"),
			text: "secrets.Value(env:TOKEN)", json: `{"name":"TOKEN","type":"temporal.worker_env_value"}`,
			revealErr: secrets.ErrUnresolved,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := tc.value
			if v.Ref() != tc.ref || v.IsZero() != tc.zero || v.Resolved() != tc.resolved || v.Literal() != tc.literal {
				t.Errorf("Ref %v, IsZero %v, Resolved %v, Literal %v", v.Ref(), v.IsZero(), v.Resolved(), v.Literal())
			}
			if v.String() != tc.text {
				t.Errorf("String() = %q, want %q", v.String(), tc.text)
			}
			got, err := json.Marshal(v)
			if err != nil || string(got) != tc.json {
				t.Errorf("Marshal: %s, %v, want %s", got, err, tc.json)
			}
			reveal, err := v.Reveal()
			if reveal != tc.reveal || !errors.Is(err, tc.revealErr) {
				t.Errorf("Reveal() = %q, %v", reveal, err)
			}

			// What was encoded is decoded as the same, without the contents.
			want := v
			if tc.resolved {
				want = secrets.From(tc.ref)
			}
			var back secrets.Value
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatalf("Unmarshal: %v", err)
			}
			if diff := cmp.Diff(want, back); diff != "" || !reflect.DeepEqual(want, back) {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
			var b bytes.Buffer
			var held typed[secrets.Value]
			if err := errors.Join(gob.NewEncoder(&b).Encode(typed[secrets.Value]{"n", v}), gob.NewDecoder(&b).Decode(&held)); err != nil || held.Token != want {
				t.Errorf("gob gives %v, %v, want %v", held.Token, err, want)
			}
		})
	}
}

func TestValueDecodesWhatStoodThereOnce(t *testing.T) {
	t.Parallel()
	type input struct {
		Token secrets.Value `json:"token,omitzero"`
	}
	for _, tc := range []struct {
		in            string
		zero, literal bool
	}{
		{in: `{}`, zero: true},
		{in: `{"token":null}`, zero: true},
		{in: `{"token":""}`, zero: true},
		{in: `{"token":"hunter2"}`, literal: true},
		{in: `{"token":" "}`, literal: true},
		{in: `{"token":"env:TOKEN"}`, literal: true},                                                 // text is never read as a reference
		{in: `{"token":"temporal.worker_env_ref:{TOKEN}"}`, literal: true},                           // nor is that of another plugin
		{in: `{"token":{"type":"sandboxguard.dropped_literal"}}`, literal: true},                     // dropped before
		{in: `{"token":{"type":"temporal.worker_env_value","name":"correct horse"}}`, literal: true}, // pasted
		{in: `{"token":{"type":"secret_ref","key":"ghp_0123456789"}}`, literal: true},
	} {
		t.Run(tc.in, func(t *testing.T) {
			t.Parallel()
			got := input{Token: secrets.Env("OVERWRITTEN")}
			if tc.in == `{}` {
				got = input{}
			}
			if err := json.Unmarshal([]byte(tc.in), &got); err != nil {
				t.Fatalf("Unmarshal: %v", err)
			}
			if got.Token.IsZero() != tc.zero || got.Token.Literal() != tc.literal || !got.Token.Ref().IsZero() {
				t.Errorf("Unmarshal gives %v", got.Token)
			}
			out, err := json.Marshal(got)
			if err != nil {
				t.Fatalf("Marshal: %v", err)
			}
			want := `{}`
			if tc.literal {
				want = `{"token":{"type":"sandboxguard.dropped_literal"}}`
			}
			if string(out) != want {
				t.Errorf("Marshal: %s, want %s", out, want)
			}
		})
	}
}

func TestValueDecodesText(t *testing.T) {
	t.Parallel()
	var doc struct {
		Full  secrets.Value `xml:"full"`
		Empty secrets.Value `xml:"empty"`
		None  secrets.Value `xml:"none"`
	}
	if err := xml.Unmarshal([]byte(`<doc><full>hunter2</full><empty></empty></doc>`), &doc); err != nil {
		t.Fatal(err)
	}
	if !doc.Full.Literal() || !doc.Empty.IsZero() || !doc.None.IsZero() {
		t.Errorf("text gives %v, %v and %v", doc.Full, doc.Empty, doc.None)
	}
	v := secrets.Env("TOKEN")
	if err := v.UnmarshalJSON([]byte(`{"name":`)); !errors.Is(err, secrets.ErrInvalid) {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestValueEqual(t *testing.T) {
	t.Parallel()
	a := secretstest.Resolved(t, vaultRef, "hunter2")
	for _, tc := range []struct {
		name string
		v, w secrets.Value
		want bool
	}{
		{"zero", secrets.Value{}, secrets.Value{}, true},
		{"same reference", secrets.Env("A"), secrets.Env("A"), true},
		{"other reference", secrets.Env("A"), secrets.Env("B"), false},
		{"other provider", secrets.Env("A"), secrets.File("A"), false},
		{"literals", literal(t), literal(t), true},
		{"literal and zero", literal(t), secrets.Value{}, false},
		{"same contents", a, secretstest.Resolved(t, vaultRef, "hunter2"), true},
		{"other contents", a, secretstest.Resolved(t, vaultRef, "hunter3"), false},
		{"longer contents", a, secretstest.Resolved(t, vaultRef, "hunter22"), false},
		{"same contents, other reference", a, secretstest.Resolved(t, secrets.EnvRef("A"), "hunter2"), false},
		{"resolved and not", a, secrets.From(vaultRef), false},
	} {
		if got := tc.v.Equal(tc.w); got != tc.want {
			t.Errorf("%s: Equal = %v, want %v", tc.name, got, tc.want)
		}
		if got := tc.w.Equal(tc.v); got != tc.want {
			t.Errorf("%s: Equal the other way = %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestOnlyTheGuardResolves(t *testing.T) {
	t.Parallel()
	res := secrets.NewResolution("hunter2", secrets.ResolutionInfo{})
	var none mint.Key
	if v := secrets.Resolved(none, vaultRef, res); v.Resolved() || v.Ref() != vaultRef {
		t.Errorf("a value was resolved without a key: %v", v)
	}
	if got := res.Reveal(none); got != "" {
		t.Errorf("a resolution was read without a key: %q", got)
	}
	if v := secrets.Resolved(mint.Guard(), vaultRef, secrets.Resolution{}); v.Resolved() {
		t.Errorf("a resolution without contents resolved a value: %v", v)
	}
	if v := secrets.Resolved(mint.Guard(), secrets.EnvRef("correct horse"), res); v.Resolved() || !v.Literal() {
		t.Errorf("a pasted name was resolved: %v", v)
	}
	if secrets.NewRequest(none, vaultRef, secrets.Scope{}).Minted() {
		t.Error("a request was minted without a key")
	}
}
