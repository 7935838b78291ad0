package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// slowly does what collect does with none of its short cuts: every level of all of the text is searched.
func slowly(s *Set, text []byte) []byte {
	p := s.pass(nil)
	defer p.release()
	at, before := 0, behind(0)
	for at < len(text) {
		start, end := s.x.nextMarker(text, at)
		e := edges{before: before}
		if start < end {
			e.after = markerEdge
		}
		part := text[at:start]
		known := len(p.f.spans)
		p.f.base = known
		scan(s.x, part, e, 0, &p.f)
		p.f.tidy()
		plain := len(p.f.spans)
		p.sc.depth = 0
		for region := part; p.sc.depth < maxDepth; p.sc.depth++ {
			unescape(&p.sc.levels[p.sc.depth], region, true, false)
			region = p.sc.levels[p.sc.depth].buf
		}
		p.sc.searchLevels(s.x, 0, e, &p.f)
		p.sc.alignPlain(&p.f, plain, 0, len(part)+1)
		for i := range p.f.spans[known:] {
			p.f.spans[known+i].start += at
			p.f.spans[known+i].end += at
		}
		at, before = end, behind(markerEdge)
	}
	finish(text, &p.f)
	return p.replace(text)
}

// TestTwoSpeeds checks that decoding only around tokens, and only when there are some, finds what decoding
// everything does, and that a sampled scan finds every run.
func TestTwoSpeeds(t *testing.T) {
	const runs = 5_000
	rnd := rand.New(rand.NewPCG(7, 8))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmnop"[rnd.IntN(16)]
		}
		return string(b)
	}
	noise := []string{
		`\n`, `\u0061`, `\\`, "%61", "%25", "&amp;", "&#97;", "\x1b[31m", `'\''`, " ", "\n\t ", "\x00", `"`, "[redacted:v]", "é", "\xc3",
		strings.Repeat(" ", 64), strings.Repeat(" ", 65), `\u005c`, `%5cn`,
	}
	found := 0
	for range runs {
		s := NewSet()
		var values []string
		for range 1 + rnd.IntN(4) {
			value := letters(8 + rnd.IntN(60))
			values = append(values, value)
			if err := s.Add("v", value); err != nil {
				t.Fatal(err)
			}
		}
		if rnd.IntN(4) == 0 { // short values need more decoding
			if err := s.AddShort("short", letters(3)); err != nil {
				t.Fatal(err)
			}
		}
		var text strings.Builder
		for range 1 + rnd.IntN(30) {
			switch value := values[rnd.IntN(len(values))]; rnd.IntN(5) {
			case 0:
				text.WriteString(noise[rnd.IntN(len(noise))])
			case 1:
				text.WriteString(value)
			case 2: // a part of it, broken up
				from := rnd.IntN(len(value))
				for _, c := range []byte(value[from:]) {
					switch rnd.IntN(6) {
					case 0:
						text.WriteString(noise[rnd.IntN(len(noise))])
					case 1:
						fmt.Fprintf(&text, `\x%02x`, c)
						continue
					case 2:
						fmt.Fprintf(&text, `%%25%02X`, c)
						continue
					}
					text.WriteByte(c)
				}
			case 3:
				text.WriteString(letters(rnd.IntN(200)))
			case 4:
				text.WriteString(value[:rnd.IntN(len(value))])
			}
		}
		in := text.String()
		want := string(slowly(s, []byte(in)))
		got, hits := s.String(in)
		if got != want {
			t.Fatalf("%q became\n%q, want\n%q, with %q", in, got, want, values)
		}
		found += hits
	}
	if found < runs {
		t.Errorf("%d hits in %d texts: too few to compare", found, runs)
	}
}

// TestEveryRun checks that any 16 bytes in a row of a value of 24 or more are found wherever they stand.
func TestEveryRun(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for size := secretSize; size < 100; size += 5 {
		value := make([]byte, size)
		for i := range value {
			value[i] = byte('!' + rnd.IntN('~'-'!'))
		}
		s := NewSet()
		if err := s.Add("v", string(value)); err != nil {
			t.Fatal(err)
		}
		for from := 0; from+secretRun <= size; from++ {
			for before := range 24 {
				run := string(value[from : from+secretRun])
				in := strings.Repeat("~", before) + run + strings.Repeat("~", rnd.IntN(20))
				if got, _ := s.String(in); strings.Contains(got, run) || !strings.HasPrefix(got, strings.Repeat("~", before)) {
					t.Fatalf("%q of %q stays in %q", run, value, got)
				}
			}
		}
	}
}

// TestRepetitions checks values that repeat a part of themselves: all of any run is found, and each gram is
// indexed a few times only.
func TestRepetitions(t *testing.T) {
	for _, period := range []int{1, 2, 7, 11, 16, 40} {
		part := "0123456789abcdefghijklmnopqrstuvwxyzQRSTUVWX"[:period]
		value := strings.Repeat(part, 1+2000/period) + "tail-of-the-value"
		s := NewSet()
		if err := s.Add("v", value); err != nil {
			t.Fatal(err)
		}
		for from := 0; from < len(value)-secretRun; from += 13 {
			for _, size := range []int{secretRun, 100, len(value)} {
				run := value[from:min(len(value), from+size)]
				if got, hits := s.String("<" + run + ">"); got != "<[redacted:v]>" || hits != 1 {
					t.Fatalf("period %d: a run of %d at %d became %q", period, len(run), from, got)
				}
			}
		}
		if s.x.long.sites() > 20_000 {
			t.Errorf("period %d: %d grams are indexed", period, s.x.long.sites())
		}
		s.Remove("v", value)
		if s.x.long.sites() != 0 {
			t.Errorf("period %d: %d grams stay", period, s.x.long.sites())
		}
	}
}

// TestFailure breaks the index, so that searching panics: nothing gets out, and it is counted.
func TestFailure(t *testing.T) {
	s := NewSet()
	if err := s.Add("v", "value-of-the-failure"); err != nil {
		t.Fatal(err)
	}
	h := s.NewHolder()
	filter := s.x.long.filter
	s.x.long.filter = nil
	const text = "text in which nothing can be found"
	if got, hits := s.String(text); got != Withheld || hits == 0 {
		t.Errorf("String = %q, %d", got, hits)
	}
	if got, hits := s.Bytes([]byte(text)); string(got) != Withheld || hits == 0 {
		t.Errorf("Bytes = %q, %d", got, hits)
	}
	if got, hits := s.JSON([]byte(`"` + text + `"`)); string(got) != `"`+Withheld+`"` || hits == 0 {
		t.Errorf("JSON = %q, %d", got, hits)
	}
	if got, hits := h.String(text); got != Withheld || hits == 0 {
		t.Errorf("Holder.String = %q, %d", got, hits)
	}
	if !s.Contains([]byte(text)) || !s.ContainsString(text) {
		t.Error("Contains says no")
	}
	var out strings.Builder
	w := s.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != ErrFailed { //nolint:errorlint // it is returned as it is
		t.Errorf("Write = %v, want ErrFailed", err)
	}
	if err := w.Close(); err != ErrFailed || out.String() != Withheld { //nolint:errorlint // as above
		t.Errorf("Close = %v after %q, want ErrFailed", err, out.String())
	}
	if s.Failures() == 0 {
		t.Error("no failure was counted")
	}
	s.x.long.filter = filter
	if err := s.Add("w", "another-value-that-is-added"); err != nil {
		t.Errorf("the set is locked: %v", err)
	}
}
