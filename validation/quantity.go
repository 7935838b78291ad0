package validation

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// leastDecimal is the smallest decimal above 0.
const leastDecimal = 0.01

// decimalForm leaves out what readers of YAML and JSON read differently, or round: signs, exponents, other bases.
var decimalForm = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]{1,2})?$`)

// quantity returns what a decimal, a duration or a size must be; it completes "must be ".
func (s *shape) quantity() string {
	switch s.kind {
	case kindDecimal:
		return "a number from 0.01 to " + strconv.FormatInt(s.max, 10) + ", with two decimals at most"
	case kindSize:
		return `a size such as "2GiB", in B, KiB, MiB, GiB or TiB, or a whole number of bytes; up to ` + sandbox.FormatSize(s.max)
	case kindDuration:
		if s.max > 0 {
			return formatDuration.text + ", up to " + strconv.FormatInt(s.max/int64(time.Hour), 10) + "h"
		}
		return formatDuration.text
	case kindObject, kindMap, kindList, kindString, kindInteger, kindBool, kindEnum, kindDate, kindVersion:
	}
	return ""
}

// parseWhole reads digits without quotes, sign or leading zeros.
func parseWhole(n *yaml.Node, most int64) (int64, bool) {
	if !isPlain(n) || (strings.HasPrefix(n.Value, "0") && n.Value != "0") || strings.Trim(n.Value, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(n.Value, 10, 64)
	return i, err == nil && i <= most
}

// parseDecimal reads a number of at least leastDecimal.
func parseDecimal(n *yaml.Node, most int64) (float64, bool) {
	if !isPlain(n) || !decimalForm.MatchString(n.Value) {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	return f, err == nil && f >= leastDecimal && f <= float64(most)
}

// parseDuration reads a duration in nanoseconds; most is 0 where any will do.
func parseDuration(n *yaml.Node, most int64) (int64, bool) {
	if !isStringNode(n) || !formatDuration.accepts(n.Value) {
		return 0, false
	}
	d, err := time.ParseDuration(n.Value)
	return int64(d), err == nil && (most == 0 || int64(d) <= most)
}

// parseSize reads a size in bytes: a number alone, or a text with a unit.
func parseSize(n *yaml.Node, most int64) (int64, bool) {
	if bytes, ok := parseWhole(n, most); ok {
		return bytes, bytes > 0
	}
	if !isStringNode(n) || !formatSize.accepts(n.Value) {
		return 0, false
	}
	bytes, err := sandbox.ParseSize(n.Value)
	return bytes, err == nil && bytes <= most
}
