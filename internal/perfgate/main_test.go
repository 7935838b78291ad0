package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestExitCode(t *testing.T) {
	count := func(got float64) part {
		return func(r *report) error {
			r.count("P0", "an item", func() float64 { return got }, 1, "allocs")
			return nil
		}
	}
	slow := func(r *report) error {
		r.clock("P0", "a time", func() float64 { return 251 }, 250, "ns")
		return nil
	}
	failed := func(*report) error { return errors.New("small: 0 of 1 references were injected") }
	tests := []struct {
		name      string
		args      []string
		parts     []part
		want      int
		out, errs string
	}{
		{"all met", nil, []part{count(0), count(1)}, 0, "", ""},
		{"one missed", nil, []part{count(0), count(2)}, 1, "missed: P0 an item\n", ""},
		{"missed in a check", []string{"-check"}, []part{count(2)}, 1, "missed: P0 an item\n", ""},
		{"a time missed", nil, []part{slow}, 1, "missed: P0 a time\n", ""},
		{"no time in a check", []string{"-check"}, []part{slow}, 0, "", ""},
		{"work not done", nil, []part{failed, count(2)}, 2, "", "perfgate: small: 0 of 1 references were injected\n"},
		{"work not done after counts", []string{"-v"}, []part{count(2), failed}, 2, "", "perfgate: small: 0 of 1 references were injected\n"},
		{
			"counts before times",
			[]string{"-v"},
			[]part{slow, count(1)},
			1,
			"P0   an item                      1 allocs, bar 1 PASS\nP0   a time                       251 ns, bar 250 FAIL\nmissed: P0 a time\n", "",
		},
		{"told", []string{"-check", "-v"}, []part{count(1)}, 0, "P0   an item                      1 allocs, bar 1 PASS\n", ""},
	}
	for _, tt := range tests {
		var out, errs strings.Builder
		if got := command(tt.args, &out, &errs, tt.parts); got != tt.want || out.String() != tt.out || errs.String() != tt.errs {
			t.Errorf("%s: %d, %q, %q, want %d, %q, %q", tt.name, got, out.String(), errs.String(), tt.want, tt.out, tt.errs)
		}
	}
	if got := command([]string{"-no-such-flag"}, io.Discard, io.Discard, nil); got != 2 {
		t.Errorf("an unknown flag: %d, want 2", got)
	}
}

func TestWants(t *testing.T) {
	tests := []struct {
		only, id string
		want     bool
	}{
		{"", "P1", true},
		{"P1,P7", "P7", true},
		{"P1,P7", "P2", false},
		{"P5", "P5b", true},
		{"P5b", "P5", false},
		{"P1", "P10", false},
	}
	for _, tt := range tests {
		if got := (options{only: tt.only}).wants(tt.id); got != tt.want {
			t.Errorf("-only %q: wants(%s) = %v, want %v", tt.only, tt.id, got, tt.want)
		}
	}
}
