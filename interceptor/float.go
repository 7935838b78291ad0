package interceptor

import (
	"bytes"
	"strconv"
)

// maxFloat is the length of most floats in both of their forms. Those of large
// exponents are longer.
const maxFloat = 64

// floatForms returns a number as strconv writes it with format 'f' and with format
// 'e'. Finding its digits takes longest, and is done once. Both are appended to buf.
func floatForms(buf []byte, x float64, bits int) (plain, exponent []byte) {
	exponent = strconv.AppendFloat(buf, x, 'e', -1, bits)
	at := bytes.IndexByte(exponent, 'e')
	if at < 0 { // an infinity, or no number
		return exponent, exponent
	}
	power, err := strconv.Atoi(string(exponent[at+1:]))
	if err != nil {
		return strconv.AppendFloat(nil, x, 'f', -1, bits), exponent
	}
	digits := exponent[:at]
	plain = exponent[len(exponent):]
	if digits[0] == '-' {
		plain, digits = append(plain, '-'), digits[1:]
	}
	first, rest := digits[0], []byte(nil)
	if len(digits) > 1 {
		rest = digits[2:] // behind the point
	}
	if power < 0 {
		plain = append(plain, "0."...)
		for range -power - 1 {
			plain = append(plain, '0')
		}
		return append(append(plain, first), rest...), exponent
	}
	plain = append(plain, first)
	whole := min(power, len(rest))
	plain = append(plain, rest[:whole]...)
	for range power - whole {
		plain = append(plain, '0')
	}
	if whole < len(rest) {
		plain = append(append(plain, '.'), rest[whole:]...)
	}
	return plain, exponent
}
