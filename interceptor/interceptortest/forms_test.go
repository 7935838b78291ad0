package interceptortest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// value has all that encoders escape, and base64 that differs between alphabets.
var value = `can"ary\<7Q>` + "xWv\t&2k" + `~>?/+%=end`

// encoders write a text as a program may write it; wraps says that the text stands
// in something of its own around it.
var encoders = map[string]func(string) string{
	"raw":           func(s string) string { return s },
	"escaped":       quoted,
	"escaped ASCII": func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) },
	"base64":        func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, URL":   func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64, bare":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64, lines": func(s string) string {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", 70) + s))
		return text[:76] + "\r\n" + text[76:]
	},
	"hex":       func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":       func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"odd hex":   func(s string) string { return "a" + hex.EncodeToString([]byte(s)) },
	"percent":   url.QueryEscape,
	"path":      url.PathEscape,
	"plus sign": func(s string) string { return url.QueryEscape(strings.ReplaceAll(s, "a", "a ")) },
	"gzip": func(s string) string {
		return compressed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	},
	"zlib": func(s string) string {
		return compressed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	},
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(data), `"`), `"`)
}

func compressed(s string, to func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := to(&b)
	if _, err := io.WriteString(w, s); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// TestFormsAreFound: in every form, wherever it begins, and in every form within
// another.
func TestFormsAreFound(t *testing.T) {
	t.Parallel()
	for name, encode := range encoders {
		secret := value
		if name == "plus sign" {
			secret = strings.ReplaceAll(value, "a", "a ")
		}
		f := interceptortest.NewFinder([]string{"another value", secret})
		plain := value
		for _, around := range []string{"", "x", "xy", "xyz ", `\`, "\x00\xff"} {
			found := f.Bytes([]byte("before:" + encode(around+plain+around) + ":after"))
			if !holds(found, 1) {
				t.Errorf("%s between %q: not found", name, around)
			}
			if holds(found, 0) {
				t.Errorf("%s between %q: another value was found", name, around)
			}
		}
		for outer, again := range encoders {
			if name == "plus sign" || outer == "plus sign" || !utf8.ValidString(encode(plain)) && outer == "escaped" {
				continue // JSON has no form for bytes that are no text
			}
			if !holds(f.Bytes([]byte(again(encode(plain)))), 1) {
				t.Errorf("%s in %s: not found", name, outer)
			}
		}
	}
}

func holds(found []interceptortest.Place, index int) bool {
	for _, p := range found {
		if p.Value == index {
			return true
		}
	}
	return false
}

func TestFormsAreNamedFromTheOutsideIn(t *testing.T) {
	t.Parallel()
	f := interceptortest.NewFinder([]string{value})
	text := base64.StdEncoding.EncodeToString([]byte(`{"a":"` + quoted(value) + `"}`))
	want := []interceptortest.Place{{Form: "base64, escaped"}}
	if diff := cmp.Diff(want, f.Bytes([]byte(text))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWindows: twelve bytes of a value are one, eleven are not; a shorter value is
// found as a whole only.
func TestWindows(t *testing.T) {
	t.Parallel()
	f := interceptortest.NewFinder([]string{value, "", "short1"})
	tests := []struct {
		name, text string
		want       int
	}{
		{"twelve bytes", "before " + value[5:17] + " after", 1},
		{"eleven bytes", "before " + value[5:16] + " after", 0},
		{"all of a short value", "a short1 b", 1},
		{"base64 of a short value", base64.StdEncoding.EncodeToString([]byte("a short1 b")), 1},
		{"part of a short value", "a short b", 0},
		{"reversed", reversed(value), 0},
		{"nothing", "", 0},
	}
	for _, test := range tests {
		if got := f.Bytes([]byte(test.text)); len(got) != test.want {
			t.Errorf("%s: found %v, want %d", test.name, got, test.want)
		}
	}
}

func reversed(s string) string {
	var b strings.Builder
	for i := len(s) - 1; i >= 0; i-- {
		b.WriteByte(s[i])
	}
	return b.String()
}

// TestNothingIsFoundWhereNothingIs: text of many kinds, with everything that looks
// like an encoding, holds no value.
func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	t.Parallel()
	f := interceptortest.NewFinder([]string{value, "short1"})
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		text := make([]byte, 1+random.IntN(400))
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
		for name, encode := range encoders {
			if found := f.Bytes([]byte(encode(string(text)))); len(found) > 0 {
				t.Fatalf("%s: found %v", name, found)
			}
		}
	}
}

// FuzzFinder: a value is found in every form whatever stands around it, and nothing
// is found, and nothing panics, where it is not.
func FuzzFinder(f *testing.F) {
	f.Add([]byte("before"), []byte("after"))
	f.Add([]byte(`{"a":"\u00`), []byte("%4"))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0}, []byte{0x78, 0x9c, 1})
	f.Add([]byte("QUJD"), []byte("=="))
	finder := interceptortest.NewFinder([]string{value})
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if bytes.Contains(append(bytes.Clone(before), after...), []byte(value[:4])) {
			return
		}
		for _, name := range []string{"raw", "hex", "base64", "base64, URL", "percent"} {
			text := encoders[name](string(before) + value + string(after))
			if len(finder.Bytes([]byte(text))) == 0 {
				t.Errorf("%s: not found", name)
			}
		}
		if found := finder.Bytes(append(bytes.Clone(before), after...)); len(found) > 0 {
			t.Errorf("found %v where nothing is", found)
		}
	})
}
