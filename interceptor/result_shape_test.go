package interceptor_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

type numbered struct {
	N int64 `json:"n"`
}

// TestNumbersAreWithheld: a number could be hidden only by changing its type.
func TestNumbersAreWithheld(t *testing.T) {
	const digits = "8675309123456"
	const n = 8675309123456
	for _, tc := range []struct {
		name string
		v    any
	}{
		{"struct", numbered{n}},
		{"pointer", &numbered{n}},
		{"slice", []int64{1, n}},
		{"map", map[string]int64{"n": n}},
		{"float", float64(n)},
		{"float in a map", map[string]any{"a": "b", "n": float64(n)}},
		{"float32 that prints the digits", map[string]any{"n": json.Number(digits)}},
		{"json.Number", json.Number(digits)},
		{"key", map[int64]string{n: "x"}},
		{"key among numbers", map[int64]bool{n: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			recorded, err := resultOf(t, digits, func(string) any { return tc.v })
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != guard.ErrorTypeOutputWithheld {
				t.Errorf("recorded %q, %v", recorded, err)
			}
		})
	}
}

// TestArchiveOfTextIsWithheld: a tar of text files is valid UTF-8, and still no
// text: an edited one is broken.
func TestArchiveOfTextIsWithheld(t *testing.T) {
	_, err := resultOf(t, canary, func(s string) any {
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: "a", Size: int64(len(s)), Mode: 0o600}), second(w.Write([]byte(s))), w.Close()); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	})
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != guard.ErrorTypeOutputWithheld {
		t.Errorf("got %v, want it withheld", err)
	}
}

func second(_ int, err error) error { return err }

type hiddenToken struct{ Token string }

type embeds struct {
	*hiddenToken
	Repo string
}

// TestEmbeddedUnexportedPointer: encoding/json writes these fields, though they
// cannot be set.
func TestEmbeddedUnexportedPointer(t *testing.T) {
	got, err := resultOf(t, canary, func(s string) any { return embeds{&hiddenToken{s}, "r"} })
	if err != nil || got != `{"Repo":"r","Token":"[redacted:deploy]"}` && got != `{"Token":"[redacted:deploy]","Repo":"r"}` {
		t.Errorf("recorded %q, %v", got, err)
	}
}

// tagged embeds a struct under a name, which makes it a field that encoding/json
// writes and nobody can set.
type tagged struct {
	hiddenToken `json:"t"`
	Repo        string
}

// TestEncodingIsLookedAtOnceMore: what is written of a type whose fields do not tell
// is found in its encoding, also where its fields were edited before.
func TestEncodingIsLookedAtOnceMore(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(s string) any
		want string
	}{
		{"clean fields", func(s string) any { return tagged{hiddenToken{s}, "r"} }, `{"t":{"Token":"[redacted:deploy]"},"Repo":"r"}`},
		{"edited fields", func(s string) any { return &tagged{hiddenToken{s}, s} }, `{"t":{"Token":"[redacted:deploy]"},"Repo":"[redacted:deploy]"}`},
		{"in a list", func(s string) any { return []any{1, tagged{hiddenToken{s}, "r"}} }, `[1,{"t":{"Token":"[redacted:deploy]"},"Repo":"r"}]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := resultOf(t, canary, tc.make); err != nil || got != tc.want {
				t.Errorf("recorded %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}

// marshals encodes what nobody can see.
type marshals struct{ text string }

func (m marshals) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]string{"t": m.text}) }

// TestOwnMarshaler: a type of this very module's tests is like any user's.
func TestOwnMarshaler(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(s string) any
	}{
		{"value", func(s string) any { return marshals{s} }},
		{"pointer", func(s string) any { return &marshals{s} }},
		{"in a slice", func(s string) any { return []any{marshals{s}} }},
		{"in a map", func(s string) any { return map[string]marshals{"m": {s}} }},
		{"key", func(s string) any { return map[textKey]int{{s}: 1} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := resultOf(t, canary, tc.make); err != nil {
				t.Error(err)
			}
		})
	}
}

// textKey is a map key that encodes itself.
type textKey struct{ text string }

func (k textKey) MarshalText() ([]byte, error) { return []byte(k.text), nil }
