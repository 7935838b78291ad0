package redact_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// TestEncodedRuns cuts the shortest parts that are hidden out of every encoding of values of 24 bytes and more: those
// that 16 bytes of the value surely have.
func TestEncodedRuns(t *testing.T) {
	tests := []struct {
		name   string
		run    int // characters
		bits   int // of a character
		shifts int // after how many bytes the characters fall on the same bits again
		encode func([]byte) string
	}{
		{"base64", 20, 6, 3, base64.RawStdEncoding.EncodeToString},
		{"base64url", 20, 6, 3, base64.RawURLEncoding.EncodeToString},
		{"base32", 24, 5, 5, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString},
		{"hex", 32, 4, 1, hex.EncodeToString},
	}
	for _, tt := range tests {
		for size := 24; size < 60; size += 7 {
			value := randomText(size, uint64(size))
			set := newSet(t, "v", value)
			for shift := range tt.shifts {
				encoded := tt.encode([]byte(strings.Repeat("<", shift) + value + ">>>>>"))
				first, end := (8*shift+tt.bits-1)/tt.bits, 8*(shift+size)/tt.bits
				for at := first; at+tt.run <= end; at++ {
					in := "~~ " + encoded[at:at+tt.run] + " ~~"
					if got, _ := set.String(in); got != "~~ [redacted:v] ~~" {
						t.Fatalf("%s of %d bytes, shifted by %d: %q became %q", tt.name, size, shift, in, got)
					}
				}
			}
		}
	}
}
