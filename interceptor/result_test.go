package interceptor_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

const (
	// hidden is what a job reads in the place of the canary that it was given.
	hidden = "[redacted:deploy]"
	// nameless is what others read there, and what nets write that know no job.
	nameless = "[redacted]"
)

// resultOf runs an activity that is given the secret and returns what make makes
// of it, and returns the JSON that is recorded.
func resultOf(t *testing.T, secret string, make func(secret string) any) (recorded string, err error) {
	t.Helper()
	opts := options(t, bindReplace)
	opts.Resolver = secretstest.Static(map[string]string{"env:DEPLOY_TOKEN": secret})
	v, err := attempt(t, opts, func(_ context.Context, in tagInput) (any, error) { return make(in.Token), nil }, tagInput{})
	if err != nil {
		return "", err
	}
	if !v.HasValue() {
		return "", nil
	}
	var raw converter.RawValue
	if err := v.Get(&raw); err != nil {
		return "", err
	}
	data := raw.Payload().GetData()
	secretstest.AssertAbsent(t, []string{secret}, data)
	return string(data), nil
}

type tree struct {
	Text  string           `json:"text,omitempty"`
	Kids  []*tree          `json:"kids,omitempty"`
	Named map[string]*tree `json:"named,omitempty"`
}

// result has members that encode themselves.
type result struct {
	Token secrets.Value `json:"token"`
	When  time.Time     `json:"when"`
	URL   url.URL       `json:"url"`
	Addr  netip.Addr    `json:"addr"`
	Big   *big.Int      `json:"big"`
	tree
}

