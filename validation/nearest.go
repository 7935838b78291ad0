package validation

import (
	"strconv"
	"strings"
)

// hint says which known name an unknown one was probably meant to be, or lists
// the known ones when none is near. The unknown name itself is not repeated.
func hint(unknown string, known []string) string {
	if best := nearest(unknown, known); best != "" {
		return "the nearest is " + strconv.Quote(best)
	}
	if len(known) == 0 {
		return "there is none"
	}
	return "known are " + strings.Join(known, ", ")
}

// nearest returns the known name that begins with name, or the one with the
// smallest edit distance to it; "" when none is near.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, bestDistance := "", 0
	for _, k := range known {
		if len(name) > 2*len(k)+4 {
			continue
		}
		lower := strings.ToLower(k)
		if len(name) >= 3 && strings.HasPrefix(lower, name) {
			return k
		}
		d := distance(name, lower)
		if d <= max(2, max(len(name), len(k))/2) && d < min(len(name), len(k)) && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
