package redact

import (
	"html"
	"unicode/utf16"
	"unicode/utf8"
)

// A token is a stretch of text that stands for other bytes: an escape of a string literal, a URL, HTML or a
// shell, or a terminal's control sequence, which stands for nothing.

// starters are the bytes that a token may begin with.
const starters = "\\%&'\x1b"

const (
	maxControl = 64 // bytes of a control sequence
	maxEntity  = 32 // bytes of an entity
)

// needMore says, in place of a size, that the token may go on behind the text.
const needMore = -1

// char is what a token stands for: nothing, up to four bytes of UTF-8, any single byte, or what a longer
// entity names.
type char struct {
	bytes [2 * utf8.UTFMax]byte
	n     int
}

func single(b byte) char { return char{bytes: [2 * utf8.UTFMax]byte{b}, n: 1} }

func encode(r rune) (c char) {
	c.n = utf8.EncodeRune(c.bytes[:], r)
	return c
}

// decodeToken decodes the token at the start of src, and says how many bytes it takes; 0 if none is there.
// With more, src is not all of the text, and the size may be needMore.
func decodeToken[T text](src T, more bool) (c char, used int) {
	switch src[0] {
	case '\\':
		c, used = decodeBackslash(src)
	case '%':
		if n, size := digits(src, 1, 2, 16); size > 0 {
			c, used = single(byte(n)), 1+size //nolint:gosec // n has two digits
		} else {
			used = size
		}
	case '&':
		c, used = decodeEntity(src)
	case '\'':
		c, used = decodeQuote(src)
	case '\x1b':
		used = controlSize(src)
	}
	if used == needMore && !more {
		return decodeLast(src)
	}
	return c, used
}

// decodeLast is for what is no token because the text ends, or is a shorter one.
func decodeLast[T text](src T) (c char, used int) {
	if len(src) >= 2 && src[0] == '\\' {
		switch {
		case src[1] == 'u' && len(src) >= len(`\uXXXX`): // half a surrogate pair
			return encode(utf8.RuneError), len(`\uXXXX`)
		case '0' <= src[1] && src[1] <= '7': // the text ends within the digits
			return decodeOctal(string(src) + " ")
		case isPunct(src[1]):
			return single(src[1]), 2
		}
	}
	return c, 0
}

// decodeBackslash decodes the escapes of JSON, Go, C, JavaScript and Python literals and of shells.
func decodeBackslash[T text](src T) (c char, used int) {
	if len(src) < 2 {
		return c, needMore
	}
	switch src[1] {
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
	case 'e', 'E':
		return single('\x1b'), 2
	case 'x':
		n, size := digits(src, 2, 2, 16)
		return sized(single(byte(n)), 2, size) //nolint:gosec // n has two digits
	case 'u':
		return decodeUnicode(src)
	case 'U':
		n, size := digits(src, 2, 8, 16)
		if n > utf8.MaxRune {
			return c, 0
		}
		return sized(encode(n), 2, size)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return decodeOctal(src)
	case '&', '[', '\'':
		return decodeBefore(src)
	}
	if src[1] == ' ' || src[1] == '\t' || src[1] == '\n' { // as shells write it; white space itself does not count
		return c, 1
	}
	if isPunct(src[1]) {
		return single(src[1]), 2
	}
	return c, 0
}

// decodeOctal decodes up to three octal digits, as many as make one byte.
func decodeOctal[T text](src T) (c char, used int) {
	n, at := 0, 1
	for ; at < len(`\377`); at++ {
		if at == len(src) {
			return c, needMore
		}
		d, ok := digit(src[at], 8)
		if !ok || 8*n+d > 0xff {
			break
		}
		n = 8*n + d
	}
	return single(byte(n)), at
}

