package validation_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

// FuzzParsePolicies checks that no source makes the loader panic, that it always
// says the same, that a problem lies within the source, and that no text of the
// source's values is repeated.
func FuzzParsePolicies(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "version: 1\ndefault: {mode: report}\n", fullPolicy, tenantPolicy,
		`{"version": 1, "default": {"mode": "enforce"}}`,
		"a: &a [*a]", "? [a]\n: b\n", "- - - x", "%YAML 1.2\n---\n", "version: !!int 1", "\xef\xbb\xbfversion: 1", "{\"a\": \"\\ud83d\"}",
		"version: 1\nqueues: {\"a\": {mode: enforce, <<: {}}}\n", "'", "\"\\x", "|\n x", "a:\n  b:\n c: d\n", "version: *x", "[[[[[[[[",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		policies, err := validation.ParsePolicies("policy.yaml", []byte(src))
		_, again := validation.ParsePolicies("policy.yaml", []byte(src))
		if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("the same source gives %v and %v", err, again)
		}
		if err == nil {
			if len(policies.Digest()) != 8 || len(policies.Entries()) == 0 && !policies.HasDefault() {
				t.Error("an empty policy loads")
			}
		} else {
			checkFileError(t, err, src)
		}
		// The same text as a value: what the loader says of it must not hold it.
		value, marshalErr := json.Marshal("q7#" + src + "#7q")
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		for _, field := range []string{"ref", "owner", "reason", "review_by", "unknown key"} {
			doc := `{"version": 1, "default": {"mode": "report"}, "secrets": {"a": {"` + field + `": ` + string(value) + `}}}`
			if _, err := validation.ParsePolicies("policy.yaml", []byte(doc)); err == nil || strings.Contains(err.Error(), "q7#") {
				t.Errorf("a value in %s is repeated: %v", field, err)
			}
		}
	})
}

func checkFileError(t *testing.T, err error, src string) {
	t.Helper()
	var faulty *validation.FileError
	if !errors.As(err, &faulty) {
		t.Fatalf("the error is a %T, want a FileError", err)
	}
	if len(faulty.Problems) == 0 || len(faulty.Problems) > 50 || faulty.Omitted < 0 {
		t.Errorf("there are %d problems and %d more", len(faulty.Problems), faulty.Omitted)
	}
	lines := strings.Count(src, "\n") + 2 // what is missing at the end stands behind it
	for _, p := range faulty.Problems {
		if p.Line < 0 || p.Line > lines || p.Column < 0 || p.Text == "" {
			t.Errorf("a problem lies at %d:%d of %d lines: %q", p.Line, p.Column, lines, p.Text)
		}
	}
}

// TestNoEcho puts a marker into every value and every key of a complete policy
// file, one at a time, and checks that no error repeats it.
func TestNoEcho(t *testing.T) {
	const marker = "Zq7 #marker/x"
	complete, err := os.ReadFile("testdata/complete.json")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(complete, &tree); err != nil {
		t.Fatal(err)
	}
	check := func() {
		src, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := validation.ParsePolicies("policy.json", src); err == nil || strings.Contains(err.Error(), "marker") {
			t.Errorf("the marker is repeated, or everything loads: %v", err)
		}
	}
	places := 0
	var visit func(node any, set func(any))
	visit = func(node any, set func(any)) {
		places++
		set(marker)
		check()
		set([]any{marker})
		check()
		set(node)
		switch n := node.(type) {
		case map[string]any:
			for key, child := range n {
				delete(n, key)
				n[marker] = child
				check()
				delete(n, marker)
				n[key] = child
				visit(child, func(v any) { n[key] = v })
			}
		case []any:
			for i, child := range n {
				visit(child, func(v any) { n[i] = v })
			}
		}
	}
	visit(tree, func(v any) { tree = v })
	if places < 100 {
		t.Errorf("the complete file has %d places, want more than 100", places)
	}
}
