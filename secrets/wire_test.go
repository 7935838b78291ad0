package secrets_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets"
)

func TestRefJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		ref  secrets.Ref
		want string
	}{
		{"zero", secrets.Ref{}, `null`},
		{"env", secrets.EnvRef("TOKEN"), `{"name":"TOKEN","type":"temporal.worker_env_value"}`},
		{"env without a name", secrets.EnvRef(""), `{"name":"","type":"temporal.worker_env_value"}`},
		{"file", secrets.FileRef("github/token"), `{"ref":"file:github/token","type":"sandboxguard.secret_ref"}`},
		{
			"vault",
			secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token", Version: "4"},
			`{"ref":"vault:kv/app#token@4","type":"sandboxguard.secret_ref"}`,
		},
		{"template", secrets.EnvRef("TOKEN_{group}"), `{"name":"TOKEN_{group}","type":"temporal.worker_env_value"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(tc.ref)
			if err != nil || string(got) != tc.want {
				t.Fatalf("Marshal: %s, %v, want %s", got, err, tc.want)
			}
			back := secrets.EnvRef("overwritten")
			if err := json.Unmarshal(got, &back); err != nil || back != tc.ref {
				t.Errorf("Unmarshal: %#v, %v, want %#v", back, err, tc.ref)
			}
			m := tc.ref.ToMap()
			if tc.ref.IsZero() {
				if m != nil {
					t.Errorf("ToMap() = %v, want nil", m)
				}
				return
			}
			if ref, ok := secrets.RefFromMap(m); !ok || ref != tc.ref {
				t.Errorf("RefFromMap(ToMap()) = %#v, %v", ref, ok)
			}
		})
	}
}

// tagged are JSON objects that are, or nearly are, a reference.
var tagged = []struct {
	name, in string
	want     secrets.Ref // zero: none
}{
	{"env", `{"type":"temporal.worker_env_value","name":"TOKEN"}`, secrets.EnvRef("TOKEN")},
	{"env, no identifier", `{"type":"temporal.worker_env_value","name":"MY-TOKEN"}`, secrets.EnvRef("MY-TOKEN")},
	{"key", `{"type":"secret_ref","key":"TOKEN"}`, secrets.EnvRef("TOKEN")},
	{"ref", `{"type":"sandboxguard.secret_ref","ref":"vault:kv/app#token"}`, secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token"}},
	{"ref to env", `{"type":"sandboxguard.secret_ref","ref":"env:TOKEN"}`, secrets.EnvRef("TOKEN")},
	{name: "no object", in: `["temporal.worker_env_value","TOKEN"]`},
	{name: "number", in: `1`},
	{name: "true", in: `true`},
	{name: "empty object", in: `{}`},
	{name: "no type", in: `{"name":"TOKEN"}`},
	{name: "no name", in: `{"type":"temporal.worker_env_value"}`},
	{name: "other type", in: `{"type":"str","value":"TOKEN"}`},
	{name: "type of another kind", in: `{"type":["temporal.worker_env_value"],"name":"TOKEN"}`},
	{name: "other case", in: `{"type":"temporal.worker_env_value","NAME":"TOKEN"}`},
	{name: "key of the other tag", in: `{"type":"secret_ref","name":"TOKEN"}`},
	{name: "name of another kind", in: `{"type":"temporal.worker_env_value","name":7}`},
	{name: "name is null", in: `{"type":"temporal.worker_env_value","name":null}`},
	{name: "ref of another kind", in: `{"type":"sandboxguard.secret_ref","ref":{"a":1}}`},
	{name: "one key more", in: `{"type":"temporal.worker_env_value","name":"TOKEN","value":"hunter2"}`},
	{name: "one key more in a ref", in: `{"type":"sandboxguard.secret_ref","ref":"env:TOKEN","value":"hunter2"}`},
	{name: "one key more in a dropped literal", in: `{"type":"sandboxguard.dropped_literal","value":"hunter2"}`},
}

func TestRefFromTaggedObject(t *testing.T) {
	t.Parallel()
	for _, tc := range tagged {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var m map[string]any
			_ = json.Unmarshal([]byte(tc.in), &m) // m stays nil if it is no object
			ref, ok := secrets.RefFromMap(m)
			if ok != !tc.want.IsZero() || ref != tc.want {
				t.Errorf("RefFromMap = %#v, %v, want %#v", ref, ok, tc.want)
			}

			var got secrets.Ref
			err := json.Unmarshal([]byte(tc.in), &got)
			if tc.want.IsZero() {
				refusedQuietly(t, err)
			} else if err != nil || got != tc.want {
				t.Errorf("Ref: %#v, %v, want %#v", got, err, tc.want)
			}

			var v secrets.Value
			err = json.Unmarshal([]byte(tc.in), &v)
			if tc.want.IsZero() {
				refusedQuietly(t, err)
			} else if diff := cmp.Diff(secrets.From(tc.want), v); err != nil || diff != "" {
				t.Errorf("Value: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A reference that a later version may be able to read, or a pasted value, is
// no reference here.
func TestUnreadableRefIsNoRef(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hunter2", "vault:kv/a b", "vault:", "postgres://u:hunter2@db"} {
		in, err := json.Marshal(map[string]string{"type": "sandboxguard.secret_ref", "ref": text})
		if err != nil {
			t.Fatal(err)
		}
		var ref secrets.Ref
		refusedQuietly(t, json.Unmarshal(in, &ref))
		var v secrets.Value
		if err := json.Unmarshal(in, &v); err != nil || !v.Literal() {
			t.Errorf("%q: %v, %v, want a dropped literal, so that a run with it can be replayed", text, v, err)
		}
	}
	var ref secrets.Ref
	refusedQuietly(t, json.Unmarshal([]byte(`"env:hunter2"`), &ref))
	refusedQuietly(t, ref.UnmarshalJSON([]byte(`{"type":`)))
}

func refusedQuietly(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, secrets.ErrInvalid) {
		t.Errorf("error is %v, want ErrInvalid", err)
		return
	}
	for _, quoted := range []string{"hunter2", "TOKEN", "kv"} {
		if strings.Contains(err.Error(), quoted) {
			t.Errorf("the error quotes its input: %v", err)
		}
	}
}
