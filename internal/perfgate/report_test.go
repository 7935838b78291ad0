package main

import (
	"strings"
	"testing"
)

func TestOutcome(t *testing.T) {
	tests := []struct {
		name   string
		of     outcome
		missed bool
		want   string
	}{
		{"below", outcome{got: ratio{0.5, 0.4, 0.6}, bar: 1}, false, "ratio=0.5 range95=[0.4 0.6] bar=1 PASS"},
		{"noise", outcome{got: ratio{1.1, 0.9, 1.3}, bar: 1, goal: 0.8}, false, "ratio=1.1 range95=[0.9 1.3] bar=1 goal=0.8 PASS"},
		{"at the bar", outcome{got: ratio{1, 1, 1}, bar: 1}, false, "ratio=1 range95=[1 1] bar=1 PASS"},
		{"above", outcome{got: ratio{1.3, 1.1, 1.5}, bar: 1}, true, "ratio=1.3 range95=[1.1 1.5] bar=1 FAIL"},
		{"no bar", outcome{got: ratio{9, 8, 10}}, false, "ratio=9 range95=[8 10] no bar"},
	}
	for _, tt := range tests {
		if got := tt.of.String(); got != tt.want || tt.of.missed() != tt.missed {
			t.Errorf("%s: %q, missed %v, want %q, %v", tt.name, got, tt.of.missed(), tt.want, tt.missed)
		}
	}
}

// kept is where an allocation goes that is not optimised away.
var kept *int

// TestCount catches one allocation more than the bar allows.
func TestCount(t *testing.T) {
	for allocs, ok := range map[int]bool{0: true, 1: true, 2: false} {
		got := testing.AllocsPerRun(10, func() {
			for range allocs {
				kept = new(int)
			}
		})
		var out strings.Builder
		r := &report{out: &out}
		r.count("P0", "an item", got, 1, "allocs")
		if r.end() != ok {
			t.Errorf("%d allocations with a bar of 1: passed %v, want %v", allocs, !ok, ok)
		}
		if want := map[bool]string{true: "", false: "missed: P0 an item\n"}[ok]; out.String() != want {
			t.Errorf("%d allocations: %q, want %q", allocs, out.String(), want)
		}
	}
}

// TestCheckMeasuresNothing: a check calls the candidate once, the yardstick never, and has no headline.
func TestCheckMeasuresNothing(t *testing.T) {
	var out strings.Builder
	r := &report{out: &out, options: options{check: true, verbose: true}}
	candidates, yardsticks := 0, 0
	got := r.measure(pair{id: "P0", bar: 1, candidate: func() { candidates++ }, yardstick: func() { yardsticks++ }})
	r.lead(outcome{id: "P0", got: ratio{2, 2, 2}, bar: 1})
	if candidates != 1 || yardsticks != 0 || got != (ratio{}) {
		t.Errorf("%d calls of the candidate, %d of the yardstick, %v", candidates, yardsticks, got)
	}
	if !r.end() || out.String() != "" {
		t.Errorf("printed %q", out.String())
	}
}
