package validation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sandboxguard/sandboxguard/validation"
)

func TestParsePointer(t *testing.T) {
	tests := []struct {
		in     string
		want   validation.Pointer
		ok     bool
		reason string
	}{
		{"", nil, true, "the whole"},
		{"/", validation.Pointer{""}, true, "the empty key"},
		{"/0/token", validation.Pointer{"0", "token"}, true, "keys and indexes are alike"},
		{"/a//b", validation.Pointer{"a", "", "b"}, true, "an empty key within"},
		{"/a~1b/c~0d", validation.Pointer{"a/b", "c~d"}, true, "the two escapes"},
		{"/~01", validation.Pointer{"~1"}, true, "one pass: ~0 then 1"},
		{"/~10", validation.Pointer{"/0"}, true, "one pass: ~1 then 0"},
		{"/*/x", validation.Pointer{"*", "x"}, true, "a star is a key like any other to the parser"},
		{"a/b", nil, false, "no leading slash"},
		{" /a", nil, false, "nothing is trimmed"},
		{"/a~", nil, false, "a tilde at the end"},
		{"/a~2", nil, false, "no such escape"},
		{"#/a", nil, false, "no URI fragment"},
		{"/\xff", nil, false, "not UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := validation.ParsePointer(tt.in)
			if (err == nil) != tt.ok {
				t.Fatalf("ParsePointer(%q) gives error %v, want ok=%v: %s", tt.in, err, tt.ok, tt.reason)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if tt.ok && got.String() != tt.in {
				t.Errorf("String() = %q, want %q", got.String(), tt.in)
			}
		})
	}
}

func TestPointerMatch(t *testing.T) {
	tests := []struct {
		pointer string
		place   []string
		want    bool
	}{
		{"", nil, true},
		{"", []string{"0"}, false},
		{"/0/token", []string{"0", "token"}, true},
		{"/0/token", []string{"0", "token", "x"}, false},
		{"/0/token", []string{"0"}, false},
		{"/0/*/token", []string{"0", "17", "token"}, true},
		{"/0/*/token", []string{"0", "a/b", "token"}, true},
		{"/0/*/token", []string{"0", "token"}, false},
		{"/0/*", []string{"0", ""}, true},
		{"/0/a", []string{"0", "*"}, false},
	}
	for _, tt := range tests {
		p, err := validation.ParsePointer(tt.pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match(tt.place); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pointer, tt.place, got, tt.want)
		}
	}
}

// FuzzPointer checks that what parses is written as it was read, that it matches
// its own segments, and that an error quotes nothing.
func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/0/token", "/a~1b/~0", "/*/x", "//", "/~", "x", "/\x00", "/~01~10"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := validation.ParsePointer(s)
		if err != nil {
			if len(s) > 20 && strings.Contains(err.Error(), s) {
				t.Errorf("the error quotes the pointer: %v", err)
			}
			return
		}
		if p.String() != s {
			t.Errorf("ParsePointer(%q).String() = %q", s, p.String())
		}
		again, err := validation.ParsePointer(p.String())
		if err != nil || !slices.Equal(p, again) {
			t.Errorf("%q does not survive: %v, %v", s, again, err)
		}
		if !p.Match(p) {
			t.Errorf("%q does not match its own segments", s)
		}
	})
}

func TestSafeSegment(t *testing.T) {
	tests := []struct {
		name, in, want, reason string
	}{
		{"name", "REPORT_WEEK", "REPORT_WEEK", "a plain name"},
		{"dots", "rates-2027.csv", "rates-2027.csv", "a file name"},
		{"empty", "", "7", "nothing to show"},
		{"blank", "a b", "7", "not in the alphabet"},
		{"slash", "a/b", "7", "would read as two segments"},
		{"tilde", "a~1", "7", "nor the escape of one"},
		{"umlaut", "größe", "7", "letters of other alphabets can be confused"},
		{"newline", "a\nb", "7", "would forge a line"},
		{"long", strings.Repeat("a", 65), "7", "longer than 64"},
		{"longest", strings.Repeat("a", 64), strings.Repeat("a", 64), "64 is fine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := validation.SafeSegment(tt.in, 7); got != tt.want {
				t.Errorf("SafeSegment(%q) = %q, want %q: %s", tt.in, got, tt.want, tt.reason)
			}
		})
	}
}
