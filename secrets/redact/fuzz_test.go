package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// FuzzRedact checks on any text and any two values: the result holds no value in any form, is stable, stays
// valid UTF-8 and valid JSON where the text was, and leaves text without a value alone.
func FuzzRedact(f *testing.F) {
	for _, value := range secretShapes() {
		for _, emit := range emitters() {
			f.Add(emit("a "+value+" b"), value, "0123456789")
		}
	}
	for _, seed := range [][3]string{
		{"", "", ""},
		{"TOKTOKTOKEN", "TOKTOKEN", "KTOKTOKE"},
		{"xx[redacted:n]AAAAAAAA", "AAAAAAAA", "xx[redacted:a]"},
		{"[redacted:a]redacted:", "redacted", "redacted:a"},
		{`\\\\\u005c\u005c\"\/`, `\\\\\\\\`, `\u005c\u005c`},
		{`{"0123456789":"0123456789","k":[0123456789]}`, "0123456789", `":"01234`},
		{strings.Repeat("a", 100), strings.Repeat("a", 9), strings.Repeat("a", 33)},
		{"\xff\xfe\u00e9\u20ac\xe2\x82", "\x82\xac\x82\xac\x82\xac\x82\xac", "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\n  QUFB\nQUFBQUFBQUFBQUFBQUFB", "AAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, text, first, second string) {
		if len(text) > 1<<12 || len(first) > 1<<10 || len(second) > 1<<10 {
			return
		}
		set := redact.NewSet()
		var values []string
		for i, value := range []string{first, second} {
			if set.Add([]string{"a", "b"}[i], value) == nil {
				values = append(values, strings.Trim(value, " \t\r\n"))
			}
		}
		present := false
		for _, value := range values {
			present = present || strings.Contains(text, value)
		}
		got, hits := set.String(text)
		if present && hits == 0 && !strings.Contains(text, "[redacted:") {
			t.Errorf("not found in %q: %q", text, values)
		}
		if hits == 0 && got != text {
			t.Errorf("%q became %q without a hit", text, got)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q became %q, which is no UTF-8", text, got)
		}
		assertClean(t, got, values)
		if again, hits := set.String(got); hits != 0 || again != got {
			t.Errorf("%q became %q when redacted again", got, again)
		}
		if set.ContainsString(got) || len(set.Names(got)) != 0 {
			t.Errorf("%q still holds a value", got)
		}

		out, _ := set.JSON([]byte(text))
		if json.Valid([]byte(text)) && !json.Valid(out) {
			t.Errorf("JSON(%q) = %q is no JSON", text, out)
		}
		wrapped, err := json.Marshal(map[string]any{text: []any{text, []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		out, _ = set.JSON(wrapped)
		if !json.Valid(out) {
			t.Errorf("JSON(%q) = %q is no JSON", wrapped, out)
		}
		assertClean(t, string(out), values)
	})
}

// markers are those that the fuzz targets can meet.
var markers = regexp.MustCompile(`\[redacted:(a|b|secret)\]`)

// assertClean looks for values between markers with nothing but the standard library.
func assertClean(t *testing.T, text string, values []string) {
	t.Helper()
	for _, part := range markers.Split(text, -1) {
		for _, value := range values {
			if strings.Contains(part, value) {
				t.Errorf("%q holds %q", text, value)
			}
			for shift := range 3 {
				enc := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
				if core := enc[(8*shift+5)/6 : 8*(shift+len(value))/6]; strings.Contains(part, core) {
					t.Errorf("%q holds %q, the base64 form of %q", text, core, value)
				}
			}
		}
	}
}

// FuzzEncoded checks that an encoded value is found whatever it is and whatever stands around it.
func FuzzEncoded(f *testing.F) {
	for _, value := range secretShapes() {
		f.Add("a", value, "b")
		f.Add(`\`, value, `\`)
	}
	f.Fuzz(func(t *testing.T, before, value, after string) {
		if len(before) > 1<<8 || len(value) > 1<<10 || len(after) > 1<<8 {
			return
		}
		set := redact.NewSet()
		if set.Add("v", value) != nil || !utf8.ValidString(value) || strings.Contains("[redacted:v]", strings.TrimSpace(value)) {
			return
		}
		if redact.Torn(before, value, after) {
			return
		}
		for form, emit := range emitters() {
			if in := emit(before + value + after); !set.ContainsString(in) {
				t.Errorf("%s: not found in %q", form, in)
			}
		}
	})
}

// TestAgainstPlainSearch compares with the obvious way of searching on texts made of two letters, where
// values overlap themselves and each other all the time.
func TestAgainstPlainSearch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[rnd.IntN(2)]
		}
		return string(b)
	}
	const runs = 8_000
	for range runs {
		set := redact.NewSet()
		var values []string
		for range 1 + rnd.IntN(8) {
			value := letters(8 + rnd.IntN(14))
			values = append(values, value)
			if err := set.Add("v", value); err != nil {
				t.Fatal(err)
			}
		}
		text := letters(rnd.IntN(120))
		if len(text) > 40 {
			text = text[:20] + values[0] + text[20:]
		}
		want := plainRedact(text, values)
		if got, _ := set.String(text); got != want {
			t.Fatalf("String(%q) = %q, want %q, with %q", text, got, want, values)
		}
	}
}

// plainRedact marks each byte that is part of a value and writes a marker for each group of overlapping ones.
func plainRedact(text string, values []string) string {
	type span struct{ start, end int }
	var spans []span
	for start := range len(text) {
		longest := 0
		for _, value := range values {
			if strings.HasPrefix(text[start:], value) {
				longest = max(longest, len(value))
			}
		}
		switch last := len(spans) - 1; {
		case longest == 0:
		case last >= 0 && start < spans[last].end:
			spans[last].end = max(spans[last].end, start+longest)
		default:
			spans = append(spans, span{start, start + longest})
		}
	}
	var out bytes.Buffer
	at := 0
	for _, s := range spans {
		out.WriteString(text[at:s.start] + "[redacted:v]")
		at = s.end
	}
	return out.String() + text[at:]
}
