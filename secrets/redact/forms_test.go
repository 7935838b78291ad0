package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// window is how much of a value, or of its base64 form, may never be seen in a row.
const window = 12

// secretShapes are values of all kinds that are handed around as secrets.
func secretShapes() map[string]string {
	pem := "-----BEGIN TEST KEY-----\n" + randomText(64, 1) + "\n" + randomText(64, 2) + "\n" + randomText(20, 3) + "==\n-----END TEST KEY-----\n"
	return map[string]string{
		"eight":           "aB3xY9_k",
		"nine":            "aB3xY9_kQ",
		"ten":             "aB3xY9_kQ7",
		"token":           randomText(40, 4),
		"base64url":       "eyJ-_" + randomText(60, 5) + "-_",
		"base64":          randomText(43, 6) + "=",
		"quotes":          `pa"ss'wo\rd` + "`x",
		"html":            "a<b>&c='d'/e",
		"slashes":         "//ab/cd//ef/",
		"backslashes":     `C:\new\table\u0041\x41\\`,
		"percent":         "100%d%%s%2F",
		"control":         "a\x00b\x1bc\x7fd\te",
		"non-ASCII":       "pässwörd→ключ",
		"astral":          "key😀𝔘nicode🔑!",
		"line separators": "one\u2028two\u2029three",
		"invalid UTF-8":   "abc\xff\xfedefghijkl\xc3",
		"multi-line":      "first line\nsecond line\n\nlast line",
		"windows lines":   "first line\r\nsecond line",
		"pem":             pem,
		"json":            `{"user":"deploy","password":"` + randomText(20, 7) + `","n":[1,2]}`,
		"dsn":             "postgres://app:" + randomText(16, 8) + "@db:5432/orders?sslmode=require",
		"spaces":          "correct horse battery staple",
		"service account": `{"private_key":"` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`,
		"long":            randomText(4096, 9),
	}
}

// emitters are the ways in which text with a value in it comes to be written.
func emitters() map[string]func(string) string {
	marshal := func(s string, html bool) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if err := enc.Encode(s); err != nil {
			panic(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	encode := func(enc *base64.Encoding) func(string) string {
		return func(s string) string { return enc.EncodeToString([]byte(s)) }
	}
	all := map[string]func(string) string{
		"raw":                 func(s string) string { return s },
		"JSON of Go":          func(s string) string { return marshal(s, true) },
		"JSON without HTML":   func(s string) string { return marshal(s, false) },
		"ASCII JSON":          func(s string) string { return escapeIf(s, `\u%04x`, func(r rune) bool { return r > 0x7e }) },
		"ASCII JSON in upper": func(s string) string { return escapeIf(s, `\u%04X`, func(r rune) bool { return r > 0x7e }) },
		"JSON, all escaped":   func(s string) string { return escapeIf(s, `\u%04X`, func(rune) bool { return true }) },
		"JSON with slashes":   func(s string) string { return strings.ReplaceAll(marshal(s, false), "/", `\/`) },
		"Go %q":               func(s string) string { return fmt.Sprintf("%q", s) },
		"Go %+q":              func(s string) string { return fmt.Sprintf("%+q", s) },
		"StdEncoding":         encode(base64.StdEncoding),
		"RawStdEncoding":      encode(base64.RawStdEncoding),
		"URLEncoding":         encode(base64.URLEncoding),
		"RawURLEncoding":      encode(base64.RawURLEncoding),
	}
	for _, width := range []int{64, 76} {
		all[fmt.Sprintf("base64, %d columns", width)] = func(s string) string {
			return wrap(base64.StdEncoding.EncodeToString([]byte(s)), width, "\n")
		}
		all[fmt.Sprintf("base64, %d columns, indented, CR LF", width)] = func(s string) string {
			return wrap(base64.URLEncoding.EncodeToString([]byte(s)), width, "\r\n  ")
		}
	}
	for name, emit := range maps.Clone(all) {
		all[name+", quoted again"] = func(s string) string { return marshal(emit(s), true) }
	}
	return all
}

// escapeIf is how JavaScript and Python write JSON strings in ASCII.
func escapeIf(s, format string, escape func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || escape(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, format, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

func wrap(s string, width int, sep string) string {
	var lines []string
	for len(s) > width {
		lines = append(lines, s[:width])
		s = s[width:]
	}
	return strings.Join(append(lines, s), sep)
}

// randomText is text without any repetition worth the name, the same for each seed.
func randomText(n int, seed uint64) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	rnd := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[rnd.IntN(len(chars))]
	}
	return string(b)
}

// surroundings are put around a value before it is encoded: they shift base64, end in a backslash, and
// look like parts of values.
var surroundings = [][2]string{
	{"", ""}, {"a", ""}, {"ab", "c"}, {"abc", "de"}, {"user:", "\n"}, {`dir\`, `\`}, {`"`, `"`}, {"é", "é"},
}

// TestTornForms checks short values that cannot be found by decoding all of a text, since that takes bytes of
// them together with what stands beside, or leaves too little: what common encoders make of them is found.
func TestTornForms(t *testing.T) {
	for _, torn := range []struct{ before, value, after string }{
		{"", `00"000%000`, ""},
		{"", `"%00%00%00`, ""},
		{"0", `0000"0%0`, "0"},
		{"%", `41"bcdefg`, ""},
		{`\`, `n"abcdefg`, ""},
		{"&", `lt;"abcdefg`, ""},
		{"%", "0000\x7f000", "0"},
		{"0", `000000000000\%0000000000`, "0"},
	} {
		set := newSet(t, "v", torn.value)
		for form, emit := range emitters() {
			if in := emit(torn.before + torn.value + torn.after); !set.ContainsString(in) {
				t.Errorf("%s: not found in %q", form, in)
			}
		}
	}
}

// TestForms checks every shape in every form: nothing of the value is left, the surroundings are, the
// result is stable and, where the form is JSON, still JSON.
func TestForms(t *testing.T) {
	cells := 0
	for shape, value := range secretShapes() {
		set := newSet(t, "v", value)
		for form, emit := range emitters() {
			for i, around := range surroundings {
				in := "begin " + emit(around[0]+value+around[1]) + " end"
				got, hits := set.String(in)
				cells++
				at := fmt.Sprintf("%s / %s / %d", shape, form, i)
				if hits == 0 {
					t.Errorf("%s: not found in %q", at, in)
					continue
				}
				if !strings.HasPrefix(got, "begin ") || !strings.HasSuffix(got, " end") {
					t.Errorf("%s: what stands around it was taken: %q", at, got)
				}
				for _, core := range cores(value) {
					if leak := leftover(got, core); leak != "" {
						t.Errorf("%s: %q is left in %q", at, leak, got)
					}
				}
				if again, hits := set.String(got); hits != 0 {
					t.Errorf("%s: %q became %q when redacted again", at, got, again)
				}
			}
		}
	}
	t.Logf("%d cells", cells)
}

// cores are the value and its base64 forms without the characters that depend on what stands around it.
// The fixed lines of a PEM block are no secret.
func cores(value string) []string {
	trimmed := strings.TrimSpace(value)
	if rest, ok := strings.CutPrefix(trimmed, "-----BEGIN TEST KEY-----\n"); ok {
		trimmed = strings.TrimSuffix(rest, "\n-----END TEST KEY-----")
	}
	out := []string{trimmed}
	for shift := range 3 {
		enc := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + trimmed))
		core := enc[(8*shift+5)/6 : 8*(shift+len(trimmed))/6]
		out = append(out, core, strings.NewReplacer("+", "-", "/", "_").Replace(core))
	}
	return out
}

