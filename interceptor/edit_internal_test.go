package interceptor

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

type editInner struct {
	Token string `json:"token"`
}

type editShape struct {
	Text   string                  `json:"text"`
	Any    any                     `json:"any"`
	Say    fmt.Stringer            `json:"say"`
	Says   map[string]fmt.Stringer `json:"says"`
	Count  map[int]string          `json:"count"`
	Mixed  map[any]any             `json:"mixed"`
	Inner  map[string]editInner    `json:"inner"`
	Inners map[string]*editInner   `json:"inners"`
	Twice  **string                `json:"twice"`
	Array  [2]editInner            `json:"array"`
	Fixed  [4]byte                 `json:"fixed"`
}

func write(text string) leafFunc {
	return func(_ reflect.Value, want reflect.Type) (reflect.Value, error) { return textAs(text, want) }
}

// TestEdits: at every place one of these happens, and never a panic: the text is
// there in a copy, or the error says why not.
func TestEdits(t *testing.T) {
	twice := func(s string) **string { p := &s; return &p }
	for _, tc := range []struct {
		at   string
		in   editShape
		want func(*editShape)
		err  error
	}{
		{at: "/0/text", want: func(s *editShape) { s.Text = "new" }},
		{at: "/0/any/a/b", want: func(s *editShape) { s.Any = map[string]any{"a": map[string]any{"b": "new"}} }},
		{at: "/0/any/1", in: editShape{Any: []any{"a", "b"}}, want: func(s *editShape) { s.Any = []any{"a", "new"} }},
		{at: "/0/any/2", in: editShape{Any: []any{"a", "b"}}, err: errNoPlace},
		{at: "/0/any/-1", in: editShape{Any: []any{"a"}}, err: errNoPlace},
		{at: "/0/inner/k/token", in: editShape{Inner: map[string]editInner{}}, want: func(s *editShape) { s.Inner = map[string]editInner{"k": {Token: "new"}} }},
		{at: "/0/inner/*/token", in: editShape{Inner: map[string]editInner{"a": {}, "b": {}}}, want: func(s *editShape) {
			s.Inner = map[string]editInner{"a": {Token: "new"}, "b": {Token: "new"}}
		}},
		{at: "/0/inners/k/token", in: editShape{Inners: map[string]*editInner{"k": {}}}, want: func(s *editShape) { s.Inners = map[string]*editInner{"k": {Token: "new"}} }},
		{at: "/0/inners/k/token", in: editShape{Inners: map[string]*editInner{}}, err: errNoPlace},
		{at: "/0/mixed/k", in: editShape{Mixed: map[any]any{"k": 1, 2: 3}}, want: func(s *editShape) { s.Mixed = map[any]any{"k": "new", 2: 3} }},
		{at: "/0/count/1", in: editShape{Count: map[int]string{1: "a"}}, err: errNoPlace},
		{at: "/0/twice", in: editShape{Twice: twice("old")}, want: func(s *editShape) { s.Twice = twice("new") }},
		{at: "/0/array/1/token", want: func(s *editShape) { s.Array[1].Token = "new" }},
		{at: "/0/fixed", err: errNotText},
		{at: "/0/nope", err: errNoPlace},
		{at: "/0", err: errNotText},
		{at: "", err: errNoPlace},
		{at: "/x", err: errNoPlace},
		{at: "/7/text", err: errNoPlace},
		{at: "/*/text", want: func(s *editShape) { s.Text = "new" }},
	} {
		t.Run(tc.at, func(t *testing.T) {
			at, err := validation.ParsePointer(tc.at)
			if err != nil {
				t.Fatal(err)
			}
			before := tc.in
			out, err := editArgs([]any{tc.in}, at, write("new"))
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			want := before
			if tc.want != nil {
				tc.want(&want)
			}
			if diff := cmp.Diff([]any{want}, out); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.in); diff != "" {
				t.Errorf("the input was written to (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCleanersDoNotWrite: what is cleaned is a copy, and what holds nothing is the
// very value.
func TestCleanersDoNotWrite(t *testing.T) {
	set := redact.NewSet()
	if err := set.Add("s", "secret-0a1b2c3d"); err != nil {
		t.Fatal(err)
	}
	c := cleaner{hidden: set}
	shared := &editInner{Token: "secret-0a1b2c3d"}
	in := map[string]any{"a": []*editInner{shared, nil}, "b": "clean"}
	out, hits, err := c.value(in)
	if err != nil || hits != 1 || shared.Token != "secret-0a1b2c3d" {
		t.Fatalf("%d hits, %v, token %q", hits, err, shared.Token)
	}
	if got := out.(map[string]any)["a"].([]*editInner)[0].Token; got != "[redacted]" {
		t.Errorf("got %q", got)
	}
	clean := &editInner{Token: "clean"}
	if out, hits, err := c.value(clean); out != any(clean) || hits != 0 || err != nil {
		t.Errorf("got %v, %d hits, %v", out, hits, err)
	}
	loop := map[string]any{"t": "secret-0a1b2c3d"}
	loop["self"] = loop
	if _, _, err := c.value(loop); !errors.Is(err, errWithheld) {
		t.Errorf("a cycle: %v", err)
	}
}

// TestWhatIsText: an archive or a key is no text, though it may be valid UTF-8.
func TestWhatIsText(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "plain": true, "tab\tline\r\n": true, "colour \x1b[31mred\x1b[0m": true, "é ñ 漢": true,
		"\x00": false, "tar\x00\x00": false, "\xff\xfe": false, "\x01": false,
	} {
		if got := isText([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPatterns suggest an entry that would cover the queue.
func TestPatterns(t *testing.T) {
	for queue, want := range map[string]string{"deploys-eu": "deploys-*", "deploys": "deploys*", "-x": "-x*", "a-b-c": "a-*"} {
		got := patternFor(queue)
		if got != want || !strings.HasPrefix(queue, strings.TrimSuffix(got, "*")) {
			t.Errorf("%s: %s", queue, got)
		}
	}
}
