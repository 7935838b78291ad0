package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		var out strings.Builder
		r := &report{out: &out, stage: counting}
		r.count("P0", "an item", func() float64 {
			return testing.AllocsPerRun(10, func() {
				for range allocs {
					kept = new(int)
				}
			})
		}, 1, "allocs")
		if r.end() != ok {
			t.Errorf("%d allocations with a bar of 1: passed %v, want %v", allocs, !ok, ok)
		}
		if want := map[bool]string{true: "", false: "missed: P0 an item\n"}[ok]; out.String() != want {
			t.Errorf("%d allocations: %q, want %q", allocs, out.String(), want)
		}
	}
}

// TestStages: all candidates are called before anything is counted, and no yardstick is called before that is done.
func TestStages(t *testing.T) {
	for _, check := range []bool{true, false} {
		var calls []string
		call := func(name string) func() {
			return func() {
				if n := len(calls); n == 0 || calls[n-1] != name {
					calls = append(calls, name)
				}
			}
		}
		item := func(name string) part {
			return func(r *report) error {
				r.count("P0", name, func() float64 { call("count " + name)(); return 0 }, 1, "allocs")
				r.measure(pair{id: "P0", name: name, candidate: call("do " + name), yardstick: call("yard " + name)})
				r.lead(outcome{id: "P0", got: ratio{2, 2, 2}, bar: 1})
				return nil
			}
		}
		var out strings.Builder
		ok, err := run(&out, options{check: check}, []part{item("a"), item("b")})
		if err != nil || ok != check {
			t.Errorf("check %v: %v, %v, %q", check, ok, err, out.String())
		}
		want := []string{"do a", "do b", "count a", "count b"}
		if diff := cmp.Diff(want, calls[:4]); diff != "" {
			t.Errorf("check %v: calls (-want +got):\n%s", check, diff)
		}
		if check && (len(calls) > 4 || out.String() != "") {
			t.Errorf("a check goes on with %q, and prints %q", calls[4:], out.String())
		}
		if last := "ratio=2 range95=[2 2] bar=1 FAIL\n"; !check && !strings.HasSuffix(out.String(), "\n"+last) {
			t.Errorf("printed %q, want %q as the last line", out.String(), last)
		}
	}
}