// decodeBefore is for a backslash before what may begin an entity, a shell's quote or a marker, which goes
// first: encoders write backslashes before quotes, and others then write the quotes in their own way.
func decodeBefore[T text](src T) (c char, used int) {
	size := 0
	switch rest := src[1:]; rest[0] {
	case '&':
		_, size = decodeEntity(rest)
	case '\'':
		_, size = decodeQuote(rest)
	default:
		size = prefixed(rest, markerOpen)
	}
	switch {
	case size == needMore:
		return c, needMore
	case size > 0:
		return c, 0
	}
	return single(src[1]), 2
}

// decodeUnicode decodes \uXXXX, a pair of surrogates, and \u{X...}.
func decodeUnicode[T text](src T) (c char, used int) {
	const width = len(`\uXXXX`)
	if len(src) > 2 && src[2] == '{' {
		for i := 3; i < min(len(src), len(`\u{10ffff}`)); i++ {
			if src[i] == '}' {
				n, size := digits(src, 3, i-3, 16)
				if size <= 0 || n > utf8.MaxRune {
					return c, 0
				}
				return encode(n), i + 1
			}
			if _, ok := digit(src[i], 16); !ok {
				return c, 0
			}
		}
		if len(src) < len(`\u{10ffff}`) {
			return c, needMore
		}
		return c, 0
	}
	n, size := digits(src, 2, 4, 16)
	if size <= 0 {
		return c, size
	}
	if n < 0xd800 || n > 0xdbff {
		return encode(n), width
	}
	switch marks := prefixed(src[width:], `\u`); {
	case marks == needMore:
		return c, needMore
	case marks > 0:
		low, size := digits(src, width+2, 4, 16)
		if size == needMore {
			return c, needMore
		}
		if r := utf16.DecodeRune(n, low); size > 0 && r != utf8.RuneError {
			return encode(r), 2 * width
		}
	}
	return encode(n), width
}

// decodeEntity decodes the entities of HTML and XML, with their semicolon.
func decodeEntity[T text](src T) (c char, used int) {
	for i := 1; i < min(len(src), maxEntity); i++ {
		b := src[i]
		if b == ';' {
			for _, e := range commonEntities {
				if prefixed(src, e.text) > 0 {
					return single(e.char), i + 1
				}
			}
			if i < len("&gt") || !mayName(src[1:i]) {
				return c, 0 // not worth a copy
			}
			return namedEntity(string(src[:i+1]))
		}
		if b != '#' && (b >= 0x80 || b == '_' || !isWord(b)) || b == '#' && i > 1 {
			return c, 0
		}
	}
	if len(src) < maxEntity {
		return c, needMore
	}
	return c, 0
}

// commonEntities are those that every encoder writes.
var commonEntities = [...]struct {
	text string
	char byte
}{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'}, {"&#39;", '\''}}

// shortNames are the names of entities that have two letters. None has one.
const shortNames = "ac af ap dd ee eg el ge gg gl gt gE ic ii in it le lg ll lt lE mp mu ne ni nu or oS pi pm pr rx sc " +
	"wp wr xi DD Gg Gt GT Im Ll Lt LT Mu Nu Or Pi Pr Re Sc Xi "

// mayName is for the sake of random bytes, where something like a short name is common: to look a name up
// costs an allocation.
func mayName[T text](name T) bool {
	if len(name) != len("lt") {
		return len(name) > len("lt")
	}
	for i := 0; i < len(shortNames); i += len("lt ") {
		if shortNames[i] == name[0] && shortNames[i+1] == name[1] {
			return true
		}
	}
	return name[0] == '#'
}

func namedEntity(entity string) (c char, used int) {
	decoded := html.UnescapeString(entity)
	partly := len(decoded) > 1 && decoded[len(decoded)-1] == ';' // a legacy name without a semicolon, and more
	if decoded == entity || partly || len(decoded) > len(c.bytes) || len(decoded) > len(entity) {
		return c, 0
	}
	c.n = copy(c.bytes[:], decoded)
	return c, len(entity)
}

