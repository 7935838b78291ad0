package zapguard

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// fields redacts fields. It returns the slice itself if there is nothing to do.
func (g *guard) fields(in []zapcore.Field) []zapcore.Field {
	var out []zapcore.Field
	for i := range in {
		f, changed := g.field(in[i])
		if !changed {
			continue
		}
		if out == nil {
			out = append(make([]zapcore.Field, 0, len(in)), in...)
		}
		out[i] = f
	}
	if out == nil {
		return in
	}
	return out
}

// field redacts a field and reports whether it is another one now.
func (g *guard) field(f zapcore.Field) (zapcore.Field, bool) {
	var marker string
	var hits int
	switch f.Type {
	case zapcore.SkipType:
		return f, false
	case zapcore.BoolType, zapcore.TimeType, zapcore.TimeFullType, zapcore.NamespaceType:
	case zapcore.StringType:
		f.String, hits = g.r.String(f.String)
	case zapcore.BinaryType, zapcore.ByteStringType:
		if raw, ok := f.Interface.([]byte); ok {
			if raw, hits = g.r.Bytes(raw); hits > 0 {
				f.Interface = raw
			}
		}
	case zapcore.Complex64Type, zapcore.Complex128Type:
		switch n := f.Interface.(type) {
		case complex64:
			marker, hits = g.complex(complex128(n), 64)
		case complex128:
			marker, hits = g.complex(n, 128)
		}
	case zapcore.DurationType, zapcore.Int64Type, zapcore.Int32Type, zapcore.Int16Type, zapcore.Int8Type:
		marker, hits = g.integer(f.Integer)
	case zapcore.Uint64Type, zapcore.Uint32Type, zapcore.Uint16Type, zapcore.Uint8Type, zapcore.UintptrType:
		marker, hits = g.unsigned(uint64(f.Integer)) //nolint:gosec // zap keeps the bits of an unsigned number there
	case zapcore.Float64Type:
		marker, hits = g.float(math.Float64frombits(uint64(f.Integer)), 64) //nolint:gosec // as above
	case zapcore.Float32Type:
		marker, hits = g.float(float64(math.Float32frombits(uint32(f.Integer))), 32) //nolint:gosec // as above
	case zapcore.UnknownType:
		// zap panics when it meets such a field, and prints all of it.
		f = zapcore.Field{Key: f.Key}
		hits = 1
	default:
		// Only the field itself knows what it writes, so it writes to an encoder that redacts.
		return zap.Inline(&renderedField{field: f, guard: g}), true
	}
	if marker != "" {
		f = zap.String(f.Key, marker)
	}
	key, inKey := g.r.String(f.Key)
	f.Key = key
	return f, hits+inKey > 0
}

// renderedField redacts what a field adds to an encoder, its keys included.
type renderedField struct {
	field zapcore.Field
	guard *guard
}

func (f *renderedField) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	f.field.AddTo(&objectEncoder{inner: enc, guard: f.guard})
	return nil // AddTo reports errors as a field
}

// smallNumber is the first number that may hold a value. What is less has too few digits to be one, and is
// what most numbers in logs are.
const smallNumber = 1000

// integer returns a marker for a number whose digits hold a value, and the number of hits.
func (g *guard) integer(n int64) (marker string, hits int) {
	if -smallNumber < n && n < smallNumber {
		return "", 0
	}
	return g.number(func(b []byte) []byte { return strconv.AppendInt(b, n, 10) })
}

func (g *guard) unsigned(n uint64) (marker string, hits int) {
	if n < smallNumber {
		return "", 0
	}
	return g.number(func(b []byte) []byte { return strconv.AppendUint(b, n, 10) })
}

func (g *guard) float(n float64, size int) (marker string, hits int) {
	return g.number(func(b []byte) []byte { return strconv.AppendFloat(b, n, 'f', -1, size) })
}

func (g *guard) complex(n complex128, size int) (marker string, hits int) {
	return g.number(func(b []byte) []byte { return append(b, strconv.FormatComplex(n, 'f', -1, size)...) })
}

// number takes the digits from a function rather than as a text, for which it would have to allocate.
func (g *guard) number(appendTo func([]byte) []byte) (marker string, hits int) {
	buf, ok := g.digits.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	*buf = appendTo((*buf)[:0])
	out, hits := g.r.Bytes(*buf)
	if hits > 0 {
		marker = string(out)
	}
	clear(*buf)
	g.digits.Put(buf)
	return marker, hits
}

// render is value as redacted JSON, in the form in which zap writes it.
func (g *guard) render(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if g.json != nil {
		out, _ := g.json(text)
		return out, nil
	}
	out, hits := g.r.Bytes(text)
	if hits > 0 && !json.Valid(out) {
		// A marker may have cut an escape in two, or replaced a number. The whole is a string then.
		return json.Marshal(string(out))
	}
	return out, nil
}
