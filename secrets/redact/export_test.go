package redact

// Torn reports whether there are escapes in a value, or one of the text takes bytes of it and of what stands
// beside. Encoders escape some characters and leave others, and what is decoded then is another thing than what they
// wrote: such a value is found as common ones write it, and not in every form there is.
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
	return len(decodedForms(value)) > 0
}
