package redact

// Torn reports whether an escape of the text takes bytes of the value and of what stands beside it, or whether
// less than a value is left once those within it are decoded. Encoders escape some characters and leave others:
// such a value is found as common ones write it, and not in every form there is.
func Torn(before, value, after string) bool {
	text := before + value + after
	start, end := len(before), len(before)+len(value)
	s := newTokens(text)
	for at := 0; ; {
		pos, size := s.from(at)
		if size == 0 {
			break
		}
		if at = pos + size; pos < start && at > start || pos < end && at > end {
			return true
		}
	}
	decoded := decodedForms(value)
	if hasLongGap(value) && len(decoded) > 0 {
		return true
	}
	for _, form := range append(decoded, value) {
		if len(canonical(form)) < MinLength {
			return true
		}
	}
	return false
}
