package redact_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// streamed is what a Writer makes of text that is written in pieces of the sizes that next returns.
func streamed(tb testing.TB, set *redact.Set, text string, next func() int) string {
	tb.Helper()
	var out bytes.Buffer
	w := set.NewWriter(&out)
	for len(text) > 0 {
		n := max(1, min(len(text), next()))
		if _, err := io.WriteString(w, text[:n]); err != nil {
			tb.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func fixed(n int) func() int { return func() int { return n } }

// TestWriterChunks writes random texts of values, pieces of values, escapes and markers in random pieces.
func TestWriterChunks(t *testing.T) {
	runs := 60_000
	if raceDetector {
		runs = 2_000
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[rnd.IntN(2)]
		}
		return string(b)
	}
	noise := []string{
		`\`, `\n`, `\u00`, `61`, `\\`, "%", "%61", "%25", "&", "&amp;", "&#97;", "\x1b[31m", "\x1b[", "'", `'"'"'`, " ", "\n", "\x00",
		"[", "[redacted", "[redacted]", "[redacted:v]", "é", "\xc3", "\xa9", "a", "b", "A", "QWFh",
	}
	for run := range runs {
		set := redact.NewSet()
		var values []string
		for range 1 + rnd.IntN(8) {
			value := letters(8 + rnd.IntN(30))
			if rnd.IntN(8) == 0 {
				at := []int{6, len(value)}[rnd.IntN(2)]
				value = value[:at] + noise[rnd.IntN(len(noise))] + value[at:]
			}
			values = append(values, value)
			if err := set.Add(fmt.Sprint("v", len(values)%3), value); err != nil {
				t.Fatal(err)
			}
		}
		if run%4 == 0 {
			short := letters(2 + rnd.IntN(5))
			values = append(values, short)
			if err := set.AddShort("s", short); err != nil {
				t.Fatal(err)
			}
		}
		var text strings.Builder
		for text.Len() < 20+rnd.IntN(200) {
			switch value := values[rnd.IntN(len(values))]; rnd.IntN(4) {
			case 0:
				text.WriteString(noise[rnd.IntN(len(noise))])
			case 1:
				text.WriteString(value)
			case 2:
				from := rnd.IntN(len(value))
				text.WriteString(value[from : from+rnd.IntN(len(value)-from+1)])
			case 3:
				text.WriteString(letters(rnd.IntN(6)))
			}
		}
		in := text.String()
		want, _ := set.String(in)
		if again, hits := set.String(want); again != want || hits != 0 {
			t.Fatalf("%q became %q and then %q, with %q", in, want, again, values)
		}
		size := 1 + rnd.IntN(12)
		if got := streamed(t, set, in, func() int { return 1 + rnd.IntN(size) }); got != want {
			t.Fatalf("in pieces of up to %d, %q became\n%q, want\n%q, with %q", size, in, got, want, values)
		}
	}
}

// TestWriterLatency checks that what cannot begin a value leaves at once.
func TestWriterLatency(t *testing.T) {
	set := newSet(t, "a", "0123456789abcdef")
	tests := []struct{ name, in, out, reason string }{
		{"clean line", "nothing here\n", "nothing here\n", "no byte of a value ends it"},
		{"beginning of a value", "see: 01234", "see: ", "the rest of it may follow"},
		{"false beginning", "see: 0123456!\n", "see: 0123456!\n", "no value goes on like this"},
		{"end of a value", "see! 0123456789abcdef\n!", "see! [redacted:a]\n!", "nothing is left to wait for"},
		{"escape", `see! \`, "see! ", "it may be that of a value's character"},
		{"marker", "see! [redac", "see! ", "it may go on as a marker"},
		{"character", "see! \xe2\x82", "see! ", "the rest of it may follow"},
		{"gap", "see! 0123" + strings.Repeat(" ", 65), "see! 0123" + strings.Repeat(" ", 65), "no value goes on after so much white space"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := set.NewWriter(&out)
			if n, err := io.WriteString(w, tt.in); n != len(tt.in) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			if out.String() != tt.out {
				t.Errorf("Write(%q) wrote %q, want %q: %s", tt.in, out.String(), tt.out, tt.reason)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if want, _ := set.String(tt.in); out.String() != want {
				t.Errorf("after Close there is %q, want %q", out.String(), want)
			}
		})
	}
}

// TestWriterMemory writes 10 MB without a line end: of ordinary bytes, and of one value after another.
func TestWriterMemory(t *testing.T) {
	const most = 1 << 20
	set := newSet(t, "a", "0123456789abcdef", "self", strings.Repeat("ab", 16))
	for name, piece := range map[string]string{
		"clean":        strings.Repeat("x-", 1<<9),
		"values":       strings.Repeat("0123456789abcdef", 1<<6),
		"self-overlap": strings.Repeat("ab", 1<<9),
		"escapes":      strings.Repeat(`\u0061b`, 1<<7),
		"backslashes":  strings.Repeat(`\`, 1<<10),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			var biggest uint64
			w := set.NewWriter(io.Discard)
			runtime.GC()
			runtime.ReadMemStats(&before)
			for i := range 10 << 20 / len(piece) {
				if _, err := io.WriteString(w, piece); err != nil {
					t.Fatal(err)
				}
				if i%1024 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&after)
					biggest = max(biggest, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if biggest > most {
				t.Errorf("%d bytes were in use, want at most %d", biggest, most)
			}
		})
	}
}

// failing fails after the first write.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterError(t *testing.T) {
	w := newSet(t, "a", "0123456789abcdef").NewWriter(&failing{left: 1})
	if _, err := io.WriteString(w, "one.\n"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := io.WriteString(w, "two.\n"); !errors.Is(err, errFull) {
			t.Errorf("Write = %v, want the error of the writer below", err)
		}
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close = %v, want the error of the writer below", err)
	}
}
