package zapguard

import (
	"time"

	"go.uber.org/zap/zapcore"
)

// guardedArray redacts what an array writes.
type guardedArray struct {
	inner zapcore.ArrayMarshaler
	guard *guard
}

func (a guardedArray) MarshalLogArray(enc zapcore.ArrayEncoder) error {
	return a.inner.MarshalLogArray(&arrayEncoder{inner: enc, guard: a.guard})
}

// arrayEncoder redacts what is appended to an encoder.
type arrayEncoder struct {
	inner zapcore.ArrayEncoder
	guard *guard
}

// number appends a marker in place of a number that holds a value, and reports whether it did.
func (e *arrayEncoder) number(marker string, hits int) bool {
	if hits > 0 {
		e.inner.AppendString(marker)
	}
	return hits > 0
}

func (e *arrayEncoder) AppendArray(m zapcore.ArrayMarshaler) error {
	return e.inner.AppendArray(guardedArray{m, e.guard})
}

func (e *arrayEncoder) AppendObject(m zapcore.ObjectMarshaler) error {
	return e.inner.AppendObject(guardedObject{m, e.guard})
}

func (e *arrayEncoder) AppendReflected(value any) error {
	if value == nil {
		return e.inner.AppendReflected(nil)
	}
	raw, err := e.guard.render(value)
	if err != nil {
		return err
	}
	return e.inner.AppendReflected(raw)
}

func (e *arrayEncoder) AppendString(value string) {
	value, _ = e.guard.r.String(value)
	e.inner.AppendString(value)
}

func (e *arrayEncoder) AppendByteString(value []byte) {
	value, _ = e.guard.r.Bytes(value)
	e.inner.AppendByteString(value)
}

func (e *arrayEncoder) AppendBool(v bool)      { e.inner.AppendBool(v) }
func (e *arrayEncoder) AppendTime(v time.Time) { e.inner.AppendTime(v) }

func (e *arrayEncoder) AppendComplex128(v complex128) {
	if !e.number(e.guard.complex(v, 128)) {
		e.inner.AppendComplex128(v)
	}
}

func (e *arrayEncoder) AppendComplex64(v complex64) {
	if !e.number(e.guard.complex(complex128(v), 64)) {
		e.inner.AppendComplex64(v)
	}
}

func (e *arrayEncoder) AppendDuration(v time.Duration) {
	if !e.number(e.guard.integer(int64(v))) {
		e.inner.AppendDuration(v)
	}
}

func (e *arrayEncoder) AppendFloat64(v float64) {
	if !e.number(e.guard.float(v, 64)) {
		e.inner.AppendFloat64(v)
	}
}

func (e *arrayEncoder) AppendFloat32(v float32) {
	if !e.number(e.guard.float(float64(v), 32)) {
		e.inner.AppendFloat32(v)
	}
}

func (e *arrayEncoder) AppendInt(v int) {
	if !e.number(e.guard.integer(int64(v))) {
		e.inner.AppendInt(v)
	}
}

func (e *arrayEncoder) AppendInt64(v int64) {
	if !e.number(e.guard.integer(v)) {
		e.inner.AppendInt64(v)
	}
}

func (e *arrayEncoder) AppendInt32(v int32) {
	if !e.number(e.guard.integer(int64(v))) {
		e.inner.AppendInt32(v)
	}
}

func (e *arrayEncoder) AppendInt16(v int16) {
	if !e.number(e.guard.integer(int64(v))) {
		e.inner.AppendInt16(v)
	}
}

func (e *arrayEncoder) AppendInt8(v int8) {
	if !e.number(e.guard.integer(int64(v))) {
		e.inner.AppendInt8(v)
	}
}

func (e *arrayEncoder) AppendUint(v uint) {
	if !e.number(e.guard.unsigned(uint64(v))) {
		e.inner.AppendUint(v)
	}
}

func (e *arrayEncoder) AppendUint64(v uint64) {
	if !e.number(e.guard.unsigned(v)) {
		e.inner.AppendUint64(v)
	}
}

func (e *arrayEncoder) AppendUint32(v uint32) {
	if !e.number(e.guard.unsigned(uint64(v))) {
		e.inner.AppendUint32(v)
	}
}

func (e *arrayEncoder) AppendUint16(v uint16) {
	if !e.number(e.guard.unsigned(uint64(v))) {
		e.inner.AppendUint16(v)
	}
}

func (e *arrayEncoder) AppendUint8(v uint8) {
	if !e.number(e.guard.unsigned(uint64(v))) {
		e.inner.AppendUint8(v)
	}
}

func (e *arrayEncoder) AppendUintptr(v uintptr) {
	if !e.number(e.guard.unsigned(uint64(v))) {
		e.inner.AppendUintptr(v)
	}
}
