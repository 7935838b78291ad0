package redact

import (
	"bytes"
	"strings"
)

// text is what is searched. Most texts are searched once and hold nothing, so neither kind is ever
// converted to the other for that.
type text interface{ string | []byte }

// load64 reads eight bytes as a little-endian number, which compiles to one instruction.
func load64[T text](t T, at int) uint64 {
	_ = t[at+7]
	return uint64(t[at]) | uint64(t[at+1])<<8 | uint64(t[at+2])<<16 | uint64(t[at+3])<<24 |
		uint64(t[at+4])<<32 | uint64(t[at+5])<<40 | uint64(t[at+6])<<48 | uint64(t[at+7])<<56
}

// indexByte is bytes.IndexByte and strings.IndexByte.
func indexByte[T text](t T, c byte) int {
	switch t := any(t).(type) {
	case string:
		return strings.IndexByte(t, c)
	case []byte:
		return bytes.IndexByte(t, c)
	}
	return -1
}

// hasAt reports whether s stands at t[at:].
func hasAt[T text](t T, at int, s string) bool {
	if len(t)-at < len(s) {
		return false
	}
	for i := range len(s) {
		if t[at+i] != s[i] {
			return false
		}
	}
	return true
}
