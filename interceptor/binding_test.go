package interceptor_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets"
)

func bind(input string, more string) string {
	return "grants: [{secret: deploy, to: {activity: Push, input: " + input + "}" + more + "}]\n"
}

type inner struct {
	Token string  `json:"token"`
	Raw   []byte  `json:"raw,omitempty"`
	Ptr   *string `json:"ptr,omitempty"`
}

// Embedded is exported, as encoding/json wants an embedded pointer to be.
type Embedded struct {
	Token string `json:"token"`
}

type alias string

// shapes is an activity input with a place of every kind.
type shapes struct {
	Name    string                     `json:"name"`
	Alias   alias                      `json:"alias"`
	Bytes   []byte                     `json:"bytes"`
	Pointer *string                    `json:"pointer"`
	Nested  inner                      `json:"nested"`
	NestedP *inner                     `json:"nested_p"`
	List    []inner                    `json:"list"`
	Array   [2]string                  `json:"array"`
	Map     map[string]string          `json:"map"`
	Maps    map[string]map[string]any  `json:"maps"`
	Any     any                        `json:"any"`
	Raw     json.RawMessage            `json:"raw"`
	RawMap  map[string]json.RawMessage `json:"raw_map"`
	*Embedded
	NoTag    string
	Hidden   string `json:"-"`
	Dash     string `json:"-,"` //nolint:staticcheck // a key that is a dash is the point
	Optional string `json:"optional,omitempty"`
}

func ptr[T any](v T) *T { return &v }

// TestBindingsReachEveryShape: a binding writes the secret into the place that its
// pointer names, in a copy, and into nothing else.
func TestBindingsReachEveryShape(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		in          shapes
		want        func(*shapes)
	}{
		{"string", "/0/name", shapes{}, func(s *shapes) { s.Name = canary }},
		{"named string type", "/0/alias", shapes{}, func(s *shapes) { s.Alias = canary }},
		{"bytes", "/0/bytes", shapes{}, func(s *shapes) { s.Bytes = []byte(canary) }},
		{"bytes that held text", "/0/bytes", shapes{Bytes: []byte("old")}, func(s *shapes) { s.Bytes = []byte(canary) }},
		{"nil pointer", "/0/pointer", shapes{}, func(s *shapes) { s.Pointer = ptr(canary) }},
		{"pointer", "/0/pointer", shapes{Pointer: ptr("old")}, func(s *shapes) { s.Pointer = ptr(canary) }},
		{"nested struct", "/0/nested/token", shapes{}, func(s *shapes) { s.Nested.Token = canary }},
		{"nested bytes", "/0/nested/raw", shapes{}, func(s *shapes) { s.Nested.Raw = []byte(canary) }},
		{"nested pointer", "/0/nested/ptr", shapes{}, func(s *shapes) { s.Nested.Ptr = ptr(canary) }},
		{"pointer to struct", "/0/nested_p/token", shapes{NestedP: &inner{}}, func(s *shapes) { s.NestedP.Token = canary }},
		{"slice element", "/0/list/1/token", shapes{List: []inner{{}, {}}}, func(s *shapes) { s.List[1].Token = canary }},
		{"every slice element", "/0/list/*/token", shapes{List: []inner{{}, {Token: "old"}}}, func(s *shapes) {
			s.List[0].Token, s.List[1].Token = canary, canary
		}},
		{"array element", "/0/array/1", shapes{}, func(s *shapes) { s.Array[1] = canary }},
		{"map value", "/0/map/t", shapes{Map: map[string]string{"t": "old", "u": "stays"}}, func(s *shapes) { s.Map["t"] = canary }},
		{"missing map key", "/0/map/t", shapes{Map: map[string]string{}}, func(s *shapes) { s.Map["t"] = canary }},
		{"every map value", "/0/map/*", shapes{Map: map[string]string{"a": "1", "b": "2"}}, func(s *shapes) {
			s.Map["a"], s.Map["b"] = canary, canary
		}},
		{"map in a map", "/0/maps/a/t", shapes{Maps: map[string]map[string]any{"a": {"n": 1.5}}}, func(s *shapes) { s.Maps["a"]["t"] = canary }},
		{"below an interface", "/0/any/a/0/t", shapes{Any: map[string]any{"a": []any{map[string]any{"t": "old"}}}}, func(s *shapes) {
			s.Any.(map[string]any)["a"].([]any)[0].(map[string]any)["t"] = canary
		}},
		{"interface leaf", "/0/any", shapes{Any: "old"}, func(s *shapes) { s.Any = canary }},
		{"RawMessage", "/0/raw/a/t", shapes{Raw: json.RawMessage(`{"a":{"n":12345678901234567890,"t":"old"}}`)}, func(s *shapes) {
			s.Raw = json.RawMessage(`{"a":{"n":12345678901234567890,"t":"` + canary + `"}}`)
		}},
		{"RawMessage in a map", "/0/raw_map/k/t", shapes{RawMap: map[string]json.RawMessage{"k": json.RawMessage(`{}`)}}, func(s *shapes) {
			s.RawMap["k"] = json.RawMessage(`{"t":"` + canary + `"}`)
		}},
		{"embedded", "/0/token", shapes{Embedded: &Embedded{}}, func(s *shapes) { s.Embedded.Token = canary }},
		{"without a tag", "/0/NoTag", shapes{}, func(s *shapes) { s.NoTag = canary }},
		{"key that is a dash", "/0/-", shapes{}, func(s *shapes) { s.Dash = canary }},
		{"omitted when empty", "/0/optional", shapes{}, func(s *shapes) { s.Optional = canary }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got shapes
			_, err := attempt(t, options(t, bind(tc.input, ", literal: replace")), func(_ context.Context, in shapes) error {
				got = in
				return nil
			}, tc.in)
			if err != nil {
				t.Fatal(err)
			}
			want := decoded(t, tc.in)
			tc.want(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
		})
	}
}

