package scan

import (
	"encoding/json"
	"errors"
	"strings"
)

// errSyntax is the error of a text that is not JSON. The reader knows the place.
var errSyntax = errors.New("is not JSON")

// A cursor goes over JSON once, without building anything: most of a history is
// looked at and forgotten. It accepts all JSON and some texts that are none, as
// what matters is that nothing is passed over.
type cursor struct {
	s  string
	at int
}

// peek steps over white space and returns the byte there, 0 at the end.
func (c *cursor) peek() byte {
	for c.at < len(c.s) {
		switch c.s[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return c.s[c.at]
		}
	}
	return 0
}

// enter steps into the object or array at the cursor, and reports whether there
// is anything in it.
func (c *cursor) enter() (more bool) {
	c.at++
	if b := c.peek(); b == '}' || b == ']' {
		c.at++
		return false
	}
	return true
}

// next steps to the next member or element, or out of the end.
func (c *cursor) next() (more bool, err error) {
	switch c.peek() {
	case ',':
		c.at++
		return true, nil
	case '}', ']':
		c.at++
		return false, nil
	}
	return false, errSyntax
}

// key reads the name of a member and steps to its value.
func (c *cursor) key() (string, error) {
	if c.peek() != '"' {
		return "", errSyntax
	}
	key, err := c.str()
	if err != nil {
		return "", err
	}
	if c.peek() != ':' {
		return "", errSyntax
	}
	c.at++
	return key, nil
}

// str reads the string at the cursor. One without escapes costs no allocation.
func (c *cursor) str() (string, error) {
	raw, escaped, err := c.rawString()
	if err != nil || !escaped {
		return strings.TrimSuffix(raw[min(1, len(raw)):], `"`), err
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return "", errSyntax
	}
	return s, nil
}

// rawString steps over the string at the cursor and returns it with its quotes.
func (c *cursor) rawString() (raw string, escaped bool, err error) {
	start := c.at
	c.at++
	for {
		i := strings.IndexByte(c.s[c.at:], '"')
		if i < 0 {
			c.at = len(c.s)
			return "", false, errSyntax
		}
		end := c.at + i
		slashes := 0
		for c.s[end-1-slashes] == '\\' && end-1-slashes > start {
			slashes++
		}
		c.at = end + 1
		if slashes%2 == 0 {
			raw = c.s[start:c.at]
			return raw, strings.IndexByte(raw, '\\') >= 0, nil
		}
	}
}

// skip steps over the value at the cursor and returns it.
func (c *cursor) skip() (raw string, err error) {
	c.peek()
	start := c.at
	for depth := 0; ; {
		switch b := c.peek(); b {
		case 0:
			return "", errSyntax
		case '"':
			if _, _, err := c.rawString(); err != nil {
				return "", err
			}
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		case ',', ':':
			if depth == 0 {
				return "", errSyntax
			}
			c.at++
			continue
		default:
			if err := c.scalar(); err != nil {
				return "", err
			}
		}
		if depth < 0 {
			return "", errSyntax
		}
		if depth == 0 {
			return c.s[start:c.at], nil
		}
	}
}

// flat steps over the object or list at the cursor, and reports whether it holds
// only scalars, or is a list of objects that do.
func (c *cursor) flat() bool {
	object := c.peek() == '{'
	for more := c.enter(); more; {
		var err error
		if object {
			if _, err = c.key(); err != nil {
				return false
			}
		}
		switch c.peek() {
		case '{':
			if object || !c.flat() {
				return false
			}
		case '[':
			return false
		case '"':
			_, _, err = c.rawString()
		default:
			err = c.scalar()
		}
		if err == nil {
			more, err = c.next()
		}
		if err != nil {
			return false
		}
	}
	return true
}

// scalar steps over a number, true, false or null.
func (c *cursor) scalar() error {
	start := c.at
	for c.at < len(c.s) && isScalar(c.s[c.at]) {
		c.at++
	}
	if c.at == start {
		return errSyntax
	}
	return nil
}

func isScalar(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E'
}

// isJSON reports whether s looks like an object, array or string of JSON and
// nothing else.
func isJSON(s string) bool {
	c := cursor{s: s}
	switch c.peek() {
	case '{', '[', '"':
		_, err := c.skip()
		return err == nil && c.peek() == 0 && c.at == len(s)
	}
	return false
}
