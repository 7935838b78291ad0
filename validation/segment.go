package validation

// SafeSegment returns seg when it may be shown in a path: 1 to 64 characters of
// A-Z a-z 0-9 _ . - that are no credential. Otherwise it returns the index, the
// place of the segment among its siblings.
func SafeSegment(seg string, index int) string { return "" }
