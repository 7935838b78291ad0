package sandboxhost

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTruncated cuts texts as the format says.
func TestTruncated(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       int
		want       string
		count      int // 0 for a text that is whole
	}{
		{"example of the format", strings.Repeat("x", 100), 20, "Total output lines: 1\n\n" + strings.Repeat("x", 16) + "…17 tokens truncated…" + strings.Repeat("x", 16), 25},
		{"example without the number of lines", strings.Repeat("a\n", 50), 10, "a\na\na\na…22 tokens truncated…a\na\na\na\n", 25},
		{"as long as it may be", "12345678", 2, "12345678", 0},
		{"one byte more", "123456789", 2, "…3 tok", 3},
		{"a character that does not fit", strings.Repeat("é", 50), 8, "é…24 tokens truncated…éé", 25},
		{"a marker that is cut in a character", strings.Repeat("x", 90), 0, "", 23},
		{"a marker alone", strings.Repeat("x", 100), 6, "…25 tokens truncated", 25},
		{"nothing to cut", "", 0, "", 0},
		{"less than nothing", "", -1, "", 0},
		{"less than nothing is nothing", "x", -5, "", 1},
		{"any number", "xyz", int(^uint(0) >> 1), "xyz", 0},
	} {
		got, count := truncated(c.text, &c.most)
		if got != c.want || (count == nil) != (c.count == 0) || count != nil && *count != c.count {
			t.Errorf("%s: %q, %v; want %q, %d", c.name, got, count, c.want, c.count)
		}
	}
	if got, count := truncated("x", nil); got != "x" || count != nil {
		t.Errorf("without a number: %q, %v", got, count)
	}
}

// TestCountLines counts as splitlines of Python does.
func TestCountLines(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "a\n": 1, "a\r\nb": 2, "a\n\rb": 3, "\n": 1, "\r\r\n": 2, "a\u2028b": 2, "a\x1fb": 1,
		"\v\f\x1c\x1d\x1e\u0085\u2028\u2029": 8,
	} {
		if got := countLines(text); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}

// FuzzTruncated holds what is left to its bound, and to be text.
func FuzzTruncated(f *testing.F) {
	f.Add([]byte(strings.Repeat("a\n", 50)), 10)
	f.Add([]byte("é\xff\u2028…"), 1)
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		text := decoded(data)
		got, count := truncated(text, &most)
		switch whole := len(text) <= max(0, min(most, len(text)))*tokenSize; {
		case !utf8.ValidString(got):
			t.Errorf("%q is no text", got)
		case whole && (got != text || count != nil):
			t.Errorf("%q was cut to %q", text, got)
		case !whole && (len(got) > max(most, 0)*tokenSize || count == nil || *count != tokens(len(text))):
			t.Errorf("%q became %q of %v tokens, may have %d", text, got, count, most)
		}
	})
}
