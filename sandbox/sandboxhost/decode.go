package sandboxhost

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A decoder writes what it gets as UTF-8. What begins a character waits for the rest of it, or for Close.
type decoder struct {
	to   io.Writer
	rest []byte
}

func (d *decoder) Write(p []byte) (int, error) {
	data := append(d.rest, p...)
	whole := len(data) - unfinished(data)
	_, err := io.WriteString(d.to, decoded(data[:whole]))
	d.rest = append([]byte(nil), data[whole:]...)
	return len(p), err
}

func (d *decoder) Close() error {
	_, err := io.WriteString(d.to, decoded(d.rest))
	d.rest = nil
	return err
}

// unfinished is how much of data is the beginning of a character at its end.
func unfinished(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// decoded reads data as UTF-8. As Python does, it puts one replacement character in the place of what could have been
// the beginning of a character.
func decoded(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var out strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			n = broken(data)
		}
		out.WriteRune(r)
		data = data[n:]
	}
	return out.String()
}

// broken is the length of the longest part that begins a character and does not complete it, at least 1.
func broken(data []byte) int {
	for n := min(len(data), utf8.UTFMax-1); n > 1; n-- {
		// With what is missing it would be a character: of bytes that can only go on, one of the two extremes fits.
		for _, next := range []byte{0x80, 0xbf} {
			whole := append(append([]byte(nil), data[:n]...), next, next, next)
			if _, size := utf8.DecodeRune(whole); size > n {
				return n
			}
		}
	}
	return 1
}
