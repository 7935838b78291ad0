package zapguard_test

import (
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// textsOnly is a redactor without a method for JSON.
type textsOnly struct{ set *redact.Set }

func (r textsOnly) String(in string) (string, int) { return r.set.String(in) }
func (r textsOnly) Bytes(in []byte) ([]byte, int)  { return r.set.Bytes(in) }

// name is a Stringer.
type name string

func (n name) String() string { return "name " + string(n) }

// nilName is a Stringer that does not work without a value.
type nilName struct{ text string }

func (n *nilName) String() string { return n.text }

// panicking panics with its text wherever it is rendered.
type panicking struct{ text string }

func (p panicking) String() string { panic("while rendering " + p.text) }
func (p panicking) Error() string  { panic(errors.New(p.text)) }

// verboseError shows more with %+v.
type verboseError struct{ text string }

func (e verboseError) Error() string { return "short" }

func (e verboseError) Format(s fmt.State, verb rune) {
	if verb == 'v' && s.Flag('+') {
		_, _ = io.WriteString(s, "long: "+e.text)
		return
	}
	_, _ = io.WriteString(s, e.Error())
}

// errorGroup is what zap takes for several errors.
type errorGroup struct{ errs []error }

func (g errorGroup) Error() string   { return fmt.Sprintf("%d errors", len(g.errs)) }
func (g errorGroup) Errors() []error { return g.errs }

// marshaler encodes itself.
type marshaler struct{ text string }

func (m marshaler) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%q]", m.text), nil }

// failingMarshaler fails and says what it failed with.
type failingMarshaler struct{ text string }

func (m failingMarshaler) MarshalJSON() ([]byte, error) {
	return nil, errors.New("cannot encode " + m.text)
}

// loggable writes its text in each way there is, as key and as value.
type loggable struct {
	text string
	err  error
}

func (l loggable) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("text", l.text)
	enc.AddByteString(l.text, []byte(l.text))
	enc.AddBinary("raw", []byte(l.text))
	if err := enc.AddArray("array", loggableArray{l.text}); err != nil {
		return err
	}
	if err := enc.AddReflected("any", map[string]string{"k": l.text}); err != nil {
		return err
	}
	return l.err
}

// pointerLoggable is loggable by its address.
type pointerLoggable struct{ text string }

func (l *pointerLoggable) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.OpenNamespace(l.text)
	return enc.AddObject(l.text, loggable{text: l.text})
}

// loggableArray appends its text and an object with it.
type loggableArray struct{ text string }

func (l loggableArray) MarshalLogArray(enc zapcore.ArrayEncoder) error {
	enc.AppendString(l.text)
	return enc.AppendObject(zapcore.ObjectMarshalerFunc(func(enc zapcore.ObjectEncoder) error {
		enc.AddString("deep", l.text)
		return nil
	}))
}

// numbers writes a number in each way there is.
type numbers uint64

func (n numbers) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddInt("int", int(n))
	enc.AddInt8("int8", int8(n))
	enc.AddInt16("int16", int16(n))
	enc.AddInt32("int32", int32(n))
	enc.AddInt64("int64", int64(n))
	enc.AddUint("uint", uint(n))
	enc.AddUint8("uint8", uint8(n))
	enc.AddUint16("uint16", uint16(n))
	enc.AddUint32("uint32", uint32(n))
	enc.AddUint64("uint64", uint64(n))
	enc.AddUintptr("uintptr", uintptr(n))
	enc.AddFloat32("f32", float32(n))
	enc.AddFloat64("f64", float64(n))
	enc.AddComplex64("c64", complex(float32(n), 0))
	enc.AddComplex128("c128", complex(float64(n), 0))
	enc.AddDuration("dur", time.Duration(n))
	enc.AddTime("time", time.Unix(0, 0))
	enc.AddBool("bool", true)
	return enc.AddArray("arr", zapcore.ArrayMarshalerFunc(func(enc zapcore.ArrayEncoder) error {
		enc.AppendInt(int(n))
		enc.AppendInt8(int8(n))
		enc.AppendInt16(int16(n))
		enc.AppendInt32(int32(n))
		enc.AppendInt64(int64(n))
		enc.AppendUint(uint(n))
		enc.AppendUint8(uint8(n))
		enc.AppendUint16(uint16(n))
		enc.AppendUint32(uint32(n))
		enc.AppendUint64(uint64(n))
		enc.AppendUintptr(uintptr(n))
		enc.AppendFloat32(float32(n))
		enc.AppendFloat64(float64(n))
		enc.AppendComplex64(complex(float32(n), 0))
		enc.AppendComplex128(complex(float64(n), 0))
		enc.AppendDuration(time.Duration(n))
		enc.AppendTime(time.Unix(0, 0))
		enc.AppendBool(true)
		enc.AppendByteString([]byte("x"))
		if err := enc.AppendReflected(nil); err != nil {
			return err
		}
		return enc.AppendArray(zapcore.ArrayMarshalerFunc(func(enc zapcore.ArrayEncoder) error { return enc.AppendReflected(nil) }))
	}))
}
