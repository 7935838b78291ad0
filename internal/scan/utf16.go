package scan

import (
	"strings"
	"unicode/utf8"
)

// minWide is how many characters in a row tell that a text is UTF-16.
const minWide = 4

// noBinary reports whether s has no byte that a text of ASCII does not have either.
// All compressed data and UTF-16 with Latin letters have one.
// It takes eight of them at once: each text is asked.
func noBinary(s string) bool {
	const ones, tops, least = 0x0101010101010101, 0x8080808080808080, '\t'
	for ; len(s) >= 8; s = s[8:] {
		eight := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// Without a byte below the least one, the subtraction leaves the top bits alone.
		if (eight|(eight-least*ones))&tops != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] < '\t' || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// A stretch is s[start:end], in which every other byte is zero, as in UTF-16 of
// Latin letters.
type stretch struct{ start, end int }

// nextWide finds the next stretch of UTF-16 in s[from:]; end is 0 when there is none.
// Which byte of a character comes first, and whether the first one stands at an even
// place, is not asked: other data may stand before it and behind it.
func nextWide(s string, from int) (found stretch) {
	for at := from; ; {
		zero := strings.IndexByte(s[at:], 0)
		if zero < 0 {
			return stretch{}
		}
		start := at + zero
		if start > from && s[start-1] != 0 {
			start--
		}
		end := start + 1
		for end < len(s) && (s[end] == 0) != (s[end-1] == 0) {
			end++
		}
		if end-start >= 2*minWide {
			return stretch{start, end}
		}
		at = end
	}
}

// narrow makes the UTF-16 in s plain text, set off from what stands around it, which
// is kept as it is. When such a stretch has a character without a zero at either end,
// one of them is not part of it: the first one when highFirst is true. unsure is true
// when there is such a stretch, ok when there is any.
func narrow(s string, highFirst bool) (text string, unsure, ok bool) {
	run := nextWide(s, 0)
	if run.end == 0 {
		return "", false, false
	}
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for ; run.end > 0; run = nextWide(s, done) {
		b.WriteString(s[done:run.start])
		done = run.end
		if s[run.start] != 0 && s[run.end-1] != 0 {
			unsure = true
			if highFirst {
				b.WriteByte(s[run.start])
				run.start++
			} else {
				run.end--
				done--
			}
		}
		b.WriteByte(' ')
		for i := run.start; i < run.end; i++ {
			if s[i] != 0 {
				b.WriteRune(rune(s[i]))
			}
		}
		b.WriteByte(' ')
	}
	b.WriteString(s[done:])
	return b.String(), unsure, true
}

// isWide reports whether there is UTF-16 in s.
func isWide(s string) bool { return nextWide(s, 0).end > 0 }

// loose looks at a part of binary data that is not compressed: at its UTF-16 as the
// text it is, and at the rest as it is.
func (w *walker) loose(key, s string) {
	if len(s) < minText {
		return
	}
	before := w.run.found
	for _, highFirst := range [...]bool{false, true} {
		text, unsure, ok := narrow(withoutMark(s), highFirst)
		if !ok {
			w.plain(key, s)
			return
		}
		w.deeperText("(utf-16)", func() { w.text(key, text) })
		if !unsure || w.run.found > before {
			return
		}
	}
}

// withoutMark drops the byte order mark of UTF-16.
func withoutMark(s string) string {
	if strings.HasPrefix(s, "\xff\xfe") || strings.HasPrefix(s, "\xfe\xff") {
		return s[2:]
	}
	return s
}
