package sandbox

import (
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the units of sizes, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1},
}

// ParseSize returns the number of bytes that a text such as "2GiB" says: digits without a leading zero, and right
// behind them B, KiB, MiB, GiB or TiB, as in policy files. A size is at least one byte. The error, an [*Error], does
// not quote the text.
func ParseSize(s string) (int64, error) {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(s, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || digits[0] == '0' || int64(n) > math.MaxInt64/unit.bytes {
			break
		}
		return int64(n) * unit.bytes, nil
	}
	return 0, newError([]Fault{{
		Rule:   RuleInvalidValue,
		Detail: `must be a whole number above 0 with B, KiB, MiB, GiB or TiB right behind it, such as "2GiB"`,
	}})
}

// FormatSize returns a number of bytes as text, in the largest unit that needs no fraction: "2GiB", "1536MiB",
// "1000B". [ParseSize] reads it back if it is above 0.
func FormatSize(bytes int64) string {
	for _, unit := range sizeUnits {
		if bytes%unit.bytes == 0 && (bytes != 0 || unit.bytes == 1) {
			return strconv.FormatInt(bytes/unit.bytes, 10) + unit.name
		}
	}
	return "" // unreachable: every number is divided by 1
}
