package secrets_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"expvar"
	"fmt"
	htmltemplate "html/template"
	"log"
	"log/slog"
	"reflect"
	"strings"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// sink is a way for something to get out of a program.
type sink struct {
	name string
	// show returns all that the sink puts out, errors included.
	show func(v any) []byte
	// blind is set for one that does not show strings.
	blind bool
}

// sinks holds the ways out; a new one that the program uses gets a row.
var sinks = append(verbSinks(),
	sink{name: "fmt.Sprint", show: func(v any) []byte { return []byte(fmt.Sprint(v)) }},
	sink{name: "fmt with too many arguments", show: func(v any) []byte {
		format := "text" // in a variable, since vet knows better
		return fmt.Appendf(nil, format, v)
	}},
	sink{name: "fmt width", show: func(v any) []byte { return fmt.Appendf(nil, "%-80v|%.60v", v, v) }},
	sink{name: "log", show: func(v any) []byte {
		var b bytes.Buffer
		log.New(&b, "", 0).Printf("%v", v)
		return b.Bytes()
	}},
	sink{name: "json", show: func(v any) []byte { return orError(json.Marshal(v)) }},
	sink{name: "json indented", show: func(v any) []byte { return orError(json.MarshalIndent(v, "", " ")) }},
	sink{name: "xml", show: func(v any) []byte { return orError(xml.Marshal(v)) }},
	sink{name: "gob", show: func(v any) []byte {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(v)
		return append(b.Bytes(), fmt.Sprint(err)...)
	}},
	sink{name: "text methods", show: textMethods},
	sink{name: "slog text", show: func(v any) []byte {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).With("with", v).Info("message", "token", v, slog.Group("g", "token", v))
		return b.Bytes()
	}},
	sink{name: "slog json", show: func(v any) []byte {
		var b bytes.Buffer
		slog.New(slog.NewJSONHandler(&b, nil)).With("with", v).Info("message", "token", v, slog.Group("g", "token", v))
		return b.Bytes()
	}},
	sink{name: "zap any", show: zapSink(func(v any) zap.Field { return zap.Any("token", v) })},
	sink{name: "zap reflect", show: zapSink(func(v any) zap.Field { return zap.Reflect("token", v) })},
	sink{name: "zap object", show: zapSink(func(v any) zap.Field { return zap.Object("token", zapObject{v}) })},
	sink{name: "zap array", show: zapSink(func(v any) zap.Field { return zap.Array("token", zapObject{v}) })},
	sink{name: "zap stringer", show: zapSink(func(v any) zap.Field {
		if s, ok := v.(fmt.Stringer); ok {
			return zap.Stringer("token", s)
		}
		return zap.Any("token", v)
	})},
	sink{name: "zap error", show: zapSink(func(v any) zap.Field { return zap.Error(tokenError{v}) })},
	sink{name: "zap sugar", show: func(v any) []byte {
		var b bytes.Buffer
		core := zapcore.NewCore(zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()), zapcore.AddSync(&b), zap.DebugLevel)
		zap.New(core).Sugar().Infow(fmt.Sprint("token ", v), "token", v)
		return b.Bytes()
	}},
	sink{name: "errorf", show: func(v any) []byte {
		err := fmt.Errorf("outer: %w", fmt.Errorf("token %v: %w", v, errors.New("inner")))
		return fmt.Appendf(nil, "%v %+v %#v", err, err, err)
	}},
	sink{name: "recovered panic", show: func(v any) (out []byte) {
		defer func() { out = fmt.Appendf(nil, "%v %+v", recover(), v) }()
		panic(v)
	}},
	sink{name: "text template", show: textTemplate},
	sink{name: "html template", show: htmlTemplate},
	sink{name: "expvar", show: func(v any) []byte { return []byte(expvar.Func(func() any { return v }).String()) }},
	sink{name: "cmp.Diff", show: func(v any) []byte {
		return []byte(cmp.Diff(v, any(exported{1}), everything) + cmp.Diff([]any{v, 1}, []any{v, 2}, everything))
	}},
	sink{name: "Temporal data converter", show: func(v any) []byte {
		p, err := converter.GetDefaultDataConverter().ToPayloads(v, v)
		return fmt.Appendf(nil, "%v %s %v", p, p.GetPayloads(), err)
	}},
	sink{name: "Temporal failure", show: func(v any) []byte {
		err := temporal.NewApplicationError(fmt.Sprint("token ", v), fmt.Sprintf("%T", v))
		f := temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{}).ErrorToFailure(
			fmt.Errorf("outer: %w", errors.Join(err, tokenError{v})))
		return []byte(f.String())
	}},
	sink{name: "reflection", show: func(v any) []byte {
		var b strings.Builder
		b.WriteString("strings:")
		walk(&b, reflect.ValueOf(v), 0)
		return []byte(b.String())
	}},
)

