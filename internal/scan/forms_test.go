package scan_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/hex"
	"io"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

func pack(w io.WriteCloser, out *bytes.Buffer, s string) string {
	if _, err := io.WriteString(w, s); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func gzipped(s string) string {
	var b bytes.Buffer
	return pack(gzip.NewWriter(&b), &b, s)
}

func zlibbed(s string) string {
	var b bytes.Buffer
	return pack(zlib.NewWriter(&b), &b, s)
}

// wide is s in UTF-16, low byte first.
func wide(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// wrap breaks s into lines.
func wrap(s string, width int, between string) string {
	var b strings.Builder
	for ; len(s) > width; s = s[width:] {
		b.WriteString(s[:width] + between)
	}
	return b.String() + s
}

// TestValuesInOtherForms plants a credential as each of the forms of a text. What
// stands around it has no say in whether it is found.
func TestValuesInOtherForms(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("comment\n", 20) + "token is " + githubToken + strings.Repeat("\nmore", 20)
	object := `{"token":"` + githubToken + `"}`
	field := func(s string) string { return payload("json/plain", `{"x":`+quote(s)+`}`) }
	for _, test := range []struct{ name, payload, path string }{
		{"gzip", payload("binary/plain", gzipped(object)), "/(gzip)/(text)/token"},
		{"gzip in base64", field(b64(gzipped(object))), "/x/(base64)/(gzip)/(text)/token"},
		{"gzip in a log", field("body: " + b64(gzipped(object)) + " end"), "/x/(base64)/(gzip)/(text)/token"},
		{"gzip in gzip", payload("binary/plain", gzipped(gzipped(object))), "/(gzip)/(gzip)/(text)/token"},
		{"gzip by an encoding of its own", payload("binary/gzip", gzipped(object)), "/(gzip)/(text)/token"},
		{"gzip that says it is JSON", payload("json/plain", gzipped(object)), "/(gzip)/(text)/token"},
		{"zlib", field(b64(zlibbed(object))), "/x/(base64)/(zlib)/(text)/token"},
		{"lines of 20", field(wrap(b64(long), 20, "\n")), "/x/(base64)"},
		{"lines of 50 with CRLF", field(wrap(b64(long), 50, "\r\n")), "/x/(base64)"},
		{"lines of 120", field(wrap(b64(long), 120, "\n")), "/x/(base64)"},
		{"indented lines", field("data: |\n    " + wrap(b64(long), 64, "\n    ")), "/x/(base64)"},
		{"lines after a name", field("auth-" + wrap(b64(long), 64, "\n") + "\n"), "/x/(base64)"},
		{"a line among others", field("usr/lib/x86-64/some/path/of/a/file\n" + b64(githubToken+"..") + "\nanother/path/of/yet/another/file"), "/x/(base64)"},
		{"after a name", field("auth" + b64("my "+object)), "/x/(base64)"},
		{"after a name that is cut off", field("basic-" + strings.TrimRight(b64("as "+githubToken), "=")), "/x/(base64)"},
		{"after a path", field("/v1/objects/" + b64(" "+githubToken)), "/x/(base64)"},
		{"long, after a path", field("/v1/objects/of/" + b64(long)), "/x/(base64)"},
		{"long, with binary around", field("x " + b64(noise(100)[:99]+gzipped(long))), "/x/(base64)/(gzip)"},
		{"long hex with binary before", field("x " + hex.EncodeToString([]byte(noise(100)+githubToken+"\n"))), "/x/(hex)"},
		{"before a path", field("x " + strings.TrimRight(b64(githubToken+"  "), "=") + "/v1/objects"), "/x/(base64)"},
		{"bytes", field(b64("\x00\x01\x02" + githubToken + "\x00\xff")), "/x/(base64)"},
		{"UTF-16", payload("binary/plain", wide(object)), "/(utf-16)/(text)/token"},
		{"UTF-16 with a mark", payload("binary/plain", "\xff\xfe"+wide("ä "+githubToken)), "/(utf-16)"},
		{"UTF-16 high byte first", payload("binary/plain", "\x00"+strings.TrimSuffix(wide("say "+githubToken), "\x00")), "/(utf-16)"},
		{"UTF-16 in base64", field("powershell -enc " + b64(wide("$t='"+githubToken+"'"))), "/x/(base64)/(utf-16)"},
		{"base64 in UTF-16", payload("binary/plain", wide(b64("t "+githubToken))), "/(utf-16)/(base64)"},
		{"percent around what is plain", field("a%20" + githubToken), "/x"},
		{"base64 with percent", field("https://a.example/?q=" + url.QueryEscape(b64("t: "+githubToken))), "/x/(percent)/(base64)"},
		{"hex", field(hex.EncodeToString([]byte(object))), "/x/(hex)/(text)/token"},
		{"hex in capitals", field("data 0x" + strings.ToUpper(hex.EncodeToString([]byte("to "+githubToken)))), "/x/(hex)"},
		{"escapes of JSON", field(`say {\u0067hp_\u0078` + githubToken[5:]), "/x/(escape)"},
		{"escapes of a source", field(`say "\x67hp_` + githubToken[4:] + `"`), "/x/(escape)"},
		{"escapes around what is plain", field(`a \u003c` + githubToken + `\u003e`), "/x"},
		{"escapes above ASCII", field(`\u00e9\x67hp_` + githubToken[4:]), "/x/(escape)"},
		{"colour within", field("say " + githubToken[:9] + "\x1b[1;31m" + githubToken[9:] + "\x1b[0m"), "/x/(colour)"},
		{"colour at the end", field("say \x1b[mghp_\x1b[0m" + githubToken[4:] + "\x1b["), "/x/(colour)"},
		{"colour and escapes", field(`say \u0067hp_` + "\x1b[0m" + githubToken[4:]), "/x/(escape)/(colour)"},
		{"key in base64", payload("json/plain", `{"`+b64("as "+githubToken+"  ")+`":1}`), "/0/(key)/(base64)"},
		{"key with percent", payload("json/plain", `{"a":1,"%67hp_`+githubToken[4:]+`":1}`), "/1/(key)/(percent)"},
		{"key that is a short URL", payload("json/plain", `{"https://x:`+githubToken+`@a/":{}}`), "/0/(key)"},
		{"key that is binary", payload("json/plain", `{"\u0001`+githubToken+`":{}}`), "/0/(key)"},
		{"value under a key in base64", payload("json/plain", `{"`+b64("as random words  ")+`":"`+githubToken+`"}`), "/0"},
		{"value under a random key", payload("json/plain", `{"a":0,"`+password+`":"`+githubToken+`"}`), "/1"},
		{"value under a random key in brackets", payload("json/plain", `{"a":0,"(`+password+`":"`+githubToken+`"}`), "/1"},
		{"value under a UUID", payload("json/plain", `{"0b8c8c0e-4c5a-4a8e-9a8e-5d6c8a1f2b3c":"`+githubToken+`"}`), "/0b8c8c0e-4c5a-4a8e-9a8e-5d6c8a1f2b3c"},
		{"metadata under a random name", `{"metadata":{"encoding":"` + b64("json/plain") + `","` + password + `":"` + b64(githubToken) + `"},"data":"` + b64(`1`) + `"}`, "/metadata/1"},
		{"name of metadata", `{"metadata":{"encoding":"` + b64("json/plain") + `","` + b64(githubToken+"  ") + `":""},"data":"` + b64(`1`) + `"}`, "/metadata/1/(key)/(base64)"},
		{"payload with another member", `{"metadata":{"encoding":"` + b64("json/plain") + `"},"data":"` + b64(object) + `","size":7}`, "/token"},
		{"payload after another member", `{"a":{"b":[1]},"data":"` + b64(object) + `","metadata":{"encoding":"` + b64("json/plain") + `"}}`, "/token"},
		{"another member of a payload", `{"metadata":{"encoding":"` + b64("json/plain") + `"},"note":"` + githubToken + `","data":"` + b64(`1`) + `"}`, "/note"},
		{"no payload", `{"metadata":{"encoding":"none"},"data":"` + githubToken + `"}`, "/data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, history("w", scheduled(test.payload)))
			if diff := cmp.Diff(map[string][]string{"github-token": {"ActivityTaskScheduled PushTag input/0" + test.path}}, places(r)); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
			if !r.Complete || len(r.Credentials) == 1 && r.Credentials[0].Count != 1 {
				t.Errorf("incomplete or counted twice: %v, %+v", r.NotScanned, r.Credentials)
			}
			absent(t, r)
		})
	}
}

// TestNamesBesideValues: a value that nothing but its name gives away, wherever the
// two stand.
func TestNamesBesideValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ data, path string }{
		{`{"value":"` + password + `","name":"DB_PASSWORD"}`, "/value"},
		{`{"Value":"` + password + `","x":{"y":1},"Key":"DB_PASSWORD"}`, "/Value"},
		{`{"a":["--password","` + password + `"]}`, "/a/1"},
		{`{"a":["run","--db-password","` + password + `","x"]}`, "/a/2"},
		{`{"a":["-e","DB_PASSWORD=` + password + `"]}`, "/a/1"},
		{`{"a":["--password=` + password + `"]}`, "/a/0"},
		{`{"a":"DB_PASSWORD=` + password + `=="}`, "/a"},
		{`{"x":"` + url.QueryEscape(`{"password":"`+password+`"}`) + `"}`, "/x/(percent)/(text)/password"},
		{`{"x":"https://a.example/?q=` + url.QueryEscape(`{"password":"`+password+`"}`) + `"}`, "/x/(percent)"},
		{`{"passwords":1,"password":["--quiet","` + password + `"]}`, "/password/1"},
		{`["--password",` + quote(b64("x")) + `,"--token","` + password + `"]`, "/3"},
	} {
		r := read(t, history("w", scheduled(payload("json/plain", test.data))))
		want := map[string][]string{"random-secret": {"ActivityTaskScheduled PushTag input/0" + test.path}}
		if diff := cmp.Diff(want, places(r)); diff != "" {
			t.Errorf("%s: places (-want +got):\n%s", test.path, diff)
		}
		absent(t, r)
	}
	for _, clean := range []string{
		`{"value":"` + password + `","name":"BUILD_ID"}`, `["--verbose","` + password + `"]`, `["BUILD_ID=` + password + `"]`,
	} {
		if r := read(t, history("w", scheduled(payload("json/plain", clean)))); len(r.Credentials) > 0 {
			t.Errorf("found %v in what has no secret name", places(r))
		}
	}
}