// leftover is a run of window bytes of core in text, or all of a shorter core.
func leftover(text, core string) string {
	for i := 0; i == 0 || i+window <= len(core); i++ {
		if part := core[i:min(i+window, len(core))]; strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

// TestBase64Sweep checks each length, offset and rest that decide how a value is spread over base64.
func TestBase64Sweep(t *testing.T) {
	for size := 8; size <= 40; size++ {
		value := randomText(size-2, uint64(size)) + "\xfb\xff" // ends in characters that differ by alphabet
		set := newSet(t, "v", value)
		for before := range 4 {
			for after := range 4 {
				data := []byte(strings.Repeat("<", before) + value + strings.Repeat(">", after))
				for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
					text := enc.EncodeToString(data)
					for _, in := range []string{text, wrap(text, 64, "\n"), wrap(text, 76, "\r\n"), wrap(text, 16, "\n")} {
						got, hits := set.String(in)
						if hits != 1 {
							t.Errorf("size %d, %d before, %d after: %d hits in %q", size, before, after, hits, in)
						}
						for _, core := range cores(value) {
							if leak := leftover(got, core); leak != "" {
								t.Errorf("size %d, %d before, %d after: %q is left in %q", size, before, after, leak, got)
							}
						}
					}
				}
			}
		}
	}
}

// TestPrecision checks that text without values stays as it is: random values do not match by accident,
// and text full of escapes and base64 is not mistaken for them.
func TestPrecision(t *testing.T) {
	set := newSet(t)
	for i := range 100 {
		for _, size := range []int{8, 20 + i%40} {
			if err := set.Add(fmt.Sprint("s", i), randomText(size, uint64(1000+i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range corpora(1 << 20) {
		if got, hits := set.Bytes(text); hits != 0 || !bytes.Equal(got, text) {
			t.Errorf("%s: %d hits", name, hits)
		}
	}
}

// corpora are clean texts of about size bytes of the kinds that pass a redactor.
func corpora(size int) map[string][]byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`the report of week found no anomaly in table orders path /srv/data/part-0001.csv level
		info warn activity workflow started completed attempt error connection refused timeout after retry func return
		if err != nil { } := range map[string]any struct type const id name count true false null`)
	var prose, logs, escaped bytes.Buffer
	for prose.Len() < size {
		prose.WriteString(words[rnd.IntN(len(words))])
		prose.WriteByte(" \n"[min(1, rnd.IntN(12)/11)])
	}
	for logs.Len() < size {
		fmt.Fprintf(&logs, `{"level":"info","ts":%d.%06d,"msg":"%s %s","attempt":%d,"run":"%08x-%04x-4%03x","path":"/%s/%s"}`+"\n",
			1700000000+rnd.IntN(1e8), rnd.IntN(1e6), words[rnd.IntN(len(words))], words[rnd.IntN(len(words))], rnd.IntN(9),
			rnd.Uint32(), rnd.IntN(1<<16), rnd.IntN(1<<12), words[rnd.IntN(len(words))], words[rnd.IntN(len(words))])
	}
	line := 0
	for l := range bytes.Lines(logs.Bytes()) {
		if escaped.Len() >= size {
			break
		}
		quoted, err := json.Marshal(string(l))
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&escaped, `{"n":%d,"line":%s}`, line, quoted)
		line++
	}
	binary := make([]byte, size*3/4)
	for i := range binary {
		binary[i] = byte(rnd.Uint32())
	}
	return map[string][]byte{
		"text":           prose.Bytes(),
		"JSON":           logs.Bytes(),
		"JSON in JSON":   escaped.Bytes(),
		"binary":         binary,
		"base64":         []byte(base64.StdEncoding.EncodeToString(binary)),
		"wrapped base64": []byte(wrap(base64.StdEncoding.EncodeToString(binary), 76, "\n")),
	}
}
