package interceptor

import (
	"fmt"
	"log/slog"
	"reflect"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/log"
	"go.uber.org/zap/zapcore"
	"google.golang.org/protobuf/proto"
)

// redactingLogger hides known values in what is logged through l.
func (g *guard) redactingLogger(l log.Logger) log.Logger {
	if already, ok := l.(hidingLogger); ok && already.g == g {
		return l
	}
	return hidingLogger{g: g, to: l}
}

// hidingLogger is a Temporal logger whose messages and fields went through the
// guard. Fields of types that it cannot look into are logged as text, but only
// when they hold something to hide.
type hidingLogger struct {
	g  *guard
	to log.Logger
}

func (h hidingLogger) Debug(msg string, kv ...any) { h.to.Debug(h.text(msg), h.fields(kv)...) }
func (h hidingLogger) Info(msg string, kv ...any)  { h.to.Info(h.text(msg), h.fields(kv)...) }
func (h hidingLogger) Warn(msg string, kv ...any)  { h.to.Warn(h.text(msg), h.fields(kv)...) }
func (h hidingLogger) Error(msg string, kv ...any) { h.to.Error(h.text(msg), h.fields(kv)...) }

// With implements the SDK's optional WithLogger.
func (h hidingLogger) With(kv ...any) log.Logger {
	return hidingLogger{g: h.g, to: log.With(h.to, h.fields(kv)...)}
}

// WithCallerSkip implements the SDK's optional WithSkipCallers.
func (h hidingLogger) WithCallerSkip(depth int) log.Logger {
	if s, ok := h.to.(log.WithSkipCallers); ok {
		return hidingLogger{g: h.g, to: s.WithCallerSkip(depth)}
	}
	return h
}

func (h hidingLogger) text(s string) string {
	out, _ := h.g.hidden.String(s)
	return out
}

func (h hidingLogger) fields(kv []any) []any {
	if h.g.hidden.Len() == 0 {
		return kv
	}
	out := make([]any, len(kv))
	for i, v := range kv {
		out[i] = h.field(v)
	}
	return out
}

func (h hidingLogger) field(v any) (out any) {
	defer func() {
		// A method of the value's own: slog and zap live with one that panics, and
		// so does workflow code that logs through them.
		if recover() == nil {
			return
		}
		if out = withheldText; isNilPointer(v) {
			out = "<nil>"
		}
	}()
	switch x := v.(type) {
	case nil, bool:
		return v
	case string:
		return h.text(x)
	case error:
		// Its text, once: a logger would ask again and might get another answer.
		return h.text(x.Error())
	case *commonpb.Payloads:
		// The SDK logs the whole result of an activity that completed too late.
		if data, err := proto.Marshal(x); err == nil && h.g.hidden.Contains(data) {
			return withheldText
		}
		return v
	case slog.Attr:
		return slog.Attr{Key: h.text(x.Key), Value: h.slogValue(x.Value)}
	case slog.Value:
		return h.slogValue(x)
	case slog.LogValuer:
		return h.slogValue(x.LogValue())
	case zapcore.ObjectMarshaler:
		enc := zapcore.NewMapObjectEncoder()
		if x.MarshalLogObject(enc) != nil {
			return withheldText
		}
		return h.field(enc.Fields)
	case zapcore.ArrayMarshaler:
		enc := zapcore.NewMapObjectEncoder()
		if enc.AddArray("a", x) != nil {
			return withheldText
		}
		return h.field(enc.Fields["a"])
	}
	visits := maxPrinted
	if !bounded(reflect.ValueOf(v), 0, &visits) {
		return withheldText // nobody can print it either
	}
	out, _, err := cleaner{hidden: h.g.hidden, as: h.g.hidden}.value(v)
	if err != nil {
		return withheldText
	}
	// Loggers also print what encoding leaves out.
	if text, hits := h.g.hidden.String(fmt.Sprintf("%+v", out)); hits > 0 {
		return text
	}
	return out
}

func (h hidingLogger) slogValue(v slog.Value) slog.Value {
	v = v.Resolve()
	if v.Kind() != slog.KindGroup {
		return slog.AnyValue(h.field(v.Any()))
	}
	attrs := make([]slog.Attr, 0, len(v.Group()))
	for _, a := range v.Group() {
		attrs = append(attrs, slog.Attr{Key: h.text(a.Key), Value: h.slogValue(a.Value)})
	}
	return slog.GroupValue(attrs...)
}

func isNilPointer(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}

// maxPrinted bounds the values that are looked at for one field of a log line.
const maxPrinted = 1 << 18

// bounded reports whether printing v ends: package fmt follows pointers and maps
// that lead back to themselves until the process dies, and a value that shares
// parts of itself is a small graph and an endless tree.
func bounded(v reflect.Value, depth int, visits *int) bool {
	if *visits--; depth > maxDepth || *visits < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || bounded(v.Elem(), depth+1, visits)
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			if !bounded(iter.Key(), depth+1, visits) || !bounded(iter.Value(), depth+1, visits) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String {
			return true
		}
		for i := range v.Len() {
			if !bounded(v.Index(i), depth+1, visits) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !bounded(v.Field(i), depth+1, visits) {
				return false
			}
		}
	}
	return true
}
