package zapguard

import (
	"time"

	"go.uber.org/zap/zapcore"
)

// objectEncoder redacts what is added to an encoder. It has each method on its own rather than by embedding,
// so that a method which zap adds some day cannot pass by the guard.
type objectEncoder struct {
	inner zapcore.ObjectEncoder
	guard *guard
}

func (e *objectEncoder) key(k string) string {
	k, _ = e.guard.r.String(k)
	return k
}

// number adds a marker in place of a number that holds a value, and reports whether it did.
func (e *objectEncoder) number(key, marker string, hits int) bool {
	if hits > 0 {
		e.inner.AddString(e.key(key), marker)
	}
	return hits > 0
}

func (e *objectEncoder) integer(key string, n int64) bool {
	marker, hits := e.guard.integer(n)
	return e.number(key, marker, hits)
}

func (e *objectEncoder) unsigned(key string, n uint64) bool {
	marker, hits := e.guard.unsigned(n)
	return e.number(key, marker, hits)
}

func (e *objectEncoder) float(key string, n float64, size int) bool {
	marker, hits := e.guard.float(n, size)
	return e.number(key, marker, hits)
}

func (e *objectEncoder) complex(key string, n complex128, size int) bool {
	marker, hits := e.guard.complex(n, size)
	return e.number(key, marker, hits)
}

func (e *objectEncoder) OpenNamespace(key string) { e.inner.OpenNamespace(e.key(key)) }

func (e *objectEncoder) AddArray(key string, m zapcore.ArrayMarshaler) error {
	return e.inner.AddArray(e.key(key), guardedArray{m, e.guard})
}

func (e *objectEncoder) AddObject(key string, m zapcore.ObjectMarshaler) error {
	return e.inner.AddObject(e.key(key), guardedObject{m, e.guard})
}

func (e *objectEncoder) AddReflected(key string, value any) error {
	if value == nil {
		return e.inner.AddReflected(e.key(key), nil)
	}
	raw, err := e.guard.render(value)
	if err != nil {
		return err
	}
	return e.inner.AddReflected(e.key(key), raw)
}

func (e *objectEncoder) AddBinary(key string, value []byte) {
	value, _ = e.guard.r.Bytes(value)
	e.inner.AddBinary(e.key(key), value)
}

func (e *objectEncoder) AddByteString(key string, value []byte) {
	value, _ = e.guard.r.Bytes(value)
	e.inner.AddByteString(e.key(key), value)
}

func (e *objectEncoder) AddString(key, value string) {
	value, _ = e.guard.r.String(value)
	e.inner.AddString(e.key(key), value)
}

func (e *objectEncoder) AddBool(key string, v bool)      { e.inner.AddBool(e.key(key), v) }
func (e *objectEncoder) AddTime(key string, v time.Time) { e.inner.AddTime(e.key(key), v) }

func (e *objectEncoder) AddComplex128(key string, v complex128) {
	if !e.complex(key, v, 128) {
		e.inner.AddComplex128(e.key(key), v)
	}
}

func (e *objectEncoder) AddComplex64(key string, v complex64) {
	if !e.complex(key, complex128(v), 64) {
		e.inner.AddComplex64(e.key(key), v)
	}
}

func (e *objectEncoder) AddDuration(key string, v time.Duration) {
	if !e.integer(key, int64(v)) {
		e.inner.AddDuration(e.key(key), v)
	}
}

func (e *objectEncoder) AddFloat64(key string, v float64) {
	if !e.float(key, v, 64) {
		e.inner.AddFloat64(e.key(key), v)
	}
}

func (e *objectEncoder) AddFloat32(key string, v float32) {
	if !e.float(key, float64(v), 32) {
		e.inner.AddFloat32(e.key(key), v)
	}
}

func (e *objectEncoder) AddInt(key string, v int) {
	if !e.integer(key, int64(v)) {
		e.inner.AddInt(e.key(key), v)
	}
}

func (e *objectEncoder) AddInt64(key string, v int64) {
	if !e.integer(key, v) {
		e.inner.AddInt64(e.key(key), v)
	}
}

func (e *objectEncoder) AddInt32(key string, v int32) {
	if !e.integer(key, int64(v)) {
		e.inner.AddInt32(e.key(key), v)
	}
}

func (e *objectEncoder) AddInt16(key string, v int16) {
	if !e.integer(key, int64(v)) {
		e.inner.AddInt16(e.key(key), v)
	}
}

func (e *objectEncoder) AddInt8(key string, v int8) {
	if !e.integer(key, int64(v)) {
		e.inner.AddInt8(e.key(key), v)
	}
}

func (e *objectEncoder) AddUint(key string, v uint) {
	if !e.unsigned(key, uint64(v)) {
		e.inner.AddUint(e.key(key), v)
	}
}

func (e *objectEncoder) AddUint64(key string, v uint64) {
	if !e.unsigned(key, v) {
		e.inner.AddUint64(e.key(key), v)
	}
}

func (e *objectEncoder) AddUint32(key string, v uint32) {
	if !e.unsigned(key, uint64(v)) {
		e.inner.AddUint32(e.key(key), v)
	}
}

func (e *objectEncoder) AddUint16(key string, v uint16) {
	if !e.unsigned(key, uint64(v)) {
		e.inner.AddUint16(e.key(key), v)
	}
}

func (e *objectEncoder) AddUint8(key string, v uint8) {
	if !e.unsigned(key, uint64(v)) {
		e.inner.AddUint8(e.key(key), v)
	}
}

func (e *objectEncoder) AddUintptr(key string, v uintptr) {
	if !e.unsigned(key, uint64(v)) {
		e.inner.AddUintptr(e.key(key), v)
	}
}

// guardedObject redacts what an object writes.
type guardedObject struct {
	inner zapcore.ObjectMarshaler
	guard *guard
}

func (o guardedObject) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	return o.inner.MarshalLogObject(&objectEncoder{inner: enc, guard: o.guard})
}