// TestNothingIsMissedSilently: a credential behind a bound makes the scan incomplete.
func TestNothingIsMissedSilently(t *testing.T) {
	t.Parallel()
	nest := func(times int, s string, in func(string) string) string {
		for range times {
			s = in(s)
		}
		return s
	}
	secret := `{"token":"` + githubToken + `"}`
	padded := func(s string) string { return b64(s + strings.Repeat(" ", 3-len(s)%3)) }
	small := gzipped(strings.Repeat("\n", 60<<20))
	for _, test := range []struct{ name, payload, reason string }{
		{"JSON in texts", payload("json/plain", nest(10, "say "+password, quote)), "nested too deep"},
		{"base64", payload("json/plain", quote(nest(10, secret, padded))), "nested too deep"},
		{"gzip", payload("binary/plain", nest(10, secret, gzipped)), "nested too deep"},
		{"compressed payloads", payload("binary/plain", nest(10, secret, zlibbed)), "nested too deep"},
		{"percent", payload("json/plain", quote(nest(10, "say {"+password, url.QueryEscape))), "nested too deep"},
		{"bomb", payload("binary/plain", gzipped(strings.Repeat("\n", 65<<20))), "compressed with gzip"},
		{"bombs in parts", payload("json/plain", `["`+b64(small)+`","`+b64(small)+`"]`), "compressed with gzip"},
		{"bomb of the codec", payload("binary/zlib", zlibbed(strings.Repeat("\n", 65<<20))), "encoding binary/zlib"},
		{"cut", payload("binary/plain", gzipped(secret)[:30]), "compressed with gzip"},
		{"zstd", payload("binary/plain", "\x28\xb5\x2f\xfd\x00\x00\x00\x00"), "compressed with zstd"},
		{"zstd in base64", payload("json/plain", quote(b64("\x28\xb5\x2f\xfd"+strings.Repeat("\x00", 12)))), "compressed with zstd"},
		{"zstd by an encoding of its own", payload("binary/zstd", "\x28\xb5\x2f\xfd\x00\x00\x00\x00"), "compressed with zstd"},
		{"zip", payload("binary/plain", "PK\x03\x04\x00\x00\x00\x00"), "compressed with zip"},
		{"stored, with another member", `{"size":1,"metadata":{"encoding":"` + b64("json/plain") + `"},"data":"` + b64(`{}`) + `","externalPayloads":[{"sizeBytes":"9"}]}`, "external storage"},
		{"encrypted, with another member", `{"metadata":{"encoding":"` + b64("binary/encrypted") + `"},"data":"` + b64("\x80") + `","size":7}`, "encoding binary/encrypted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, history("w", scheduled(test.payload)))
			if diff := cmp.Diff([]scan.NotScanned{{Reason: test.reason, Count: 1}}, r.NotScanned); diff != "" || r.Complete {
				t.Errorf("complete %v, not scanned (-want +got):\n%s", r.Complete, diff)
			}
		})
	}
}

// TestEventsAreLookedForNearTheTop: deeper down an event is read as any other object,
// since looking for one at each level would cost the depth times the size.
func TestEventsAreLookedForNearTheTop(t *testing.T) {
	t.Parallel()
	event := scheduled(payload("json/plain", quote(githubToken)))
	for depth, want := range map[int]string{
		10: "ActivityTaskScheduled PushTag input/0",
		20: "document 0" + strings.Repeat("/0", 19) + "/activityTaskScheduledEventAttributes/input/0",
	} {
		r := read(t, strings.Repeat("[", depth)+event+strings.Repeat("]", depth))
		if diff := cmp.Diff(map[string][]string{"github-token": {want}}, places(r)); diff != "" {
			t.Errorf("places %d deep (-want +got):\n%s", depth, diff)
		}
	}
}
