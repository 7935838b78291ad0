package validation

// Pointer is a JSON pointer (RFC 6901) by its unescaped segments. The nil
// Pointer is the whole document. A segment "*" in a pointer of the policy file
// stands for any key or index.
type Pointer []string

// ParsePointer reads a JSON pointer: "" or "/seg/seg", with ~0 for "~" and ~1
// for "/".
func ParsePointer(s string) (Pointer, error) { return nil, nil }

// String returns the pointer in its escaped form.
func (p Pointer) String() string { return "" }

// Match reports whether p names the place with exactly these segments.
func (p Pointer) Match(segments []string) bool { return false }
