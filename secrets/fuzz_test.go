package secrets_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// FuzzParseRef: a reference is refused, or is written exactly as it was read and
// survives its JSON form; and what was refused is not quoted.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{
		"", "env:TOKEN", "env:TOKEN_{group}", "file:github/deploy-token", "file:..data/token", "file:../token",
		"vault:kv/data-platform/reports#token@4", "vault:kv/{namespace}#{tenant}", "vault:kv/app#@", "a:b#c#d@e@f",
		"postgres://user:hunter2@db/app", "env:ghp_0123456789abcdef", "vault:\x00", "vault:{}", "vault:ü", "env:A\n",
	} {
		f.Add(s)
	}
	// What the errors say of their own, whatever was refused: an input may happen
	// to be a part of it.
	own := refusals(f, "", "env:a b", "env:ghp_0123456789abcdef", "file:../token", "vault:{}", "vault:kv/app#", "vault:kv/app@", "a b:c")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := secrets.ParseRef(s)
		if err != nil {
			_, rest, _ := strings.Cut(s, ":")
			if len(rest) >= 6 && strings.Contains(refused(s, err), rest) && strings.ContainsFunc(rest, isNoWord) && !strings.Contains(own, rest) {
				t.Errorf("the error quotes its input: %v", err)
			}
			return
		}
		if r.String() != s {
			t.Errorf("String() = %q after ParseRef(%q)", r.String(), s)
		}
		if (r.Validate() == nil) == r.Template() {
			t.Errorf("%q: Validate() = %v, Template() = %v", s, r.Validate(), r.Template())
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("Marshal: %v", err)
		}
		var back secrets.Ref
		if err := json.Unmarshal(data, &back); err != nil || back != r {
			t.Errorf("%s is decoded as %#v, %v", data, back, err)
		}
		var v secrets.Value
		if err := json.Unmarshal(data, &v); err != nil || v.Ref() != r || v.Literal() {
			t.Errorf("%s is decoded as %v, %v", data, v, err)
		}
		if v := secrets.From(r); v.Ref() != r {
			t.Errorf("From drops %q", s)
		}
	})
}

// refusals returns the errors of inputs that are no references.
func refusals(f *testing.F, inputs ...string) string {
	f.Helper()
	var said strings.Builder
	for _, s := range inputs {
		_, err := secrets.ParseRef(s)
		if err == nil {
			f.Fatalf("ParseRef(%q) is no error", s)
		}
		said.WriteString(refused(s, err) + "\n")
	}
	return said.String()
}

// refused returns the text of the error that s met, without the name of the
// provider, which is shown.
func refused(s string, err error) string {
	provider, _, _ := strings.Cut(s, ":")
	return strings.Replace(err.Error(), provider+":", "", 1)
}

// isNoWord tells characters that names which are no references do not show.
func isNoWord(r rune) bool {
	return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", r)
}

// FuzzValueJSON: decoding does not panic, and keeps nothing of a text but a name
// that stands in an object tagged as a reference; what was decoded is encoded,
// and decoded again as the same.
func FuzzValueJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `""`, `"hunter2 and more"`, `1`, `[]`, `{}`, `{"type":"sandboxguard.dropped_literal"}`,
		`{"type":"temporal.worker_env_value","name":"TOKEN"}`, `{"type":"temporal.worker_env_value","name":"correct horse"}`,
		`{"type":"sandboxguard.secret_ref","ref":"vault:kv/app#token"}`, `{"type":"sandboxguard.secret_ref","ref":"hunter2"}`,
		`{"type":"secret_ref","key":"TOKEN"}`, `{"type":"secret_ref","key":"ghp_0123456789abcdef"}`,
		`{"type":"temporal.worker_env_value","name":"TOKEN","value":"hunter2 and more"}`, `{"type":`, "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v secrets.Value
		err := v.UnmarshalJSON(data)
		out, marshalErr := json.Marshal(v)
		if marshalErr != nil {
			t.Fatalf("Marshal: %v", marshalErr)
		}
		shown := fmt.Sprintf("%s %v %+v %#v %v", out, v, v, v, err)
		for _, leaf := range leaves(data) {
			if len(leaf) < 4 || strings.Contains(fixedTexts, leaf) {
				continue // such text stands there whatever was decoded
			}
			if strings.Contains(shown, leaf) && leaf != v.Ref().Name && leaf != v.Ref().String() {
				t.Errorf("%q of %q is shown: %s", leaf, data, shown)
			}
		}
		if err != nil {
			return
		}
		if v.Literal() && !v.Ref().IsZero() {
			t.Errorf("a dropped literal has the reference %v", v.Ref())
		}
		var back secrets.Value
		if err := json.Unmarshal(out, &back); err != nil || !back.Equal(v) || back != v {
			t.Errorf("%v is encoded as %s and decoded as %v, %v", v, out, back, err)
		}
	})
}

// fixedTexts are the texts of this package that values and errors show.
const fixedTexts = `{"type":"sandboxguard.dropped_literal"} {"ref":,"type":"sandboxguard.secret_ref"}
	{"name":,"type":"temporal.worker_env_value"} secrets.Value(dropped literal) null <nil>
	secrets: invalid: a secret must be an object that is tagged as a reference
	secrets: invalid: a secret must be a reference in JSON secret_ref`

// leaves returns the strings in a JSON document.
func leaves(data []byte) []string {
	var in any
	if json.Unmarshal(data, &in) != nil {
		return nil
	}
	var out []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for _, e := range v {
				collect(e)
			}
		}
	}
	collect(in)
	return out
}
