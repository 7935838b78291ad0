package redact

import (
	"slices"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text derived from another one. Which bytes of the source each of its bytes was made of is
// noted only when the view is built with tracing, since that is needed only after a hit.
type view struct {
	buf   []byte
	trace bool
	segs  []segment
}

// segment says that the bytes of a view from at on come from the source from src on: byte by byte, or, if
// whole is set, all together from everything up to the next segment.
type segment struct {
	at, src int
	whole   bool
}

// reset prepares the view for a text of at most size bytes.
func (v *view) reset(size int, trace bool) {
	v.wipe()
	v.trace = trace
	v.buf = slices.Grow(v.buf, size)
}

// wipe empties the view and forgets its text.
func (v *view) wipe() {
	clear(v.buf)
	v.buf, v.segs = v.buf[:0], v.segs[:0]
}

// copyFrom appends src[from:to] as it is.
func copyFrom[T text](v *view, src T, from, to int) {
	if v.trace {
		v.segs = append(v.segs, segment{at: len(v.buf), src: from})
	}
	v.buf = append(v.buf, src[from:to]...)
}

// origins turns spans of the view into spans of its source.
func (v *view) origins(spans []span) {
	for i, s := range spans {
		spans[i].start, spans[i].end = v.source(s.start, s.end)
	}
}

// source maps a non-empty range of the view to the range of the source that it was made of.
func (v *view) source(start, end int) (from, to int) {
	s := v.segs[v.segment(start)]
	from = s.src
	if !s.whole {
		from += start - s.at
	}
	i := v.segment(end - 1)
	if s = v.segs[i]; s.whole {
		return from, v.segs[i+1].src // the last segment is never whole
	}
	return from, s.src + end - s.at
}

// segment is the index of the segment that the byte at pos belongs to.
func (v *view) segment(pos int) int {
	return sort.Search(len(v.segs), func(i int) bool { return v.segs[i].at > pos }) - 1
}

// unescape fills the view with src, its backslash escapes decoded from left to right. It reports whether
// there was any. No escape is shorter than what it stands for.
func unescape[T text](v *view, src T, trace bool) bool {
	at := indexByte(src, '\\')
	if at < 0 {
		return false
	}
	v.reset(len(src), trace)
	decoded := false
	copied := 0
	for at < len(src) {
		if src[at] != '\\' {
			if at-copied < longRun {
				at++
				continue
			}
			i := indexByte(src[at:], '\\')
			if i < 0 {
				break
			}
			at += i
		}
		char, used := decodeEscape(src[at:])
		if used == 0 {
			at++
			continue
		}
		copyFrom(v, src, copied, at)
		if trace {
			v.segs = append(v.segs, segment{at: len(v.buf), src: at, whole: true})
		}
		v.buf = append(v.buf, char.bytes[:char.n]...)
		at += used
		copied = at
		decoded = true
	}
	copyFrom(v, src, copied, len(src))
	return decoded
}

// longRun is how much text without a backslash makes it worth to search for the next one in bulk.
const longRun = 16

// char is one decoded character: up to four bytes of UTF-8, or any single byte.
type char struct {
	bytes [utf8.UTFMax]byte
	n     int
}

// decodeEscape decodes the escape at the start of src, which begins with a backslash, and says how many
// bytes it takes. These are 0 if no known escape stands there.
func decodeEscape[T text](src T) (c char, used int) {
	if len(src) < 2 {
		return c, 0
	}
	switch src[1] {
	case '\\', '"', '\'', '/', '`':
		return single(src[1]), 2
	case 'n':
		return single('\n'), 2
	case 'r':
		return single('\r'), 2
	case 't':
		return single('\t'), 2
	case 'b':
		return single('\b'), 2
	case 'f':
		return single('\f'), 2
	case 'v':
		return single('\v'), 2
	case 'a':
		return single('\a'), 2
	case 'x':
		if n, ok := hex(src[2:], 2); ok {
			return single(byte(n)), 4 //nolint:gosec // n has two digits
		}
	case 'u':
		return decodeUnicode(src)
	case 'U':
		if n, ok := hex(src[2:], 8); ok && n <= utf8.MaxRune {
			return encode(n), 10
		}
	}
	return c, 0
}

// decodeUnicode decodes \uXXXX, a pair of surrogates, and \u{X...}.
func decodeUnicode[T text](src T) (c char, used int) {
	const width = len(`\uXXXX`)
	if len(src) > 2 && src[2] == '{' {
		end := indexByte(src[:min(len(src), len(`\u{10ffff}`))], '}')
		if end < 0 {
			return c, 0
		}
		n, ok := hex(src[3:], end-3)
		if !ok || n > utf8.MaxRune {
			return c, 0
		}
		return encode(n), end + 1
	}
	n, ok := hex(src[2:], 4)
	if !ok {
		return c, 0
	}
	if utf16.IsSurrogate(n) && len(src) >= 2*width && src[width] == '\\' && src[width+1] == 'u' {
		if low, ok := hex(src[width+2:], 4); ok {
			if r := utf16.DecodeRune(n, low); r != utf8.RuneError {
				return encode(r), 2 * width
			}
		}
	}
	return encode(n), width
}

func single(b byte) char {
	return char{bytes: [utf8.UTFMax]byte{b}, n: 1}
}

func encode(r rune) (c char) {
	c.n = utf8.EncodeRune(c.bytes[:], r)
	return c
}

// hex reads exactly n hexadecimal digits.
func hex[T text](src T, n int) (rune, bool) {
	if n < 1 || len(src) < n {
		return 0, false
	}
	var v uint32
	for i := range n {
		c := src[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | uint32(c)
	}
	if v > utf8.MaxRune {
		return utf8.MaxRune + 1, true
	}
	return rune(v), true
}

// minWrap is the shortest line that counts as part of wrapped base64. Encoders wrap at 64 or 76; below
// this the ends of ordinary lines of text would count.
const minWrap = 16

// unwrap fills the view with the parts of src where base64 goes on in the next line, the line ends and the
// indentation between them left out. It reports whether there was any.
func unwrap[T text](v *view, src T, trace bool) bool {
	v.reset(0, trace)
	joined := -1 // the position in src after the line end that was joined last
	for at := 0; ; at++ {
		i := indexByte(src[at:], '\n')
		if i < 0 {
			break
		}
		at += i
		start, end, next := fold(src, at)
		if next < 0 {
			continue
		}
		if joined >= 0 && start > joined { // not the line that the last one was joined to
			finish(v, src, joined)
		}
		copyFrom(v, src, start, end)
		joined = next
		at = next - 1
	}
	if joined < 0 {
		return false
	}
	finish(v, src, joined)
	return true
}

// finish appends the last line of a block and something that keeps it apart from the next block.
func finish[T text](v *view, src T, from int) {
	to := from
	for to < len(src) && isBase64(src[to]) {
		to++
	}
	if to < len(src) { // the separator is the byte that really ends the block
		to++
	}
	copyFrom(v, src, from, to)
}

// fold looks at the line end at src[at]. If base64 stands on both sides of it, start and end bound what
// stands before it and next is where it goes on; else next is -1.
func fold[T text](src T, at int) (start, end, next int) {
	end = at
	if end > 0 && src[end-1] == '\r' {
		end--
	}
	start = end
	for start > 0 && isBase64(src[start-1]) {
		start--
	}
	next = at + 1
	for next < len(src) && (src[next] == ' ' || src[next] == '\t') {
		next++
	}
	if end-start < minWrap || next >= len(src) || !isBase64(src[next]) {
		return 0, 0, -1
	}
	return start, end, next
}
