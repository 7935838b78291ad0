package sandbox_test

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1B": 1, "1000B": 1000, "9223372036854775807B": math.MaxInt64, "1KiB": 1 << 10, "8MiB": 8 << 20, "2GiB": 2 << 30,
		"5TiB": 5 << 40, "1536MiB": 1536 << 20, "8388607TiB": 8388607 << 40,
	} {
		if got, err := sandbox.ParseSize(text); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for text, reason := range map[string]string{
		"": "nothing", "B": "no number", "GiB": "no number", "7": "no unit", "0B": "nothing at all", "0GiB": "nothing at all",
		"01GiB": "another base to some", "-1GiB": "negative", "+1GiB": "a sign", "1.5GiB": "a fraction", "1e3B": "an exponent", "1_000B": "an underscore",
		"0x10B": "another base", "1KB": "units of 1000 to some", "1K": "half a unit", "1Ki": "half a unit", "1iB": "half a unit",
		"1gib": "another unit", "1PiB": "too large a unit", "1 GiB": "a blank", "1GiB ": "a blank", "1GiB\n": "a line break", "1GiBB": "two units",
		"8388608TiB": "2^63 bytes", "9223372036854775808B": "2^63 bytes", "18446744073709551617B": "2^64+1 bytes", "17592186044417MiB": "wraps around to few",
		"١GiB": "other digits",
	} {
		got, err := sandbox.ParseSize(text)
		if err == nil || got != 0 {
			t.Errorf("%q is %d, %v: %s", text, got, err, reason)
		} else if len(text) > 3 && strings.Contains(err.Error(), text) {
			t.Errorf("the error quotes the text: %v", err)
		}
	}
}

func TestFormatSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0B", 1: "1B", 1023: "1023B", 1024: "1KiB", 1025: "1025B", 2 << 30: "2GiB", 3 << 29: "1536MiB", 1 << 50: "1024TiB", -1 << 20: "-1MiB",
		math.MaxInt64: "9223372036854775807B",
	} {
		if got := sandbox.FormatSize(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

var sizeForm = regexp.MustCompile(`^([1-9][0-9]*)(B|KiB|MiB|GiB|TiB)$`)

// FuzzParseSize holds the parser against arithmetic without overflow, and what it accepts against FormatSize.
func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{
		"1B", "2GiB", "512MiB", "8388607TiB", "8388608TiB", "9223372036854775807B", "18446744073709551617B", "17592186044417MiB",
		"", "B", "0B", "01KiB", "1.5GiB", "-1MiB", "+1MiB", "1KB", "1 GiB", "1e3B", "1_0B", "\xffB", "1GiB\n", "１B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := new(big.Int)
		if m := sizeForm.FindStringSubmatch(s); m != nil {
			want.SetString(m[1], 10)
			want.Lsh(want, map[string]uint{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[m[2]])
		}
		valid := want.Sign() > 0 && want.IsInt64()
		got, err := sandbox.ParseSize(s)
		if (err == nil) != valid || valid && got != want.Int64() {
			t.Fatalf("%q is %d, %v, want %v", s, got, err, want)
		}
		if !valid {
			return
		}
		if again, err := sandbox.ParseSize(sandbox.FormatSize(got)); err != nil || again != got {
			t.Errorf("%d is written %s and read as %d, %v", got, sandbox.FormatSize(got), again, err)
		}
	})
}