// decoded is v as an activity gets it without the guard.
func decoded[T any](tb testing.TB, v T) (out T) {
	tb.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestBindingsWithoutAPlace: what a binding names and is not there ends the
// attempt before it begins. Nothing is skipped in silence.
func TestBindingsWithoutAPlace(t *testing.T) {
	for _, tc := range []struct {
		name, input, rule string
		args              []any
	}{
		{"no such field", "/0/nope", "input-missing", []any{shapes{}}},
		{"field that is not encoded", "/0/Hidden", "input-missing", []any{shapes{}}},
		{"no such argument", "/1/token", "input-missing", []any{shapes{}}},
		{"index out of range", "/0/list/3/token", "input-missing", []any{shapes{List: []inner{{}}}}},
		{"index that is no number", "/0/list/x/token", "input-missing", []any{shapes{List: []inner{{}}}}},
		{"below a string", "/0/name/token", "input-missing", []any{shapes{}}},
		{"a struct", "/0/nested", "wrong-type", []any{shapes{}}},
		{"a list", "/0/list", "wrong-type", []any{shapes{List: []inner{{}}}}},
		{"a number below an interface", "/0/any/n", "wrong-type", []any{shapes{Any: map[string]any{"n": 5}}}},
		{"RawMessage that is no object", "/0/raw/t", "input-missing", []any{shapes{Raw: json.RawMessage(`[1]`)}}},
		{"nil embedded pointer", "/0/token", "input-missing", []any{shapes{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := attempt(t, options(t, bind(tc.input, ", literal: replace")), func(context.Context, shapes) error {
				t.Error("it ran")
				return nil
			}, tc.args...)
			wantRules(t, err, tc.rule)
		})
	}
}

// TestWildcardsOverNothing: an empty list has no place that a wildcard could mean,
// and so nothing is missing.
func TestWildcardsOverNothing(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		in          shapes
	}{
		{"empty list", "/0/list/*/token", shapes{List: []inner{}}},
		{"no list", "/0/list/*/token", shapes{}},
		{"empty map", "/0/map/*", shapes{Map: map[string]string{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, bind(tc.input, ", literal: replace"))
			ran := false
			if _, err := attempt(t, opts, func(context.Context, shapes) error { ran = true; return nil }, tc.in); err != nil || !ran {
				t.Errorf("ran %v, %v", ran, err)
			}
			if n := len(opts.Audit.(*memorySink).records); n != 0 {
				t.Errorf("%d records of a secret that nobody needed", n)
			}
		})
	}
}

// TestBindingOfUntypedReference: a reference in its tagged form at a bound place
// is the workflow's way to name the secret; another one is not.
func TestBindingOfUntypedReference(t *testing.T) {
	for _, tc := range []struct {
		name, rule string
		at         any
	}{
		{"the bound secret", "", secrets.EnvRef("DEPLOY_TOKEN").ToMap()},
		{"another secret", "secret-not-granted", secrets.EnvRef("OTHER_TOKEN").ToMap()},
		{"an object that is no reference", "secret-not-granted", map[string]any{"type": "x", "name": "DEPLOY_TOKEN"}},
		{"a reference with a further key", "secret-not-granted", map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN", "x": 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got map[string]any
			_, err := attempt(t, options(t, bind("/0/token", "")), func(_ context.Context, in map[string]any) error {
				got = in
				return nil
			}, map[string]any{"token": tc.at})
			if tc.rule != "" {
				wantRules(t, err, tc.rule)
				return
			}
			if err != nil || got["token"] != canary {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
