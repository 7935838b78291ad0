package secrets_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets"
)

func TestParseRef(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in       string
		want     secrets.Ref
		template bool
	}{
		{in: "env:A", want: secrets.EnvRef("A")},
		{in: "env:REPORTS_API_TOKEN", want: secrets.EnvRef("REPORTS_API_TOKEN")},
		{in: "env:_lower9", want: secrets.EnvRef("_lower9")},
		{in: "file:token", want: secrets.FileRef("token")},
		{in: "file:github/deploy-token", want: secrets.FileRef("github/deploy-token")},
		{in: "file:..data/tls.key", want: secrets.FileRef("..data/tls.key")},
		{in: "file:.dockerconfigjson", want: secrets.FileRef(".dockerconfigjson")},
		{in: "vault:kv/app", want: secrets.Ref{Provider: "vault", Name: "kv/app"}},
		{in: "vault:kv/app#token", want: secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token"}},
		{in: "vault:kv/app@4", want: secrets.Ref{Provider: "vault", Name: "kv/app", Version: "4"}},
		{
			in:   "vault:kv/data-platform/reports#token@4",
			want: secrets.Ref{Provider: "vault", Name: "kv/data-platform/reports", Field: "token", Version: "4"},
		},
		{
			in:   "key-store-2:release#a/b.c@0123456789abcdef0123456789abcdef",
			want: secrets.Ref{Provider: "key-store-2", Name: "release", Field: "a/b.c", Version: "0123456789abcdef0123456789abcdef"},
		},
		{in: "env:TOKEN_{group}", want: secrets.EnvRef("TOKEN_{group}"), template: true},
		{in: "file:{namespace}/{task_queue}/token", want: secrets.FileRef("{namespace}/{task_queue}/token"), template: true},
		{
			in:       "vault:kv/{namespace}-x#{tenant}",
			want:     secrets.Ref{Provider: "vault", Name: "kv/{namespace}-x", Field: "{tenant}"},
			template: true,
		},
	} {
		t.Run(tc.in, func(t *testing.T) {
			t.Parallel()
			got, err := secrets.ParseRef(tc.in)
			if err != nil {
				t.Fatalf("ParseRef: %v", err)
			}
			if got != tc.want {
				t.Errorf("ParseRef (-want +got):\n%s", cmp.Diff(tc.want, got))
			}
			if got.String() != tc.in {
				t.Errorf("String() = %q, want what was parsed", got.String())
			}
			if got.Template() != tc.template {
				t.Errorf("Template() = %v, want %v", got.Template(), tc.template)
			}
			// A template is a name that is not finished.
			if valid := got.Validate() == nil; valid == tc.template {
				t.Errorf("Validate() = %v for Template() = %v", got.Validate(), tc.template)
			}
		})
	}
}

func TestParseRefRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, reason string }{
		{"", "nothing"},
		{"REPORTS_API_TOKEN", "no provider"},
		{":NAME", "empty provider"},
		{"env:", "empty name"},
		{"ENV:NAME", "a provider is in small letters"},
		{"1env:NAME", "a provider begins with a letter"},
		{"my_vault:kv/app", "a provider has no _"},
		{strings.Repeat("v", 33) + ":kv/app", "long provider"},
		{"env:MY-TOKEN", "no identifier"},
		{"env:9LIVES", "an identifier does not begin with a digit"},
		{"env:A.B", "no identifier"},
		{"env:a/b", "no identifier"},
		{"env:NAME#field", "env has no fields"},
		{"env:NAME@2", "env has no versions"},
		{"env:NÄME", "ASCII only"},
		{"file:/etc/passwd", "absolute"},
		{"file:../token", "leads out"},
		{"file:a/../../token", "leads out"},
		{"file:./token", "two names for one file"},
		{"file:a//b", "two names for one file"},
		{"file:a/", "a directory"},
		{`file:a\b`, "backslash"},
		{"file:a\x00b", "NUL"},
		{"file:C:/token", "drive"},
		{"file:token:stream", "stream"},
		{"file:token#field", "file has no fields"},
		{"file:token@1", "file has no versions"},
		{"vault:kv/app#", "empty field"},
		{"vault:kv/app@", "empty version"},
		{"vault:kv/app#@4", "empty field"},
		{"vault:kv/app@4#token", "the version comes last"},
		{"vault:kv/app#a#b", "two fields"},
		{"vault:kv/app@" + strings.Repeat("4", 65), "long version"},
		{"vault:" + strings.Repeat("a/", 300) + "b", "long name"},
		{"vault:kv/app#" + strings.Repeat("f", 129), "long field"},
		{"vault:kv/{namespace", "unclosed placeholder"},
		{"vault:kv/namespace}", "unopened placeholder"},
		{"vault:kv/{}", "empty placeholder"},
		{"vault:kv/{{namespace}}", "nested placeholder"},
		{"vault:kv/{name space}", "no name"},
		{"vault:kv/{9}", "no name"},
		{"vault:kv/app@{version}", "no placeholder in a version"},
		{"{provider}:kv/app", "no placeholder in a provider"},
		{"postgres://user:hunter2@db/app", "a URL with a password"},
		{"https://user:hunter2@host/", "a URL with a password"},
		{"mysql:root:hunter2@tcp/db", "a data source name"},
	} {
		t.Run(tc.reason+" "+tc.in[:min(len(tc.in), 12)], func(t *testing.T) {
			t.Parallel()
			got, err := secrets.ParseRef(tc.in)
			if !errors.Is(err, secrets.ErrInvalid) {
				t.Fatalf("ParseRef: %v, want ErrInvalid (%s)", err, tc.reason)
			}
			if !got.IsZero() {
				t.Errorf("ParseRef returned a reference with its error: %v", got)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %v", err)
			}
			if secrets.Retryable(err) {
				t.Error("a malformed reference is retryable")
			}
		})
	}
}

