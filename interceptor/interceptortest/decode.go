package interceptortest

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaped decodes the escapes of JSON and Go string literals.
func unescaped(data []byte, _ int, next func([]byte)) {
	if bytes.IndexByte(data, '\\') < 0 {
		return
	}
	out := make([]byte, 0, len(data))
	for at := 0; at < len(data); {
		text, used := unescape(data[at:])
		if used == 0 {
			text, used = data[at:at+1], 1
		}
		out, at = append(out, text...), at+used
	}
	if !bytes.Equal(out, data) {
		next(out)
	}
}

// named are the escapes that have a name of their own.
var named = map[byte]byte{
	'"': '"', '\'': '\'', '\\': '\\', '/': '/', '`': '`',
	'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a',
}

// unescape decodes the escape that data begins with, if one does.
func unescape(data []byte) (text []byte, used int) {
	if len(data) < 2 || data[0] != '\\' {
		return nil, 0
	}
	if b, ok := named[data[1]]; ok {
		return []byte{b}, 2
	}
	switch data[1] {
	case 'x':
		if n, ok := digits(data[2:], 2); ok {
			return []byte{byte(n)}, 4 //nolint:gosec // two digits
		}
	case 'u':
		first, ok := digits(data[2:], 4)
		if !ok {
			return nil, 0
		}
		if utf16.IsSurrogate(first) && len(data) >= 12 && data[6] == '\\' && data[7] == 'u' {
			if second, ok := digits(data[8:], 4); ok {
				return utf8.AppendRune(nil, utf16.DecodeRune(first, second)), 12
			}
		}
		return utf8.AppendRune(nil, first), 6
	}
	return nil, 0
}

// digits reads exactly n hexadecimal digits.
func digits(data []byte, n int) (rune, bool) {
	if len(data) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(string(data[:n]), 16, 32)
	return rune(v), err == nil //nolint:gosec // at most four digits
}

// percentDecoded decodes the escapes of URLs, with and without the plus sign that
// stands for a space in a query.
func percentDecoded(data []byte, _ int, next func([]byte)) {
	if bytes.IndexByte(data, '%') < 0 {
		return
	}
	out := make([]byte, 0, len(data))
	for at := 0; at < len(data); at++ {
		if data[at] == '%' {
			if n, ok := digits(data[at+1:], 2); ok {
				out, at = append(out, byte(n)), at+2 //nolint:gosec // two digits
				continue
			}
		}
		out = append(out, data[at])
	}
	if bytes.Equal(out, data) {
		return
	}
	next(out)
	if bytes.IndexByte(data, '+') >= 0 {
		percentDecoded(bytes.ReplaceAll(data, []byte("+"), []byte("%20")), 0, next)
	}
}

// hexDecoded decodes each run of hexadecimal digits, from its first digit and
// from its second.
func hexDecoded(data []byte, least int, next func([]byte)) {
	runs(data, isHex, 2*least, func(run []byte) {
		for shift := range 2 {
			text := run[shift:]
			out := make([]byte, 0, len(text)/2)
			for i := 0; i+1 < len(text); i += 2 {
				out = append(out, nibble(text[i])<<4|nibble(text[i+1]))
			}
			if len(out) >= least {
				next(out)
			}
		}
	})
}

// base64Decoded decodes each run of base64 in either alphabet, from each of its
// first four characters: the text before it may be of the same letters.
func base64Decoded(data []byte, least int, next func([]byte)) {
	runs(data, isBase64, (least*8+5)/6, func(run []byte) {
		text := make([]byte, 0, len(run))
		for _, b := range run {
			switch b {
			case '\r', '\n':
			case '-':
				text = append(text, '+')
			case '_':
				text = append(text, '/')
			default:
				text = append(text, b)
			}
		}
		for shift := range min(4, len(text)) {
			part := text[shift:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1] // six bits are no byte
			}
			out, err := base64.RawStdEncoding.DecodeString(string(part))
			if err == nil && len(out) >= least {
				next(out)
			}
		}
	})
}

// runs calls each with every part of data of at least least bytes that consists
// of what is accepts.
func runs(data []byte, is func(byte) bool, least int, each func([]byte)) {
	from := -1
	for at := 0; at <= len(data); at++ {
		switch {
		case at < len(data) && is(data[at]):
			if from < 0 {
				from = at
			}
		case from >= 0:
			if at-from >= least {
				each(data[from:at])
			}
			from = -1
		}
	}
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

// isBase64 accepts line ends too: mail and PEM wrap base64.
func isBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		b == '+' || b == '/' || b == '-' || b == '_' || b == '\r' || b == '\n'
}

func nibble(b byte) byte {
	switch {
	case b >= 'a':
		return b - 'a' + 10
	case b >= 'A':
		return b - 'A' + 10
	}
	return b - '0'
}
