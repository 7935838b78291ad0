package sandboxhost

import (
	"fmt"
	"strings"
	"testing"
)

// TestOutput cuts what is too long in the middle, however it comes.
func TestOutput(t *testing.T) {
	const max = 20
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"short", "abc", "abc"},
		{"full", strings.Repeat("a", 10) + "0123456789", strings.Repeat("a", 10) + "0123456789"},
		{"one more", strings.Repeat("a", 10) + "x0123456789", strings.Repeat("a", 10) + "\n[... 1 bytes left out ...]\n0123456789"},
		{"long", strings.Repeat("a", 10) + strings.Repeat("x", 1000) + "0123456789", strings.Repeat("a", 10) + "\n[... 1000 bytes left out ...]\n0123456789"},
	} {
		for _, piece := range []int{1, 3, 10, 7, 1 << 20} {
			o := newOutput(nil, max)
			for rest := c.in; rest != ""; {
				n := min(piece, len(rest))
				if got, err := fmt.Fprint(o, rest[:n]); got != n || err != nil {
					t.Fatalf("Write: %d, %v", got, err)
				}
				rest = rest[n:]
			}
			got, err := o.bytes()
			if err != nil || got == nil || string(got) != c.want {
				t.Errorf("%s in pieces of %d: %q, %v, want %q", c.name, piece, got, err, c.want)
			}
		}
	}
}
