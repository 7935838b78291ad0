package sandboxhost

import (
	"slices"
	"strings"
	"testing"
)

// TestDecoded replaces what is no character as Python does, in one piece and in pieces of any size.
func TestDecoded(t *testing.T) {
	for data, want := range map[string]string{
		"abc": "abc", "\xe2\x82": "\ufffd", "\xe2\x82x": "\ufffdx", "\xf0\x9f\x98": "\ufffd", "\xf0\x9f\x98\x80": "😀",
		"\xff\xfe": "\ufffd\ufffd", "\xc0\x80": "\ufffd\ufffd", "\xed\xa0\x80": "\ufffd\ufffd\ufffd",
		"\xe0\x9f\xbf": "\ufffd\ufffd\ufffd", "\xf4\x90\x80\x80": "\ufffd\ufffd\ufffd\ufffd", "\xf4\x8f\xbf": "\ufffd",
		"\xc3": "\ufffd", "\xc3(": "\ufffd(", "a\x80b": "a\ufffdb", "\xe1\x80\xe1\x80\x80": "\ufffd\u1000",
		"\xf5\x80": "\ufffd\ufffd", "\xf0\x80\x80": "\ufffd\ufffd\ufffd", "\xf1\x80\xff": "\ufffd\ufffd",
	} {
		if got := decoded([]byte(data)); got != want {
			t.Errorf("%q is %q, want %q", data, got, want)
		}
		for size := 1; size < len(data); size++ {
			var got strings.Builder
			d := decoder{to: &got}
			for piece := range slices.Chunk([]byte(data), size) {
				if n, err := d.Write(piece); n != len(piece) || err != nil {
					t.Errorf("write = %d, %v", n, err)
				}
			}
			if err := d.Close(); err != nil || got.String() != want {
				t.Errorf("%q in pieces of %d is %q, want %q (%v)", data, size, got.String(), want, err)
			}
		}
	}
}
