package zapguard_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// fieldCase is a field that holds a canary wherever its constructor has room for one.
type fieldCase struct {
	name  string
	field zapcore.Field
}

// textFields are fields with text in them, by constructor.
func textFields(c string) []fieldCase {
	var (
		object   = loggable{text: c}
		failed   = errors.New("failed with " + c)
		verbose  = verboseError{c}
		joined   = errorGroup{[]error{failed, verbose}}
		nested   = map[string]any{"k": []any{c, map[string]any{c: 1}}}
		pointer  = &c
		stringer = name(c)
	)
	return []fieldCase{
		{"String", zap.String("f", c)},
		{"Stringp", zap.Stringp("f", pointer)},
		{"Strings", zap.Strings("f", []string{"x", c})},
		{"Binary", zap.Binary("f", []byte("x"+c))},
		{"ByteString", zap.ByteString("f", []byte(c))},
		{"ByteStrings", zap.ByteStrings("f", [][]byte{[]byte(c)})},
		{"Stringer", zap.Stringer("f", stringer)},
		{"Stringers", zap.Stringers("f", []name{stringer})},
		{"Stringer that panics", zap.Stringer("f", panicking{c})},
		{"Error", zap.Error(failed)},
		{"NamedError", zap.NamedError("f", fmt.Errorf("while: %w", failed))},
		{"Error with a verbose form", zap.Error(verbose)},
		{"Error with causes", zap.Error(joined)},
		{"Error that panics", zap.Error(panicking{c})},
		{"Errors", zap.Errors("f", []error{failed, verbose, joined})},
		{"Object", zap.Object("f", object)},
		{"Object that fails", zap.Object("f", loggable{text: "x", err: failed})},
		{"Objects", zap.Objects("f", []loggable{object, object})},
		{"ObjectValues", zap.ObjectValues("f", []pointerLoggable{{c}})},
		{"Inline", zap.Inline(object)},
		{"Inline that fails", zap.Inline(loggable{text: "x", err: failed})},
		{"Dict", zap.Dict("f", zap.String("k", c), zap.Dict(c, zap.Error(failed)))},
		{"DictObject", zap.Object("f", zap.DictObject(zap.Reflect("k", nested)))},
		{"Array", zap.Array("f", loggableArray{c})},
		{"Reflect", zap.Reflect("f", nested)},
		{"Reflect of a string", zap.Reflect("f", c)},
		{"Reflect of a struct", zap.Reflect("f", struct {
			A string            `json:"a"`
			B []byte            `json:"b"`
			C map[string]string `json:"c"`
			D *string           `json:"d"`
		}{c, []byte("xy" + c), map[string]string{c: c}, pointer})},
		{"Reflect of raw JSON", zap.Reflect("f", json.RawMessage(`{"a":`+strconv.Quote(c)+`}`))},
		{"Reflect of a marshaler", zap.Reflect("f", marshaler{c})},
		{"Reflect that fails", zap.Reflect("f", failingMarshaler{c})},
		{"Reflect of a channel", zap.Reflect("f-"+c, make(chan int))},
		{"Any of a string", zap.Any("f", c)},
		{"Any of a map", zap.Any("f", nested)},
		{"Any of an error", zap.Any("f", failed)},
		{"Any of a pointer", zap.Any("f", &pointer)},
		{"Any of a slice of anything", zap.Any("f", []any{c, failed, object})},
		{"Namespace", zap.Namespace(c)},
		{"key of Bool", zap.Bool(c, true)},
		{"key of Bools", zap.Bools(c, []bool{true})},
		{"key of Time", zap.Time(c, time.Unix(0, 0))},
		{"key of Times", zap.Times(c, []time.Time{time.Unix(0, 0)})},
		{"key of Int", zap.Int(c, 1)},
		{"key of a nil pointer", zap.Intp(c, nil)},
		{"key of Stack", zap.Stack(c)},
		{"base64", zap.String("f", base64.StdEncoding.EncodeToString([]byte("user:"+c)))},
		{"JSON in a string", zap.String("f", `{"a":`+strconv.Quote(c)+`}`)},
	}
}

