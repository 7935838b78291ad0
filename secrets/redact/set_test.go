package redact_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// newSet returns a set in which each value is registered under the name before it.
func newSet(tb testing.TB, pairs ...string) *redact.Set {
	tb.Helper()
	set := redact.NewSet()
	for i := 0; i < len(pairs); i += 2 {
		if err := set.Add(pairs[i], pairs[i+1]); err != nil {
			tb.Fatalf("Add(%q, …): %v", pairs[i], err)
		}
	}
	return set
}

func TestString(t *testing.T) {
	tests := []struct {
		name   string
		values []string // name, value, name, value …
		in     string
		want   string
		hits   int
		reason string
	}{
		{"absent", []string{"a", "0123456789"}, "nothing here", "nothing here", 0, "text without a value stays"},
		{"whole", []string{"a", "0123456789"}, "0123456789", "[redacted:a]", 1, "the text may be the value"},
		{"twice", []string{"a", "0123456789"}, "0123456789 0123456789", "[redacted:a] [redacted:a]", 2, "each place counts"},
		{"adjacent", []string{"a", "0123456789"}, "01234567890123456789", "[redacted:a][redacted:a]", 2, "touching is not overlapping"},
		{"within a word", []string{"a", "01234567"}, "x01234567y", "x[redacted:a]y", 1, "eight bytes need no word boundary"},
		{"cut short", []string{"a", "0123456789"}, "012345678", "012345678", 0, "parts are not looked for"},
		{"self-overlap at the start", []string{"t", "TOKTOKEN"}, "TOKTOKTOKEN", "TOK[redacted:t]", 1, "a false start does not hide the value behind it"},
		{"self-overlap", []string{"t", "abcabcabc"}, "abcabcabcabc", "[redacted:t]", 1, "no part of the second copy stays"},
		{"one inside the other", []string{"in", "mask-mask", "out", "prefix_mask-mask"}, "prefix_mask-mask", "[redacted:out]", 1, "the longest names the marker"},
		{"overlapping", []string{"a", "xx-hidden-zz-tail", "b", "hidden-zz"}, "xx-hidden-zz-other", "xx-[redacted:b]-other", 1, "a longer candidate that fails leaves the shorter one"},
		{"chained", []string{"a", "11112222", "b", "22223333"}, "111122223333", "[redacted:a]", 1, "an overlap becomes one marker"},
		{"trailing newline of the value", []string{"a", "foo-secret\n"}, "x foo-secret y\nfoo-secret\n", "x [redacted:a] y\n[redacted:a]\n", 2, "a value from a file is found without its line end, which stays"},
		{"spaces around the value", []string{"a", "  foo-secret \r\n"}, "[foo-secret]", "[[redacted:a]]", 1, "as for line ends"},
		{"lines with CR LF", []string{"a", "line one\nline two"}, "-line one\r\nline two-", "-[redacted:a]-", 1, "a text-mode writer changes line ends"},
		{"lines as LF", []string{"a", "line one\r\nline two"}, "-line one\nline two-", "-[redacted:a]-", 1, "and the other way round"},
		{"lines as spaces", []string{"a", "line one\nline two\n"}, "+ echo line one line two", "+ echo [redacted:a]", 1, "a shell trace prints spaces"},
		{"unquoted variable", []string{"a", "line one\n\n\tline  two"}, "line one line two", "[redacted:a]", 1, "a shell collapses white space"},
		{"longest marker wins a tie by value", []string{"z", "aaaabbbb", "y", "bbbbcccc"}, "aaaabbbbcccc", "[redacted:z]", 1, "the choice is the same each time"},
		{"percent signs", []string{"a", "100%s%d%v"}, "say 100%s%d%v", "say [redacted:a]", 1, "values are no formats"},
		{"non-ASCII", []string{"a", "pässwörd"}, "é pässwörd é", "é [redacted:a] é", 1, "bytes above 0x7f are compared like others"},
		{"first byte of the text", []string{"a", "0123456789"}, "0123456789 end", "[redacted:a] end", 1, "edges of the text"},
		{"last byte of the text", []string{"a", "0123456789"}, "start 0123456789", "start [redacted:a]", 1, "edges of the text"},
		{"long value", []string{"a", strings.Repeat("0123456789abcdef", 512)}, "<" + strings.Repeat("0123456789abcdef", 512) + ">", "<[redacted:a]>", 1, "longer than any window"},
		{"repeated character", []string{"a", strings.Repeat("a", 20)}, strings.Repeat("a", 64), "[redacted:a]", 1, "all places overlap"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, tt.values...)
			got, hits := set.String(tt.in)
			if got != tt.want || hits != tt.hits {
				t.Errorf("String(%q) = %q, %d, want %q, %d: %s", tt.in, got, hits, tt.want, tt.hits, tt.reason)
			}
			if again, hits := set.String(got); again != got || hits != 0 {
				t.Errorf("String(%q) = %q, %d, want no change: redaction is idempotent", got, again, hits)
			}
			raw, hits := set.Bytes([]byte(tt.in))
			if string(raw) != tt.want || hits != tt.hits {
				t.Errorf("Bytes(%q) = %q, %d, want as String", tt.in, raw, hits)
			}
			if got := set.ContainsString(tt.in); got != (tt.hits > 0) {
				t.Errorf("ContainsString(%q) = %v, want %v", tt.in, got, tt.hits > 0)
			}
		})
	}
}