// TestResultsComeBackClean: whatever a result is made of, no value is in what is
// recorded of it.
func TestResultsComeBackClean(t *testing.T) {
	payload := func(encoding string, data []byte) converter.RawValue {
		return converter.NewRawValue(&commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: data,
		})
	}
	for _, tc := range []struct {
		name string
		make func(s string) any
		want string
	}{
		{"string", func(s string) any { return "with " + s }, `"with [redacted:deploy]"`},
		{"twice", func(s string) any { return s + s }, `"[redacted:deploy][redacted:deploy]"`},
		{"base64", func(s string) any { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) }, ""},
		{"bytes", func(s string) any { return []byte("xx" + s) }, `xx[redacted:deploy]`},
		{"nil", func(string) any { return nil }, ""},
		{"map", func(s string) any { return map[string]any{"a": s, "n": 1.5} }, `{"a":"[redacted:deploy]","n":1.5}`},
		{"map key", func(s string) any { return map[string]any{s: 1} }, `{"[redacted:deploy]":1}`},
		{"map of strings", func(s string) any { return map[string]string{"a": s} }, `{"a":"[redacted:deploy]"}`},
		{"list", func(s string) any { return []any{1, s, []string{s}} }, `[1,"[redacted:deploy]",["[redacted:deploy]"]]`},
		{"array", func(s string) any { return [2]string{s, "b"} }, `["[redacted:deploy]","b"]`},
		{"pointers", func(s string) any { return &tree{Kids: []*tree{nil, {Text: s}}} }, `{"kids":[null,{"text":"[redacted:deploy]"}]}`},
		{"named", func(s string) any { return tree{Named: map[string]*tree{"x": {Text: s}}} }, `{"named":{"x":{"text":"[redacted:deploy]"}}}`},
		{"RawMessage", func(s string) any { return json.RawMessage(`{"a":["` + s + `"]}`) }, `{"a":["[redacted:deploy]"]}`},
		{"RawMessage in a map", func(s string) any { return map[string]json.RawMessage{"a": json.RawMessage(`"` + s + `"`)} }, `{"a":"[redacted:deploy]"}`},
		{"RawValue of JSON", func(s string) any { return payload("json/plain", []byte(`{"a":"`+s+`"}`)) }, `{"a":"[redacted:deploy]"}`},
		{"RawValue of text", func(s string) any { return payload("binary/plain", []byte("a "+s)) }, "a [redacted:deploy]"},
		{"error as a value", func(s string) any { return errors.New(s).Error() }, `"[redacted:deploy]"`},
		{"protobuf", func(s string) any { return wrapperspb.String("with " + s) }, `"with [redacted:deploy]"`},
		{"protobuf struct", func(s string) any {
			v, err := structpb.NewStruct(map[string]any{"a": []any{s}})
			if err != nil {
				t.Fatal(err)
			}
			return v
		}, `{"a":["[redacted:deploy]"]}`},
		{"protobuf in a struct", func(s string) any {
			return struct {
				W *commonpb.WorkflowType `json:"w"`
			}{&commonpb.WorkflowType{Name: s}}
		}, `{"w":{"name":"[redacted:deploy]"}}`},
		{"own marshaler", func(s string) any {
			u, err := url.Parse("https://user:" + s + "@a.example/")
			if err != nil {
				t.Fatal(err)
			}
			return u.String()
		}, `"https://user:[redacted:deploy]@a.example/"`},
		{"escaped", func(s string) any { return `{"inner":"` + s + `"}` }, `"{\"inner\":\"[redacted:deploy]\"}"`},
		{"embedded", func(s string) any { return result{tree: tree{Text: s}, Big: big.NewInt(1)} }, ""},
		{"resolved value", func(s string) any {
			return typedInput{Repo: s, Token: secretstest.Resolved(t, secrets.EnvRef("DEPLOY_TOKEN"), s)}
		}, `{"repo":"[redacted:deploy]","token":{"name":"DEPLOY_TOKEN","type":"temporal.worker_env_value"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := resultOf(t, canary, tc.make)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); tc.want != "" && diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestResultsKeepTheirTypes: workflow code decodes a cleaned result as ever.
func TestResultsKeepTheirTypes(t *testing.T) {
	v, err := attempt(t, options(t, bindReplace), func(_ context.Context, in tagInput) (result, error) {
		return result{tree: tree{Text: in.Token}, Big: big.NewInt(42), Addr: netip.MustParseAddr("192.0.2.1"), When: time.Unix(0, 0).UTC()}, nil
	}, tagInput{})
	if err != nil {
		t.Fatal(err)
	}
	var got result
	if err := v.Get(&got); err != nil {
		t.Fatal(err)
	}
	if got.Text != hidden || got.Big.Int64() != 42 || got.Addr.String() != "192.0.2.1" || !got.When.Equal(time.Unix(0, 0)) {
		t.Errorf("got %+v", got)
	}
}

// TestResultsAreWithheld: where a value cannot be edited, nothing is recorded. The
// activity has run, so that it must not run again.
func TestResultsAreWithheld(t *testing.T) {
	const digits = "8675309123456"
	for _, tc := range []struct {
		name, secret string
		make         func(s string) any
	}{
		{"binary", canary, func(s string) any { return append([]byte{0xff, 0xfe, 0}, s...) }},
		{"byte array", "canary-7", func(s string) any { return [8]byte([]byte(s)) }},
		{"RawValue of another encoding", canary, func(s string) any {
			return converter.NewRawValue(&commonpb.Payload{Data: append([]byte{0x80}, s...)})
		}},
		{"payload of another encoding", canary, func(s string) any {
			return converter.NewRawValue(&commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte("binary/protobuf")}, Data: []byte(s)})
		}},
		{"number", digits, func(string) any { return int64(8675309123456) }},
		{"unsigned", digits, func(string) any { return uint64(8675309123456) }},
		{"number in a map", digits, func(string) any { return map[string]any{"a": "b", "n": 8675309123456} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := resultOf(t, tc.secret, tc.make)
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != guard.ErrorTypeOutputWithheld || !app.NonRetryable() || !guard.IsRefused(err) {
				t.Fatalf("got %v, want %s", err, guard.ErrorTypeOutputWithheld)
			}
			secretstest.AssertAbsent(t, []string{tc.secret}, []byte(err.Error()))
		})
	}
}

// TestResultIsNotWrittenTo: the activity may go on using what it returned.
func TestResultIsNotWrittenTo(t *testing.T) {
	kept := map[string]any{"a": []any{canary}, "b": &tree{Text: canary}}
	if _, err := attempt(t, options(t, bindReplace), func(context.Context, tagInput) (any, error) { return kept, nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	if kept["a"].([]any)[0] != canary || kept["b"].(*tree).Text != canary {
		t.Error("the activity's own value was edited")
	}
}

// TestLiteralsInResults: the policy's literals govern what an activity returns.
func TestLiteralsInResults(t *testing.T) {
	for _, tc := range []struct{ entry, rule string }{
		{"", "literal-credential"}, {"literals: report\n", ""}, {"literals: off\n", ""},
	} {
		_, err := attempt(t, options(t, tc.entry), func(context.Context) (any, error) { return tree{Text: githubToken}, nil })
		if tc.rule == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantRules(t, err, tc.rule)
		if holdsText(err, githubToken) {
			t.Error("the refusal quotes the credential")
		}
	}
}