// numberFields are fields that hold a number whose digits are a value, by constructor.
func numberFields(n uint64) []fieldCase {
	i, d, f, c := int64(n), time.Duration(n), float64(n), complex(float64(n), -float64(n))
	i32, u32, f32, c64 := int32(n), uint32(n), float32(n), complex64(c)
	u, ptr, plain := uint(n), uintptr(n), int(n)
	return []fieldCase{
		{"Int", zap.Int("f", plain)},
		{"Intp", zap.Intp("f", &plain)},
		{"Ints", zap.Ints("f", []int{plain})},
		{"Int64", zap.Int64("f", i)},
		{"Int64p", zap.Int64p("f", &i)},
		{"Int64s", zap.Int64s("f", []int64{-i})},
		{"Int32", zap.Int32("f", i32)},
		{"Int32p", zap.Int32p("f", &i32)},
		{"Int32s", zap.Int32s("f", []int32{i32})},
		{"Uint", zap.Uint("f", u)},
		{"Uintp", zap.Uintp("f", &u)},
		{"Uints", zap.Uints("f", []uint{u})},
		{"Uint64", zap.Uint64("f", n)},
		{"Uint64p", zap.Uint64p("f", &n)},
		{"Uint64s", zap.Uint64s("f", []uint64{n})},
		{"Uint32", zap.Uint32("f", u32)},
		{"Uint32p", zap.Uint32p("f", &u32)},
		{"Uint32s", zap.Uint32s("f", []uint32{u32})},
		{"Uintptr", zap.Uintptr("f", ptr)},
		{"Uintptrp", zap.Uintptrp("f", &ptr)},
		{"Uintptrs", zap.Uintptrs("f", []uintptr{ptr})},
		{"Float64", zap.Float64("f", f)},
		{"Float64p", zap.Float64p("f", &f)},
		{"Float64s", zap.Float64s("f", []float64{f})},
		{"Float32", zap.Float32("f", f32)},
		{"Float32p", zap.Float32p("f", &f32)},
		{"Float32s", zap.Float32s("f", []float32{f32})},
		{"Complex128", zap.Complex128("f", c)},
		{"Complex128p", zap.Complex128p("f", &c)},
		{"Complex128s", zap.Complex128s("f", []complex128{c})},
		{"Complex64", zap.Complex64("f", c64)},
		{"Complex64p", zap.Complex64p("f", &c64)},
		{"Complex64s", zap.Complex64s("f", []complex64{c64})},
		{"Duration", zap.Duration("f", d)},
		{"Durationp", zap.Durationp("f", &d)},
		{"Durations", zap.Durations("f", []time.Duration{d})},
		{"Reflect", zap.Reflect("f", map[string]any{"n": n})},
		{"Any", zap.Any("f", n)},
		{"Object", zap.Object("f", numbers(n))},
	}
}

// sinks are the ways in which a core may render a field.
func sinks(tb testing.TB, r zapguard.Redactor) map[string]func(zapcore.Field, bool) []byte {
	tb.Helper()
	config := zap.NewProductionEncoderConfig()
	config.TimeKey = ""
	config.EncodeDuration = zapcore.NanosDurationEncoder
	encoded := func(enc zapcore.Encoder) func(zapcore.Field, bool) []byte {
		return func(f zapcore.Field, bound bool) []byte {
			var out bytes.Buffer
			logger := zap.New(zapguard.NewCore(zapcore.NewCore(enc, zapcore.AddSync(&out), zapcore.DebugLevel), r))
			log(logger, f, bound)
			return out.Bytes()
		}
	}
	return map[string]func(zapcore.Field, bool) []byte{
		"JSON":    encoded(zapcore.NewJSONEncoder(config)),
		"console": encoded(zapcore.NewConsoleEncoder(config)),
		"map": func(f zapcore.Field, bound bool) []byte {
			core, logs := observer.New(zapcore.DebugLevel)
			log(zap.New(zapguard.NewCore(core, r)), f, bound)
			values := logs.TakeAll()[0].ContextMap()
			text, err := json.Marshal(fmt.Sprintf("%v %+v %#v %s", values, values, values, values))
			if err != nil {
				tb.Fatal(err)
			}
			return text
		},
	}
}

func log(logger *zap.Logger, f zapcore.Field, bound bool) {
	if bound {
		logger.With(f).Info("message", zap.Int("after", 1))
		return
	}
	logger.Info("message", zap.Int("before", 1), f, zap.Int("after", 1))
}

// TestTextFields checks that no constructor of a field lets a value pass, whatever the core does with the
// field, and that a marker is written in its place.
func TestTextFields(t *testing.T) {
	canary := secretstest.Canary(t)
	values := map[string]string{"plain": canary, "with escapes": canary[:20] + "\"\\<&>\n\u2028é" + canary[20:]}
	for kind, value := range values {
		set := newSet(t, value)
		for redactor, r := range map[string]zapguard.Redactor{"set": set, "texts only": textsOnly{set}} {
			for sink, write := range sinks(t, r) {
				for _, f := range textFields(value) {
					for _, bound := range []bool{false, true} {
						out := write(f.field, bound)
						t.Run(fmt.Sprintf("%s/%s/%s/%s/%v", kind, redactor, sink, f.name, bound), func(t *testing.T) {
							assertRedacted(t, canary, set, out, f.name, sink)
						})
					}
				}
			}
		}
	}
}

