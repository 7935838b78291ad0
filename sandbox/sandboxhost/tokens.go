package sandboxhost

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenSize is how many bytes count as a token.
const tokenSize = 4

// tokens is how many tokens so many bytes count as.
func tokens(size int) int { return (size + tokenSize - 1) / tokenSize }

// truncated returns a text of at most so many tokens, and if it had to be cut how many it had. Nil stands for any
// number. What is left are the two ends, and in between how much is not, after the number of lines if that fits.
func truncated(text string, most *int) (string, *int) {
	size := len(text)
	if most == nil || max(*most, 0) >= tokens(size) { // also where the product would be too large
		return text, nil
	}
	count := tokens(size)
	budget := max(*most, 0) * tokenSize
	prefix := fmt.Sprintf("Total output lines: %d\n\n", countLines(text))
	room := budget - len(gap(size))
	if room < 0 {
		return gap(size)[:boundaryBefore(gap(size), budget)], &count
	}
	if len(prefix) > room {
		prefix = ""
	}
	room -= len(prefix)
	head := text[:boundaryBefore(text, room/2)]
	tail := text[boundaryAfter(text, size-(room-room/2)):]
	return prefix + head + gap(size-len(head)-len(tail)) + tail, &count
}

// gap stands for so many bytes that are left out.
func gap(size int) string { return fmt.Sprintf("…%d tokens truncated…", tokens(size)) }

// boundaryBefore is where the character that begins at or before the position begins.
func boundaryBefore(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// boundaryAfter is where the first character begins that begins at or after the position.
func boundaryAfter(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// countLines counts as splitlines of Python does.
func countLines(text string) int {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	n, open := 0, false
	for _, r := range text {
		switch r {
		case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			n, open = n+1, false
		default:
			open = true
		}
	}
	if open {
		n++
	}
	return n
}
