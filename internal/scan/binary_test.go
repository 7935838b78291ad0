package scan_test

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// high is s in UTF-16, high byte first.
func high(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// deflated is what zlib makes of s at a level.
func deflated(s string, level int) string {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		panic(err)
	}
	return pack(w, &b, s)
}

// smallWindow is zlib with the header of a window of 4 KiB.
func smallWindow(s string) string { return "\x48\x89" + zlibbed(s)[2:] }

// part is a part of a form, as it is sent, that holds s.
func part(s string) string {
	return "--x\r\nContent-Encoding: gzip\r\n\r\n" + s + "\r\n--x--\r\n"
}

// TestBinaryData plants a credential in data that no text is, wherever that begins
// and whatever stands around it.
func TestBinaryData(t *testing.T) {
	t.Parallel()
	say := "say " + githubToken
	raw := func(s string) string { return payload("binary/plain", s) }
	cyrillic, han := "правда ", "秘密是"
	for _, test := range []struct{ name, payload, path string }{
		{"zlib stored", raw(deflated(say, zlib.NoCompression)), "/(zlib)"},
		{"zlib level 1", raw(deflated(say, 1)), "/(zlib)"},
		{"zlib level 4", raw(deflated(say, 4)), "/(zlib)"},
		{"zlib level 5", raw(deflated(say, 5)), "/(zlib)"},
		{"zlib level 9", raw(deflated(say, 9)), "/(zlib)"},
		{"zlib with a small window", raw(smallWindow(say)), "/(zlib)"},
		{"nothing that is something", payload("binary/null", say), ""},
		{"the user's nothing", `{"metadata":{"encoding":"YmluYXJ5L251bGw="},"data":"` + githubToken + `"}`, "/data"},
		{"the user's bytes", `{"metadata":{"encoding":"` + b64("binary/plain") + `"},"data":"` + githubToken + `"}`, "/data"},
		{"gzip and text", raw(gzipped("x") + say), ""},
		{"gzip of text and text", raw(gzipped(say) + " and more"), "/(gzip)"},
		{"gzip in members", raw(gzipped(say[:20]) + gzipped(say[20:]) + "more"), "/(gzip)"},
		{"zlib and text", raw(zlibbed("x") + say), ""},
		{"payload of the codec and text", payload("binary/zlib", compressedData(t, `1`)+say), ""},
		{"gzip in a form", raw(part(gzipped(say))), "/(gzip)"},
		{"behind gzip in a form", raw(part(gzipped("x")) + say), ""},
		{"gzip in protobuf", payload("binary/protobuf", "\x0a\x40"+gzipped(say)+"\x10\x01"), "/(gzip)"},
		{"gzip in a form in base64", payload("json/plain", `{"x":"got `+b64(part(gzipped(say)))+` then"}`), "/x/(base64)/(gzip)"},
		{"text behind binary in base64", payload("json/plain", `{"x":"got `+b64(strings.Repeat("\x00\xff\x01", 10)+say)+` then"}`), "/x/(base64)"},
		{"text behind text and binary in base64", payload("json/plain", `{"x":"got `+b64("some words first\x00\xff"+say)+` then"}`), "/x/(base64)"},
		{"gzip in hex", payload("json/plain", quote(hex.EncodeToString([]byte(gzipped(say))))), "/(hex)/(gzip)"},
		{"UTF-16 of Cyrillic", raw(wide(cyrillic + githubToken)), "/(utf-16)"},
		{"UTF-16 of Cyrillic, high byte first", raw(high(cyrillic + githubToken)), "/(utf-16)"},
		{"UTF-16 of Han", raw(wide(han + githubToken + han)), "/(utf-16)"},
		{"UTF-16 of Han, high byte first", raw(high(han + githubToken + han)), "/(utf-16)"},
		{"UTF-16 after ASCII", raw("token:" + wide(githubToken)), "/(utf-16)"},
		{"UTF-16 after ASCII, at an odd place", raw("token" + wide(githubToken)), "/(utf-16)"},
		{"UTF-16 after ASCII, high byte first", raw("token" + high(githubToken)), "/(utf-16)"},
		{"UTF-16 between ASCII", raw("token" + wide(githubToken) + "more"), "/(utf-16)"},
		{"UTF-16 between ASCII, high byte first", raw("token" + high(githubToken) + "more"), "/(utf-16)"},
		{"ASCII after UTF-16", raw(wide("the token is: ") + githubToken), "/(utf-16)"},
		{"ASCII after UTF-16, high byte first", raw(high("the token is: ") + "\n" + githubToken), "/(utf-16)"},
		{"UTF-16 of Cyrillic in base64", payload("json/plain", quote("powershell -enc "+b64(wide(cyrillic+cyrillic+githubToken)))), "/(base64)/(utf-16)"},
		{"UTF-16 with umlauts", raw(wide(`{"ä":"ö","token":"` + githubToken + `"}`)), "/(utf-16)/(text)/token"},
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

// TestBinaryDataThatIsNotRead is counted, once a format, and what stands around it is
// read.
func TestBinaryDataThatIsNotRead(t *testing.T) {
	t.Parallel()
	say := "say " + githubToken
	random := hex.EncodeToString([]byte(noise(200)))
	long := deflated(random, 9)
	for _, test := range []struct{ name, data, reason string }{
		{"cut zlib", long[:150], "compressed with zlib"},
		{"cut zlib of a level of its own", deflated(random, 4)[:150], "compressed with zlib"},
		{"changed zlib", long[:len(long)-1] + "!", "compressed with zlib"},
		{"cut gzip in a form", part(gzipped(random)[:150]), "compressed with gzip"},
		{"many gzip that are none", "x" + strings.Repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff", 2000), "compressed with gzip"},
		{"bzip2 in a form", part("BZh91AY&SY\x01\x02"), "compressed with bzip2"},
		{"zstd in a form", part("\x28\xb5\x2f\xfd\x00"), "compressed with zstd"},
		{"xz in protobuf", "\x0a\x08\xfd7zXZ\x00", "compressed with xz"},
		{"zip in a form", part("PK\x03\x04\x00PK\x03\x04\x00"), "compressed with zip"},
		{"zstd behind gzip", gzipped("x") + "\x28\xb5\x2f\xfd\x00", "compressed with zstd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, history("w", scheduled(payload("binary/plain", test.data+"\n"+say))))
			if diff := cmp.Diff([]scan.NotScanned{{Reason: test.reason, Count: 1}}, r.NotScanned); diff != "" {
				t.Errorf("not scanned (-want +got):\n%s", diff)
			}
			if len(r.Credentials) != 1 || r.Credentials[0].Count != 1 {
				t.Errorf("found %v behind it, want one", places(r))
			}
		})
	}
}

// noise is random data, the same each time.
func noise(n int) string {
	var seed [32]byte
	random := rand.NewChaCha8(seed)
	b := make([]byte, n)
	_, _ = random.Read(b) // never fails
	return string(b)
}

// TestNoFalseAlarms: neither texts nor random data are taken for compressed data.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	alarms := func(encoding, data string) bool {
		r := read(t, history("w", scheduled(payload(encoding, data))))
		return !r.Complete || len(r.Credentials) > 0
	}
	for _, first := range "(8HXhx" { // what a header of zlib may begin with
		for second := ' '; second < 0x7f; second++ {
			for _, rest := range []string{"ABER ES KÖNNTE so beginnen", "6 ä", "\x1b[31mé"} {
				if text := string([]rune{first, second}) + rest; alarms("binary/plain", text) {
					t.Errorf("%q gives an alarm", text)
				}
			}
		}
	}
	if data := noise(1 << 20); alarms("binary/plain", data) || alarms("binary/protobuf", "x"+data) {
		t.Error("random data gives an alarm")
	}
	encrypted := history("w", scheduled(payload("json/encrypted", smallWindow("")[:2]+noise(64))))
	if r := read(t, encrypted); r.Complete {
		t.Error("what is encrypted and begins as zlib does passes as scanned")
	}
}
