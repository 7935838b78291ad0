package interceptor

import (
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/log"
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

func (h hidingLogger) field(v any) any {
	switch x := v.(type) {
	case nil, bool:
		return v
	case int, int32, int64, uint64, float64:
		if h.g.hidden.ContainsString(fmt.Sprint(x)) {
			return withheldText
		}
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
	}
	if text, hits := h.g.hidden.String(fmt.Sprintf("%+v", v)); hits > 0 {
		return text
	}
	out, hits, err := cleaner{hidden: h.g.hidden}.value(v)
	if err != nil {
		return withheldText
	}
	if hits > 0 {
		return out
	}
	return v
}
