package scan

import "strings"

// waiting is what of an object waits until all of it is known.
type waiting struct {
	next  int    // index of the member that comes
	label string // what the object calls its value
	held  [4]member
	count int // of those held
}

// A member is a member of an object.
type member struct {
	name  string
	raw   string // its value, as it stands there
	index int
	// secret is true when the name holds a credential.
	secret bool
}

// hold takes the member at the cursor if only the rest of the object tells what it
// is: a part of a payload, or a value whose name has not come yet. No value with
// others inside is held, so that nothing is looked at once for each level above it.
func (o *waiting) hold(c *cursor, name string) bool {
	look := *c
	var ok bool
	switch {
	case name == "metadata":
		ok = look.peek() == '{' && look.flat()
	case name == "data", isValueKey(name) && o.label == "":
		ok = look.peek() == '"'
		if ok {
			_, _, err := look.rawString()
			ok = err == nil
		}
	case name == "externalPayloads":
		ok = look.peek() == '[' && look.flat()
	}
	if !ok || o.count == len(o.held) {
		return false
	}
	c.peek()
	o.held[o.count] = member{name: name, raw: c.s[c.at:look.at], index: o.next}
	o.count++
	*c = look
	return true
}

// find returns the first held member of a name as it stands, "" when there is none.
func (o *waiting) find(name string) (raw string) {
	for _, m := range o.held[:o.count] {
		if m.name == name {
			return m.raw
		}
	}
	return ""
}

// drop forgets the first held member of a name.
func (o *waiting) drop(name string) {
	for i, m := range o.held[:o.count] {
		if m.name == name {
			copy(o.held[i:], o.held[i+1:o.count])
			o.count--
			return
		}
	}
}

func isNameKey(name string) bool {
	return strings.EqualFold(name, "name") || strings.EqualFold(name, "key")
}

func isValueKey(name string) bool { return strings.EqualFold(name, "value") }