func TestRefOfStruct(t *testing.T) {
	t.Parallel()
	if err := secrets.EnvRef("TOKEN").Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
	for name, ref := range map[string]secrets.Ref{
		"zero":              {},
		"colon in provider": {Provider: "a:b", Name: "c"},
		"field in name":     {Provider: "vault", Name: "kv/app#token"},
		"version in name":   {Provider: "vault", Name: "kv/app@1"},
		"version in field":  {Provider: "vault", Name: "kv/app", Field: "a@1"},
		"only a field":      {Field: "token"},
	} {
		if err := ref.Validate(); !errors.Is(err, secrets.ErrInvalid) {
			t.Errorf("%s: Validate() = %v, want ErrInvalid", name, err)
		}
	}
}

func TestRefText(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a" // a made-up token
	for _, tc := range []struct {
		name string
		ref  secrets.Ref
		want string
	}{
		{"zero", secrets.Ref{}, ""},
		{"well formed", secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token", Version: "4"}, "vault:kv/app#token@4"},
		{"malformed but plain", secrets.EnvRef("MY-TOKEN"), "env:MY-TOKEN"},
		{"no name", secrets.EnvRef(""), "env:"},
		{"pasted name", secrets.EnvRef(secret), "env:[masked]"},
		{"pasted field", secrets.Ref{Provider: "vault", Name: "kv/app", Field: secret}, "vault:[masked]"},
		{"pasted version", secrets.Ref{Provider: "vault", Name: "kv/app", Version: secret}, "vault:[masked]"},
		{"pasted provider", secrets.Ref{Provider: secret, Name: "kv/app"}, "[masked]:[masked]"},
		{"spaces", secrets.EnvRef("correct horse"), "env:[masked]"},
		{"user info", secrets.Ref{Provider: "postgres", Name: "//u:pw@host"}, "postgres:[masked]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.ref.String(); got != tc.want {
				t.Errorf("String() = %q, want %q", got, tc.want)
			}
			if got := fmt.Sprintf("%v|%s|%+v|%d|%x", tc.ref, tc.ref, tc.ref, tc.ref, tc.ref); got != strings.Join([]string{tc.want, tc.want, tc.want, tc.want, tc.want}, "|") {
				t.Errorf("fmt shows %q", got)
			}
			if got, want := fmt.Sprintf("%q", tc.ref), fmt.Sprintf("%q", tc.want); got != want {
				t.Errorf("%%q shows %s, want %s", got, want)
			}
			if got, want := fmt.Sprintf("%#v", tc.ref), fmt.Sprintf("secrets.Ref(%q)", tc.want); got != want {
				t.Errorf("%%#v shows %s, want %s", got, want)
			}
			if err := tc.ref.Validate(); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows the pasted value: %v", err)
			}
		})
	}
}
