package validation

import (
	"strconv"
	"strings"
)

// maxSegment is the longest key that a path shows.
const maxSegment = 64

// SafeSegment returns seg when a path may show it: 1 to 64 characters of
// A-Z a-z 0-9 _ . - that do not have the form of a credential. Otherwise it
// returns the index, which is the place of the segment among its siblings, from
// 0 and in the order of their names. Segments that a schema knows need no such
// care.
func SafeSegment(seg string, index int) string {
	if isSafeText(seg) && !holdsCredential(seg) {
		return seg
	}
	return strconv.Itoa(index)
}

// isSafeText is the part of the rule that looks at characters only.
func isSafeText(s string) bool {
	return s != "" && len(s) <= maxSegment && !strings.ContainsFunc(s, isUnsafe)
}

const safeCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

func isUnsafe(r rune) bool { return !strings.ContainsRune(safeCharacters, r) }
