package redact

// The search is over canonical bytes: a gap, which is white space or another control byte, does not count,
// ASCII letters count as lower case, and the URL alphabet of base64 counts as the standard one. So one
// comparison covers line ends, indentation, wrapped base64, UTF-16 of ASCII text and changes of case.

// maxGap is how many gap bytes may stand between two bytes of a value.
const maxGap = 64

// isGap reports whether c is skipped in comparisons.
func isGap(c byte) bool { return c <= ' ' }

// folded maps each byte to its canonical form.
var folded = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		table[c] = c + 'a' - 'A'
	}
	table['-'], table['_'] = '+', '/'
	return table
}()

// canonical returns the canonical bytes of text.
func canonical(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if c := text[i]; !isGap(c) {
			out = append(out, folded[c])
		}
	}
	return string(out)
}

// hasWideGap reports whether text has more gap bytes in a row than are skipped.
func hasWideGap(text string) bool {
	gap := 0
	for i := range len(text) {
		if !isGap(text[i]) {
			gap = 0
		} else if gap++; gap > maxGap {
			return true
		}
	}
	return false
}

// extend compares the text around the byte at, which is no gap, with a needle around offset. It returns the
// range of text that is equal, and which bytes of the needle that are.
func extend[T text](t T, at int, needle string, offset int) (start, end, first, last int) {
	start, end = at, at
	j, gap := offset, 0
	for i := at; i < len(t) && j < len(needle); i++ {
		c := t[i]
		if isGap(c) {
			if gap++; gap > maxGap {
				break
			}
			continue
		}
		if folded[c] != needle[j] {
			break
		}
		j++
		end, gap = i+1, 0
	}
	k, gap := offset, 0
	if j == offset {
		return start, end, offset, offset
	}
	for i := at - 1; i >= 0 && k > 0; i-- {
		c := t[i]
		if isGap(c) {
			if gap++; gap > maxGap {
				break
			}
			continue
		}
		if folded[c] != needle[k-1] {
			break
		}
		k--
		start, gap = i, 0
	}
	return start, end, k, j
}

// back returns the position before the last n bytes of t[:at] that are no gaps, or 0.
func back[T text](t T, at, n int) int {
	for at > 0 && n > 0 {
		at--
		if !isGap(t[at]) {
			n--
		}
	}
	return at
}

// forth returns the position behind the first n bytes of t[at:] that are no gaps, or the end.
func forth[T text](t T, at, n int) int {
	for at < len(t) && n > 0 {
		if !isGap(t[at]) {
			n--
		}
		at++
	}
	return at
}