// assertRedacted checks one line. A value with escapes leaves its halves behind if it is not found.
func assertRedacted(t *testing.T, canary string, set *redact.Set, out []byte, name, sink string) {
	t.Helper()
	secretstest.AssertAbsent(t, []string{canary[:20], canary[20:]}, out)
	if set.Contains(out) {
		t.Errorf("%s holds the value", out)
	}
	if !bytes.Contains(out, []byte("[redacted:c]")) && name != "Binary" && name != "key of a nil pointer" {
		t.Errorf("%s has no marker", out)
	}
	if sink == "JSON" && !json.Valid(out) {
		t.Errorf("%s is no JSON", out)
	}
}

// TestNumberFields checks the same for numbers.
func TestNumberFields(t *testing.T) {
	const number = 16_777_216 // exact as a float32, and long enough for a value
	digits := strconv.Itoa(number)
	set := newSet(t, digits)
	for sink, write := range sinks(t, set) {
		for _, f := range numberFields(number) {
			for _, bound := range []bool{false, true} {
				out := write(f.field, bound)
				if bytes.Contains(out, []byte(digits)) || !bytes.Contains(out, []byte("[redacted:c]")) {
					t.Errorf("%s, %s, bound %v: %s", sink, f.name, bound, out)
				}
			}
		}
	}
}

// TestAllTypes checks that the tables above have each type of field that zap knows.
func TestAllTypes(t *testing.T) {
	seen := map[zapcore.FieldType]bool{zapcore.SkipType: true, zapcore.Int16Type: true, zapcore.Int8Type: true, zapcore.Uint16Type: true, zapcore.Uint8Type: true}
	for _, f := range append(textFields("x"), numberFields(1)...) {
		seen[f.field.Type] = true
	}
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	seen[zap.Time("f", far).Type] = true
	for typ := zapcore.ArrayMarshalerType; typ <= zapcore.InlineMarshalerType; typ++ {
		if !seen[typ] {
			t.Errorf("type %d is in no table", typ)
		}
	}
}

// TestFieldsKeepTheirMeaning checks what is written around and in place of values.
func TestFieldsKeepTheirMeaning(t *testing.T) {
	const canary = "value-of-the-secret"
	tests := []struct {
		name  string
		field zapcore.Field
		want  string
	}{
		{"string", zap.String("f", "a "+canary+" b"), `"f":"a [redacted:c] b"`},
		{"clean object", zap.Object("f", loggable{text: "x"}), `"f":{"text":"x","x":"x","raw":"eA==","array":["x",{"deep":"x"}],"any":{"k":"x"}}`},
		{"inline", zap.Inline(numbers(7)), `"int":7,"int8":7,"int16":7,"int32":7,"int64":7,"uint":7,"uint8":7,"uint16":7,"uint32":7,"uint64":7,"uintptr":7,"f32":7,"f64":7,"c64":"7+0i","c128":"7+0i","dur":7,"time":0,"bool":true,"arr":[7,7,7,7,7,7,7,7,7,7,7,7,7,"7+0i","7+0i",7,0,true,"x",null,[null]]`},
		{"namespace", zap.Namespace("n"), `"n":{"after":1`},
		{"error", zap.Error(errorGroup{[]error{errors.New(canary), errors.New("x")}}), `"error":"2 errors","errorCauses":[{"error":"[redacted:c]"},{"error":"x"}]`},
		{"nil error", zap.NamedError("f", nil), `"before":1,"after":1`},
		{"nil Stringer", zap.Stringer("f", (*nilName)(nil)), `"f":"<nil>"`},
		{"nil", zap.Reflect("f", nil), `"f":null`},
		{"HTML", zap.Reflect("f", map[string]string{"k": "<&>"}), `"f":{"k":"<&>"}`},
		{"equal keys", zap.Reflect("f", map[string]int{canary: 1, "[redacted:c]": 2}), `"f":{"[redacted:c]":2,"[redacted:c]#2":1}`},
		{"number in reflected", zap.Reflect("f", []any{1e3, 12345}), `"f":[1000,12345]`},
		{"small numbers", zap.Ints("f", []int{-999, 0, 999}), `"f":[-999,0,999]`},
		{"unencodable", zap.Reflect("f", func() {}), `"fError":"json: unsupported type: func()"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := sinks(t, newSet(t, canary))["JSON"](tt.field, false)
			if !bytes.Contains(out, []byte(tt.want)) || !json.Valid(out) {
				t.Errorf("got  %s\nwant %s", out, tt.want)
			}
		})
	}
}

// TestUnknownField checks that zap's own complaint about a broken field does not print it.
func TestUnknownField(t *testing.T) {
	canary := secretstest.Canary(t)
	defer func() {
		text := fmt.Sprint(recover())
		secretstest.AssertAbsent(t, []string{canary}, []byte(text))
	}()
	var out bytes.Buffer
	guarded(t, newSet(t, canary), &out).Info("m", zapcore.Field{Key: "f", String: canary, Interface: canary})
}