// Markers are text too: they must neither bring a value back nor be taken apart or nested.
func TestMarkers(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		in     string
		want   string
		reason string
	}{
		{"value within any marker", []string{"a", "redacted:"}, "is redacted: yes", "is [redacted:a] yes", "the marker holds the value, and is not a hit"},
		{"marker and context make a value", []string{"n", "AAAAAAAA", "b", "xx[redacted:n]"}, "xxAAAAAAAA", "xx[redacted:n]", "no value was there, and a marker ends what stands before it"},
		{"value reaches into a marker", []string{"n", "AAAAAAAA", "b", "cted:n]tail"}, "AAAAAAAAtail!", "[redacted:n]tail!", "a marker is never part of a hit"},
		{"foreign hit of a holder", []string{"n", "AAAAAAAA", "b", "xx[redacted]"}, "xx[redacted]", "xx[redacted]", "that is a marker as well"},
		{"foreign marker", []string{"n", "AAAAAAAA"}, "[redacted:AAAAAAAA]", "[redacted:[redacted:n]]", "only the set's own markers are trusted"},
		{"value as its own name", []string{"AAAAAAAA", "AAAAAAAA"}, "AAAAAAAA", "[redacted:secret]", "a name that is the value is not shown"},
		{"value of another in the name", []string{"my-AAAAAAAA", "BBBBBBBB", "n", "AAAAAAAA"}, "BBBBBBBB", "[redacted:secret]", "nor one that holds it"},
		{"name that needs escapes", []string{"a \"b\"\\\n]é", "AAAAAAAA"}, "AAAAAAAA", "[redacted:a__b______]", "the marker can stand in JSON as it is"},
		{"empty name", []string{"", "AAAAAAAA"}, "AAAAAAAA", "[redacted:secret]", "a marker has a name"},
		{"reference as the name", []string{"vault:kv/app#token@4", "AAAAAAAA"}, "AAAAAAAA", "[redacted:vault:kv/app#token@4]", "references are shown as they are"},
		{"first name", []string{"b", "AAAAAAAA", "a", "AAAAAAAA"}, "AAAAAAAA", "[redacted:a]", "one value, two names"},
		{"value that ends like a marker", []string{"v", "]zzzzzzz"}, "]zzzzzzzzzzzzzz", "[redacted:v]zzzzzzz", "what is left is no value, whatever stands before it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, tt.values...)
			got, _ := set.String(tt.in)
			if got != tt.want {
				t.Errorf("String(%q) = %q, want %q: %s", tt.in, got, tt.want, tt.reason)
			}
			if set.ContainsString(got) {
				t.Errorf("ContainsString(%q) = true after redaction", got)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	tests := []struct {
		name, value string
		want        error
		reason      string
	}{
		{"empty", "", redact.ErrEmpty, "it would stand everywhere"},
		{"white space", " \t\r\n \n      ", redact.ErrEmpty, "so would this"},
		{"one character", "e", redact.ErrShort, "it would garble all text"},
		{"seven", "1234567", redact.ErrShort, "one below the limit"},
		{"seven and a newline", "1234567\n", redact.ErrShort, "white space does not count"},
		{"eight", "12345678", nil, "the limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := redact.NewSet()
			if err := set.Add("a", tt.value); !errors.Is(err, tt.want) {
				t.Errorf("Add(%q) = %v, want %v: %s", tt.value, err, tt.want, tt.reason)
			}
			if got, want := set.Len(), map[bool]int{true: 1, false: 0}[tt.want == nil]; got != want {
				t.Errorf("Len() = %d, want %d", got, want)
			}
		})
	}
}

func TestAddShort(t *testing.T) {
	tests := []struct {
		name, value, in, want, reason string
		err                           error
	}{
		{"word", "tiger", "a tiger.", "a [redacted:s].", "between word boundaries", nil},
		{"alone", "tiger", "tiger", "[redacted:s]", "the ends of the text are boundaries", nil},
		{"within a word", "tiger", "tigers atiger tiger_ tiger1 tigeré étiger", "tigers atiger tiger_ tiger1 tigeré étiger", "part of another word", nil},
		{"digits", "1234", "1234 12345 =1234;", "[redacted:s] 12345 =[redacted:s];", "a PIN", nil},
		{"punctuation at the edges", "p@s!", "xp@s! p@s!x", "xp@s! [redacted:s]x", "the edge of the value counts, too", nil},
		{"escaped", `a"b`, `{\"v\":\"a\\\"b\"}`, `{\"v\":\"[redacted:s]\"}`, "escapes are decoded for short values as well", nil},
		{"not in base64", "tiger", "dGlnZXI=", "dGlnZXI=", "too little to go by", nil},
		{"long after all", "0123456789", "x0123456789", "x[redacted:s]", "eight bytes and more behave as with Add", nil},
		{"literal", "true", "it is true", "it is true", "JSON is made of this", redact.ErrCommon},
		{"no letter or digit", "{", "{}", "{}", "so it is of this", redact.ErrCommon},
		{"empty", "", "text", "text", "nothing to mask", redact.ErrEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := redact.NewSet()
			if err := set.AddShort("s", tt.value); !errors.Is(err, tt.err) {
				t.Errorf("AddShort = %v, want %v", err, tt.err)
			}
			if err := set.NewHolder().AddShort("s", tt.value); !errors.Is(err, tt.err) {
				t.Errorf("AddShort of a holder = %v, want %v", err, tt.err)
			}
			if got, _ := set.String(tt.in); got != tt.want {
				t.Errorf("String(%q) = %q, want %q: %s", tt.in, got, tt.want, tt.reason)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	const value = "0123456789"
	set := newSet(t, "a", value, "a", value, "b", value+"\n")
	steps := []struct {
		name, remove string
		want         string
		reason       string
	}{
		{"one of two", "a", "[redacted:a]", "registrations are counted"},
		{"unknown name", "c", "[redacted:a]", "nothing to remove"},
		{"second of two", "a", "[redacted:b]", "the other name keeps the value"},
		{"last", "b", value, "the value is gone"},
		{"once more", "b", value, "nothing to remove"},
	}
	for _, step := range steps {
		set.Remove(step.remove, value)
		if got, _ := set.String(value); got != step.want {
			t.Errorf("%s: String = %q, want %q: %s", step.name, got, step.want, step.reason)
		}
	}
	if got := set.Len(); got != 0 {
		t.Errorf("Len() = %d, want 0", got)
	}
}

func TestNames(t *testing.T) {
	set := newSet(t, "b", "0123456789", "a", "0123456789", "c", "ABCDEFGHIJ", "d", "not there")
	got := set.Names("ABCDEFGHIJ 0123456789 ABCDEFGHIJ")
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("Names (-want +got):\n%s", diff)
	}
	if got := set.Names("clean"); got != nil {
		t.Errorf("Names of clean text = %q, want nil", got)
	}
}

func TestZeroSet(t *testing.T) {
	var set redact.Set
	if got, hits := set.String("text"); got != "text" || hits != 0 {
		t.Errorf("String = %q, %d, want no change", got, hits)
	}
	if set.ContainsString("text") || set.Names("text") != nil || set.Len() != 0 {
		t.Error("the zero set holds something")
	}
	set.Remove("a", "0123456789")
	if err := set.Add("a", "0123456789"); err != nil {
		t.Fatal(err)
	}
	if got, _ := set.String("0123456789"); got != "[redacted:a]" {
		t.Errorf("String = %q, want a marker", got)
	}
}

func TestInputUnchanged(t *testing.T) {
	set := newSet(t, "a", "0123456789")
	in := []byte(`{"k":"\u0030123456789"}`)
	before := string(in)
	if out, hits := set.JSON(in); hits != 1 || string(out) != `{"k":"[redacted:a]"}` {
		t.Errorf("JSON = %s, %d", out, hits)
	}
	if string(in) != before {
		t.Errorf("the input became %s", in)
	}
	clean := []byte("nothing\nto \"hide\\n\" here")
	if out, _ := set.Bytes(clean); &out[0] != &clean[0] {
		t.Error("clean text was copied")
	}
}

// Adding, removing and redacting at the same time never shows a value that is registered throughout.
func TestConcurrency(t *testing.T) {
	set := newSet(t, "stays", "value-that-stays")
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for i := range 50 {
				value := fmt.Sprintf("value-%d-of-writer-%d", i%7, w)
				if err := set.Add("w", value); err != nil {
					t.Error(err)
				}
				if got, _ := set.String(value); got == value {
					t.Errorf("%q is not redacted after Add", value)
				}
				set.Remove("w", value)
			}
		})
		readers.Go(func() {
			for {
				if got, _ := set.String(`"value-that-stay\u0073"`); got != `"[redacted:stays]"` {
					t.Errorf("String = %q", got)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if got := set.Len(); got != 1 {
		t.Errorf("Len() = %d, want 1", got)
	}
}

// TestLongGap checks a value that itself holds more gap bytes in a row than any comparison passes over.
func TestLongGap(t *testing.T) {
	value := "left" + strings.Repeat(" ", 70) + "right"
	set := newSet(t, "v", value)
	for form, emit := range emitters() {
		if in := emit("<" + value + ">"); !set.ContainsString(in) {
			t.Errorf("%s: not found", form)
		}
	}
}

// TestContainsAny checks that asking for several texts gives what asking for each gives.
func TestContainsAny(t *testing.T) {
	set := redact.NewSet()
	if set.ContainsAny([]string{"anything"}) {
		t.Error("an empty set found something")
	}
	if err := set.Add("n", "0123456789ab"); err != nil {
		t.Fatal(err)
	}
	for name, emit := range emitters() {
		text := emit("x 0123456789ab y")
		_, hits := set.String(text)
		for place := range 3 {
			texts := []string{"", "a text of some length", "k"}
			texts[place] = text
			if got := set.ContainsAny(texts); got != (hits > 0) {
				t.Errorf("%s at %d: %v, but %d hits", name, place, got, hits)
			}
		}
	}
	if set.ContainsAny([]string{"0123456789a", "0123456789 is not it", `\\ % & '`}) || set.ContainsAny(nil) {
		t.Error("found what is not there")
	}
}
