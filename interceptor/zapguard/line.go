package zapguard

import (
	"strconv"

	"go.uber.org/zap/zapcore"
)

// line redacts an entry and returns its fields redacted.
func (g *guard) line(entry *zapcore.Entry, fields []zapcore.Field) []zapcore.Field {
	if g.clean(entry, fields) {
		return fields
	}
	g.entry(entry)
	return g.fields(fields)
}

// entry redacts the texts of an entry.
func (g *guard) entry(e *zapcore.Entry) {
	for _, text := range [...]*string{&e.Message, &e.LoggerName, &e.Stack} {
		if *text != "" {
			*text, _ = g.r.String(*text)
		}
	}
}

// together is how many texts are looked at with one call.
const together = 24

// clean reports that neither an entry nor its fields hold a value, which is so for nearly every line. It says
// no where finding that out takes more than a look at texts and whole numbers, or where the redactor cannot
// look at many at a time.
func (g *guard) clean(entry *zapcore.Entry, fields []zapcore.Field) bool {
	if g.set == nil {
		return false
	}
	var buf [together]string
	texts := append(buf[:0], entry.Message, entry.LoggerName, entry.Stack)
	for i := range fields {
		if len(texts) > together-2 {
			if g.set.ContainsAny(texts) {
				return false
			}
			texts = buf[:0]
		}
		f := &fields[i]
		texts = append(texts, f.Key)
		switch f.Type {
		case zapcore.BoolType, zapcore.TimeType, zapcore.TimeFullType, zapcore.NamespaceType, zapcore.SkipType:
		case zapcore.StringType:
			texts = append(texts, f.String)
		case zapcore.DurationType, zapcore.Int64Type, zapcore.Int32Type, zapcore.Int16Type, zapcore.Int8Type:
			if g.inDigits(f.Integer) {
				return false
			}
		default:
			return false
		}
	}
	return !g.set.ContainsAny(texts)
}

// inDigits reports whether the digits of a number hold a value.
func (g *guard) inDigits(n int64) bool {
	if -smallNumber < n && n < smallNumber {
		return false
	}
	var digits [20]byte
	return g.set.Contains(strconv.AppendInt(digits[:0], n, 10))
}
