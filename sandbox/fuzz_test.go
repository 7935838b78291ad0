package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// vectorInputs returns the inputs of the recorded vectors of a model.
func vectorInputs(tb testing.TB, model string) [][]byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/vectors.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	var out [][]byte
	for line := range bytes.Lines(data) {
		var v struct {
			Model string
			Input json.RawMessage
		}
		if err := json.Unmarshal(line, &v); err != nil {
			tb.Fatal(err)
		}
		if v.Model == model {
			out = append(out, v.Input)
		}
	}
	if len(out) == 0 {
		tb.Fatalf("no vectors of %s", model)
	}
	return out
}

// FuzzManifestRoundTrip: whatever is accepted is encoded and read back as it
// was, in every form; and strict accepts nothing that lenient refuses.
func FuzzManifestRoundTrip(f *testing.F) {
	for _, in := range vectorInputs(f, "Manifest") {
		f.Add([]byte(in))
	}
	full, err := json.Marshal(fullManifest())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Fuzz(func(t *testing.T, data []byte) {
		lenient, lenientErr := sandbox.DecodeManifest(data, sandbox.Lenient)
		strict, strictErr := sandbox.DecodeManifest(data, sandbox.Strict)
		if lenientErr != nil {
			if strictErr == nil {
				t.Fatalf("strict accepts what lenient refuses: %v", lenientErr)
			}
			return
		}
		encoded := roundTrip(t, lenient, sandbox.Lenient)
		noNulls(t, encoded)
		if strictErr != nil {
			return
		}
		if diff := cmp.Diff(lenient, strict); diff != "" {
			t.Fatalf("results differ (-lenient +strict):\n%s", diff)
		}
		roundTrip(t, strict, sandbox.Strict)
		typed, err := sandbox.NormalizeManifest(&strict)
		if err != nil {
			t.Fatalf("typed form: %v", err)
		}
		if diff := cmp.Diff(strict, typed); diff != "" {
			t.Fatalf("normalising changed a decoded value (-want +got):\n%s", diff)
		}
		mapped, err := sandbox.NormalizeManifest(strict.ToMap())
		if len(strict.ExtraPathGrants) > 0 {
			wantFaults(t, "map form", err, "/extra_path_grants map-path-grants")
			return
		}
		if err != nil {
			t.Fatalf("map form: %v", err)
		}
		if diff := cmp.Diff(typed, mapped); diff != "" {
			t.Fatalf("forms differ (-struct +map):\n%s", diff)
		}
		if digest(t, typed) != digest(t, lenient) {
			t.Fatal("digests differ")
		}
	})
}

func digest(t *testing.T, v sandbox.Manifest) string {
	t.Helper()
	d, err := v.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// roundTrip encodes v, reads it back, and encodes it again; and compares the
// encoding with the map form.
func roundTrip[T interface {
	sandbox.Model
	ToMap() map[string]any
}](t *testing.T, v T, mode sandbox.Mode) []byte {
	t.Helper()
	encoded := mustJSON(t, v)
	again, err := sandbox.Decode[T](encoded, mode)
	if err != nil {
		t.Fatalf("own encoding is refused: %v\n%s", err, encoded)
	}
	if diff := cmp.Diff(v, again); diff != "" {
		t.Fatalf("round trip (-want +got):\n%s", diff)
	}
	if twice := mustJSON(t, again); !bytes.Equal(encoded, twice) {
		t.Fatalf("encodings differ:\n%s\n%s", encoded, twice)
	}
	if diff := cmp.Diff(plainTree(t, encoded), plainTree(t, mustJSON(t, v.ToMap()))); diff != "" {
		t.Fatalf("map form (-encoding +map):\n%s", diff)
	}
	return encoded
}

// plainTree decodes JSON with exact numbers.
func plainTree(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// noNulls: nothing but the object of a remote mount holds a null.
func noNulls(t *testing.T, data []byte) {
	t.Helper()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case nil:
			t.Fatalf("null in %s", data)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case m:
			if typ, _ := v["type"].(string); strings.HasSuffix(typ, "_mount") {
				return
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(plainTree(t, data))
}

// FuzzRunConfig: the map form, the JSON form and the struct form of a run
// config give the same value or the same faults, and the input stays as it was.
func FuzzRunConfig(f *testing.F) {
	full, err := json.Marshal(fullRunConfig())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	for _, in := range vectorInputs(f, "Manifest") {
		f.Add([]byte(`{"sandbox":{"manifest":` + string(in) + `}}`))
	}
	for _, in := range vectorInputs(f, "StartArgs") {
		f.Add([]byte(`{"sandbox":{"session_state":` + string(in[len(`{"state": `):])))
	}
	f.Add([]byte(`{"sandbox":{"session":{}},"model":1,"model_settings":{"a":[1.5,{"b":null}]},"tool_execution":{"x":1}}`))
	f.Add([]byte(`{"sandbox":{"client":"e2b","options":{"sandbox_type":"e2b","envs":{"A":"b"}},"archive_limits":{"max_members":null}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fromJSON, jsonErr := sandbox.NormalizeRunConfig(json.RawMessage(data))
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var tree any
		if err := dec.Decode(&tree); err != nil {
			if jsonErr == nil {
				t.Fatalf("accepted invalid JSON: %v", err)
			}
			return
		}
		before := mustJSON(t, tree)
		fromMap, mapErr := sandbox.NormalizeRunConfig(tree)
		if after := mustJSON(t, tree); !bytes.Equal(before, after) {
			t.Fatalf("input changed:\n%s\n%s", before, after)
		}
		if jsonErr != nil {
			sameFaults(t, jsonErr, mapErr)
			return
		}
		if mapErr != nil {
			t.Fatalf("map form: %v", mapErr)
		}
		if diff := cmp.Diff(fromJSON, fromMap); diff != "" {
			t.Fatalf("forms differ (-JSON +map):\n%s", diff)
		}
		for name, in := range map[string]any{"struct": fromMap, "map again": fromMap.ToMap(), "any map": anyMap(fromMap.ToMap())} {
			got, err := sandbox.NormalizeRunConfig(in)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(fromMap, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
		roundTrip(t, fromMap, sandbox.Strict)
		roundTrip(t, fromMap, sandbox.Lenient)
	})
}

// sameFaults compares the faults of two forms, unless some are about JSON text,
// which maps do not have.
func sameFaults(t *testing.T, a, b error) {
	t.Helper()
	ofText := []string{sandbox.RuleDuplicateKey, sandbox.RuleInvalidText, sandbox.RuleSyntax, sandbox.RuleTooDeep, sandbox.RuleTooLarge}
	var ea, eb *sandbox.Error
	if errors.As(a, &ea) && slices.ContainsFunc(ea.Faults, func(f sandbox.Fault) bool { return slices.Contains(ofText, f.Rule) }) {
		return
	}
	if !errors.As(b, &eb) {
		t.Fatalf("one form is refused, the other is not: %v", a)
	}
	if diff := cmp.Diff(ea.Faults, eb.Faults); diff != "" {
		t.Fatalf("faults differ (-JSON +map):\n%s", diff)
	}
}