// everything lets cmp look into unexported fields.
var everything = cmp.Exporter(func(reflect.Type) bool { return true })

func verbSinks() []sink {
	var out []sink
	for _, verb := range []string{
		"%v", "%+v", "%#v", "%s", "%+s", "%q", "%+q", "%#q", "%x", "%X", "% x", "%#x", "%d", "%o", "%b",
		"%c", "%U", "%t", "%e", "%f", "%g", "%w", "%p", "%T", "%z",
	} {
		out = append(out, sink{
			name:  verb,
			blind: strings.ContainsAny(verb, "pT"), // an address, a type
			show: func(v any) []byte {
				out := fmt.Appendf(nil, verb+"\n", v)
				if verb == "% x" {
					return bytes.ReplaceAll(out, []byte(" "), nil)
				}
				return out
			},
		})
	}
	return out
}

func orError(data []byte, err error) []byte { return append(data, fmt.Sprint(err)...) }

// textMethods calls what v has of the methods that encoders look for.
func textMethods(v any) []byte {
	out := fmt.Appendf(nil, "%v", v)
	if m, ok := v.(interface{ MarshalText() ([]byte, error) }); ok {
		out = append(out, orError(m.MarshalText())...)
	}
	if m, ok := v.(interface{ GobEncode() ([]byte, error) }); ok {
		out = append(out, orError(m.GobEncode())...)
	}
	if m, ok := v.(fmt.GoStringer); ok {
		out = append(out, m.GoString()...)
	}
	if m, ok := v.(slog.LogValuer); ok {
		out = append(out, m.LogValue().String()...)
	}
	return out
}

func zapSink(field func(v any) zap.Field) func(v any) []byte {
	return func(v any) []byte {
		var b bytes.Buffer
		for _, enc := range []zapcore.Encoder{
			zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()),
			zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()),
		} {
			logger := zap.New(zapcore.NewCore(enc, zapcore.AddSync(&b), zap.DebugLevel))
			logger.With(field(v)).Info("message", field(v))
		}
		return b.Bytes()
	}
}

type zapObject struct{ v any }

func (o zapObject) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("text", fmt.Sprint(o.v))
	return enc.AddReflected("token", o.v)
}

func (o zapObject) MarshalLogArray(enc zapcore.ArrayEncoder) error { return enc.AppendReflected(o.v) }

func textTemplate(v any) []byte {
	var b bytes.Buffer
	err := template.Must(template.New("t").Parse(
		`{{.}} {{printf "%+v %s" . .}} {{print .}} {{html .}} {{js .}} {{urlquery .}}`)).Execute(&b, v)
	return append(b.Bytes(), fmt.Sprint(err)...)
}

func htmlTemplate(v any) []byte {
	var b bytes.Buffer
	err := htmltemplate.Must(htmltemplate.New("t").Parse(
		`<p title="{{.}}">{{.}}</p><a href="/?q={{.}}">a</a><script>var a = {{.}}; var b = "{{.}}"</script><style>p { color: {{.}} }</style>`)).Execute(&b, v)
	return append(b.Bytes(), fmt.Sprint(err)...)
}

// walk writes every string and byte that reflection can reach, exported or not.
func walk(b *strings.Builder, v reflect.Value, depth int) {
	if depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		b.WriteString(v.String() + "\n")
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(b, v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(b, v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if v.Index(i).Kind() == reflect.Uint8 {
				b.WriteByte(byte(v.Index(i).Uint()))
				continue
			}
			walk(b, v.Index(i), depth+1)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			walk(b, it.Key(), depth+1)
			walk(b, it.Value(), depth+1)
		}
	default: // numbers hold no text, and functions cannot be looked into
	}
}
