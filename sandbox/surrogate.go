package sandbox

import (
	"strconv"
	"unicode/utf16"
)

// hasLoneSurrogate reports whether JSON text has an escaped half of a UTF-16
// pair. encoding/json replaces it in silence, so that the text that is read is
// not the text that was written.
func hasLoneSurrogate(data []byte) bool {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(data, i)
		switch {
		case !ok:
			i++
		case !utf16.IsSurrogate(unit):
			i += 5
		default:
			low, ok := escapedUnit(data, i+6)
			if !ok || utf16.DecodeRune(unit, low) == '\uFFFD' {
				return true
			}
			i += 11
		}
	}
	return false
}

// escapedUnit returns the UTF-16 unit of the escape \uXXXX at a position.
func escapedUnit(data []byte, i int) (rune, bool) {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(data[i+2:i+6]), 16, 16)
	return rune(unit), err == nil
}
