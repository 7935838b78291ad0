package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type vector struct {
	ID        string          `json:"id"`
	Model     string          `json:"model"`
	Input     json.RawMessage `json:"input"`
	Outcome   string          `json:"outcome"`
	Reencoded json.RawMessage `json:"reencoded"`
}

// strictCase is the strict outcome of a vector where it differs from the
// lenient one: refused with these faults, or accepted with another result.
type strictCase struct {
	ID        string          `json:"id"`
	Outcome   string          `json:"outcome"`
	Faults    []Fault         `json:"faults"`
	Reencoded json.RawMessage `json:"reencoded"`
}

func readLines[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: line %d: %v", name, len(out)+1, err)
		}
		out = append(out, v)
	}
	return out
}

// TestVectorsLenient holds the lenient decoder to what the Python models do.
func TestVectorsLenient(t *testing.T) {
	vectors := readLines[vector](t, "testdata/vectors.jsonl")
	if len(vectors) != 135 {
		t.Fatalf("read %d vectors, want 135", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			got, err := decodeModel(v.Model, v.Input, Lenient)
			if v.Outcome != "accept" {
				var faults *Error
				if !errors.As(err, &faults) || len(faults.Faults) == 0 {
					t.Fatalf("got error %v, want an *Error, since the models %s it", err, v.Outcome)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(meaning(t, v.Model, v.Reencoded), meaning(t, v.Model, got)); diff != "" {
				t.Errorf("meaning of the re-encoding (-want +got):\n%s", diff)
			}
			again, err := decodeModel(v.Model, got, Lenient)
			if err != nil {
				t.Fatalf("own encoding is refused: %v", err)
			}
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("second encoding (-first +second):\n%s", diff)
			}
		})
	}
}

// TestVectorsStrict: the strict decoder accepts what the lenient one accepts,
// with the same result, except for what testdata/strict.jsonl lists.
func TestVectorsStrict(t *testing.T) {
	strict := map[string]strictCase{}
	for _, c := range readLines[strictCase](t, "testdata/strict.jsonl") {
		strict[c.ID] = c
	}
	for _, v := range readLines[vector](t, "testdata/vectors.jsonl") {
		c, differs := strict[v.ID]
		delete(strict, v.ID)
		t.Run(v.ID, func(t *testing.T) {
			want, wantErr := decodeModel(v.Model, v.Input, Lenient)
			if differs && wantErr != nil {
				t.Fatal("listed as different, but the lenient decoder refuses it too")
			}
			got, err := decodeModel(v.Model, v.Input, Strict)
			if c.Outcome == "refuse" {
				var have *Error
				if !errors.As(err, &have) {
					t.Fatalf("got error %v, want an *Error", err)
				}
				if diff := cmp.Diff(c.Faults, have.Faults, cmpopts.IgnoreFields(Fault{}, "Detail")); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
				return
			}
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("strict error: %v; lenient error: %v", err, wantErr)
			}
			if err != nil {
				return
			}
			if differs {
				want = c.Reencoded
			}
			if diff := cmp.Diff(meaning(t, v.Model, want), meaning(t, v.Model, got)); diff != "" {
				t.Errorf("meaning of the encoding (-want +got):\n%s", diff)
			}
			if !differs && string(want) != string(got) {
				t.Errorf("encodings differ:\nlenient %s\nstrict  %s", want, got)
			}
		})
	}
	for id := range strict {
		t.Errorf("testdata/strict.jsonl lists %s, which is no vector", id)
	}
}
