package sandbox_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestBounds: cyclic and huge inputs end in a fault, soon.
func TestBounds(t *testing.T) {
	cycle := m{"type": "dir"}
	cycle["children"] = m{"a": cycle, "b": cycle}
	_, err := sandbox.NormalizeManifest(m{"entries": m{"x": cycle}})
	wantRule(t, "cycle of entries", err, sandbox.RuleTooDeep)

	loop := m{}
	for i := range 8 {
		loop[fmt.Sprint("k", i)] = loop
	}
	_, err = sandbox.NormalizeRunConfig(m{"model_settings": loop})
	wantRule(t, "cycle in a free-form object", err, sandbox.RuleTooDeep)

	type ring *ring
	var r ring
	r = &r
	_, err = sandbox.NormalizeRunConfig(m{"model_settings": r})
	wantRule(t, "cycle of pointers", err, sandbox.RuleNoJSONForm)

	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	_, err = sandbox.NormalizeRunConfig(json.RawMessage(`{"model_settings":` + deep + `}`))
	wantRule(t, "deep JSON", err, sandbox.RuleTooDeep)
	_, err = sandbox.DecodeManifest([]byte(strings.Repeat("[", 200_000)), sandbox.Lenient)
	wantRule(t, "very deep JSON", err, sandbox.RuleSyntax)

	_, err = sandbox.NormalizeRunConfig(m{"model_settings": m{"a": make([]int, 1<<20+1)}})
	wantRule(t, "many values", err, sandbox.RuleTooLarge)
	_, err = sandbox.DecodeManifest([]byte(`{"users":["`+strings.Repeat("x", 32<<20)+`"]}`), sandbox.Strict)
	wantRule(t, "many bytes", err, sandbox.RuleTooLarge)

	unknown := m{}
	for i := range 100_000 {
		unknown[fmt.Sprint("k", i)] = 1
	}
	_, err = sandbox.NormalizeManifest(unknown)
	wantRule(t, "many faults", err, sandbox.RuleTooManyFaults)
	if n := len(asError(t, err).Faults); n > 300 {
		t.Errorf("%d faults", n)
	}
}

// TestDeterminism: the same input is refused with the same words every time,
// also when not all faults are listed.
func TestDeterminism(t *testing.T) {
	entries := m{}
	for i := range 100 {
		entries[fmt.Sprint("k", i)] = m{"type": "s3_mount", "x": 1, "y": 1, "region": 1, "prefix": 1, "mount_strategy": m{"type": "in_container", "pattern": m{"type": "fuse", "z": 1}}}
	}
	in := m{"sandbox": m{"manifest": m{"entries": entries}, "archive_limits": m{"max_members": 0, "max_input_bytes": 0}}, "trace_metadata": map[any]any{1: 1, "a": func() {}, "b": func() {}}}
	_, err := sandbox.NormalizeRunConfig(in)
	wantRule(t, "many faults", err, sandbox.RuleTooManyFaults)
	for range 20 {
		if _, again := sandbox.NormalizeRunConfig(in); again == nil || again.Error() != err.Error() {
			t.Fatalf("the same input, another error:\n%.300v\n%.300v", err, again)
		}
	}
}

// TestIntegers: integers are exact or refused, whatever Go type holds them.
func TestIntegers(t *testing.T) {
	type count uint16
	for _, tt := range []struct {
		name string
		in   any
		want int64 // 0 is refused
	}{
		{"int", 7, 7},
		{"int8", int8(7), 7},
		{"int64", int64(math.MaxInt64), math.MaxInt64},
		{"uint64", uint64(math.MaxInt64), math.MaxInt64},
		{"named", count(7), 7},
		{"number", json.Number("9007199254740993"), 9007199254740993},
		{"pointer", ptr(7), 7},
		{"float64", 7.0, 7},
		{"float32", float32(7), 7},
		{"largest exact float64", float64(1 << 53), 1 << 53},
		{"uint64 beyond int64", uint64(math.MaxInt64) + 1, 0},
		{"number beyond int64", json.Number("9223372036854775808"), 0},
		{"inexact float64", float64(1<<53) * 2, 0},
		{"fraction", 7.5, 0},
		{"not a number", math.NaN(), 0},
		{"infinite", math.Inf(1), 0},
		{"JSON float", json.Number("7.0"), 0},
		{"JSON exponent", json.Number("7e0"), 0},
		{"string", "7", 0},
		{"true", true, 0},
	} {
		rc, err := sandbox.NormalizeRunConfig(m{"sandbox": m{"archive_limits": m{"max_members": tt.in}}})
		if tt.want == 0 {
			if err == nil {
				t.Errorf("%s: accepted as %d", tt.name, rc.Sandbox.ArchiveLimits.MaxMembers)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := int64(rc.Sandbox.ArchiveLimits.MaxMembers); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
	rc, err := sandbox.NormalizeRunConfig(m{"model_settings": m{"a": uint64(math.MaxUint64), "b": float32(0.1), "c": 1e21, "d": json.Number("1.0")}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(rc.ModelSettings), `{"a":18446744073709551615,"b":0.1,"c":1e+21,"d":1.0}`; got != want {
		t.Errorf("free-form numbers: got %s, want %s", got, want)
	}
}
