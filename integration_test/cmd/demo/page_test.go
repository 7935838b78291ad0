package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageKeepsLinesWithinWidth(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"short", "  an indented line", []string{"      |   an indented line"}},
		{"at a space", strings.Repeat("word ", 20), []string{
			"      | " + strings.Repeat("word ", 17) + "word", "      |   word word",
		}},
		{"at a comma", strings.Repeat("abcde,", 17), []string{
			"      | " + strings.Repeat("abcde,", 15), "      |   abcde,abcde,",
		}},
		{"anywhere", strings.Repeat("é", 100), []string{
			"      | " + strings.Repeat("é", 92), "      |   " + strings.Repeat("é", 8),
		}},
		{"empty line", "a\n\nb", []string{"      | a", "      |", "      | b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			p := page{out: &out}
			p.quote(tc.text)
			if diff := cmp.Diff(strings.Join(tc.want, "\n")+"\n", out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestExcerptEndsWhereTheNextKeyBegins(t *testing.T) {
	got := excerpt("  warehouse-ro:")
	if !strings.HasPrefix(got, "  warehouse-ro:\n    ref: env:WAREHOUSE_DSN\n") || strings.Contains(got, "queues") {
		t.Errorf("excerpt:\n%s", got)
	}
}