// decodeQuote decodes how shells write a character that may not stand within quotes: end the quotes, write it, begin
// again.
func decodeQuote[T text](src T) (c char, used int) {
	if size := prefixed(src, `'"'"'`); size != 0 {
		return sized(single('\''), 0, size)
	}
	const width = len(`'\''`)
	switch {
	case len(src) < 2:
		return c, needMore
	case src[1] != '\\':
		return c, 0
	case len(src) == 2 || len(src) == 3 && isPunct(src[2]):
		return c, needMore
	case len(src) < width || !isPunct(src[2]) || src[3] != '\'':
		return c, 0
	}
	return single(src[2]), width
}

// controlSize is the size of the control sequence at the start of src: colours and the like, and the
// choice of a character set.
func controlSize[T text](src T) int {
	if len(src) < 2 {
		return needMore
	}
	switch src[1] {
	case '(', ')':
		if len(src) < 3 {
			return needMore
		}
		if '0' <= src[2] && src[2] <= '9' || 'A' <= src[2] && src[2] <= 'Z' {
			return 3
		}
		return 0
	case '[':
	default:
		return 0
	}
	if size := prefixed(src[1:], markerOpen); size != 0 {
		return min(size, 0)
	}
	for i := 2; i < min(len(src), maxControl); i++ {
		switch c := src[i]; {
		case '0' <= c && c <= '?' || ' ' <= c && c <= '/':
		case '@' <= c && c <= '~' && c != '[':
			return i + 1
		default:
			return 0
		}
	}
	if len(src) < maxControl {
		return needMore
	}
	return 0
}

// sized is the result for a token whose part behind lead bytes has the given size, if that is one.
func sized(c char, lead, size int) (char, int) {
	if size <= 0 {
		return char{}, size
	}
	return c, lead + size
}

// prefixed is the length of prefix if src begins with it, needMore if src ends before that is clear, else 0.
func prefixed[T text](src T, prefix string) int {
	for i := range len(prefix) {
		if i == len(src) {
			return needMore
		}
		if src[i] != prefix[i] {
			return 0
		}
	}
	return len(prefix)
}

// digits reads exactly n digits of src[at:]. The size is n, 0 if others stand there, or needMore.
func digits[T text](src T, at, n, base int) (value rune, size int) {
	if n < 1 {
		return 0, 0
	}
	var v uint32
	for i := at; i < at+n; i++ {
		if i >= len(src) {
			return 0, needMore
		}
		d, ok := digit(src[i], base)
		if !ok {
			return 0, 0
		}
		v = v*uint32(base) + uint32(d) //nolint:gosec // base is 8 or 16
	}
	if v > utf8.MaxRune {
		return utf8.MaxRune + 1, n
	}
	return rune(v), n
}

func digit(c byte, base int) (int, bool) {
	d := 16
	switch {
	case '0' <= c && c <= '9':
		d = int(c - '0')
	case 'a' <= c && c <= 'f':
		d = int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		d = int(c-'A') + 10
	}
	return d, d < base
}

// isPunct reports whether c is an ASCII character that is neither a letter, a digit nor a gap.
func isPunct(c byte) bool { return '!' <= c && c <= '~' && (c == '_' || !isWord(c)) }

// tokens steps through the tokens of a text. It knows where each starter occurs next, so that text without
// them costs one fast search for each.
type tokens[T text] struct {
	t    T
	next [len(starters)]int
}

func newTokens[T text](t T) tokens[T] {
	s := tokens[T]{t: t}
	for k := range s.next {
		s.next[k] = -1
	}
	return s
}

// from returns the position of the first token at or after at, and its size; the end if there is none.
func (s *tokens[T]) from(at int) (pos, size int) {
	for {
		pos = len(s.t)
		for k := range s.next {
			if s.next[k] < at {
				s.next[k] = len(s.t)
				if i := indexByte(s.t[at:], starters[k]); i >= 0 {
					s.next[k] = at + i
				}
			}
			pos = min(pos, s.next[k])
		}
		if pos == len(s.t) {
			return pos, 0
		}
		if _, size = decodeToken(s.t[pos:], false); size > 0 {
			return pos, size
		}
		at = pos + 1
	}
}
