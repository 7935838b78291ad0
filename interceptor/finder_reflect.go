package interceptor

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// value is any for what is not JSON's own types.
func (f *finder) value(v reflect.Value, key string, left int) bool {
	if !v.IsValid() {
		return false
	}
	return f.planned(v, planOf(v.Type()), key, left)
}

func (f *finder) wants(p *plan) bool {
	return f.guard && p.guard || f.text != nil && p.text || f.encoded && p.number
}

// planned looks at a value whose plan is known.
func (f *finder) planned(v reflect.Value, p *plan, key string, left int) bool {
	if !f.wants(p) || p.null && v.IsNil() {
		return false
	}
	if f.tooFar(left) {
		return true
	}
	switch p.role {
	case roleValue:
		return f.guard && !v.IsZero()
	case roleTime:
		return false
	case roleManifest:
		return !f.refs || namesSecrets(v)
	case roleRunConfig:
		return true
	case roleRaw:
		return v.Kind() == reflect.Struct || v.Kind() == reflect.Pointer && !v.IsNil() || v.Kind() == reflect.Slice && v.Len() > 0
	case rolePlain, roleObject:
	}
	if p.opaque && f.text != nil || f.encoded && (p.embeds || p.hidden) {
		return true
	}
	switch k := v.Kind(); {
	case k == reflect.String:
		return f.text != nil && f.text.finds(key, v.String())
	case isNumber(k):
		return f.encoded && f.number(v)
	case k == reflect.Interface:
		if v.IsNil() {
			return false
		}
		if v.NumMethod() == 0 && v.CanInterface() {
			return f.any(v.Interface(), key, left-1)
		}
		return f.value(v.Elem(), key, left-1)
	case k == reflect.Pointer:
		return !v.IsNil() && f.planned(v.Elem(), p.elem(), key, left-1)
	case k == reflect.Map:
		if p.role == roleObject && v.CanInterface() {
			return f.object(v.Interface().(map[string]any), key, left)
		}
		return f.mapping(v, p, key, left)
	case k == reflect.Slice, k == reflect.Array:
		return f.sequence(v, p, key, left)
	case k == reflect.Struct:
		return f.structure(v, p, left)
	}
	return false
}

func (f *finder) structure(v reflect.Value, p *plan, left int) bool {
	for i := range p.fields {
		field := &p.fields[i]
		if !(f.guard && field.guard || f.text != nil && field.text || f.encoded && field.number) {
			continue
		}
		fv, ok := fieldAt(v, field.index)
		if !ok { // a nil embedded pointer: nothing there
			continue
		}
		if f.planned(fv, p.field(i), field.name, left-1) {
			return true
		}
	}
	if !f.unsent && !f.encoded {
		return false
	}
	// Another converter may send these. They are rare: the walk looks at what they
	// hold.
	for i := range p.unsent {
		if fv, ok := fieldAt(v, p.unsent[i].index); ok && (p.unsent[i].text || p.unsent[i].number) && !fv.IsZero() {
			return true
		}
	}
	return false
}

// namesSecrets reports whether the environment of a manifest holds a reference, or a
// text where one belongs.
func namesSecrets(v reflect.Value) bool {
	var m *sandbox.Manifest
	switch {
	case !v.CanInterface():
		return true
	case v.CanAddr(): // what is addressed is copied when it is made an interface
		m = v.Addr().Interface().(*sandbox.Manifest)
	default:
		held := v.Interface().(sandbox.Manifest)
		m = &held
	}
	for name := range m.Environment.Values {
		if ev := m.Environment.Values[name]; !ev.Secret.IsZero() {
			return true
		}
	}
	return false
}

// fieldAt returns a field, without the detour that one of an embedded struct takes.
func fieldAt(v reflect.Value, index []int) (reflect.Value, bool) {
	if len(index) == 1 {
		return v.Field(index[0]), true
	}
	field, err := v.FieldByIndexErr(index)
	return field, err == nil
}

func (f *finder) sequence(v reflect.Value, p *plan, key string, left int) bool {
	if p.bytes {
		return f.text != nil && f.bytes(v, key)
	}
	elem := p.elem()
	if !f.wants(elem) {
		return false
	}
	if namesGuardData(key) {
		key = "" // a map in a list is not the map under the key
	}
	for i := range v.Len() {
		if f.planned(v.Index(i), elem, key, left-1) {
			return true
		}
	}
	return false
}

// bytes looks at a slice or an array of bytes.
func (f *finder) bytes(v reflect.Value, key string) bool {
	if v.Kind() == reflect.Slice {
		return f.text.findsBytes(key, v.Bytes())
	}
	const longest = 64 // of a digest
	if !f.encoded {
		return false // JSON writes numbers, which a judgement does not look at
	}
	var data [longest]byte
	if v.Len() > longest {
		return true
	}
	for i := range v.Len() {
		data[i] = byte(v.Index(i).Uint()) //nolint:gosec // an element of one byte
	}
	return f.text.hidden.Contains(data[:v.Len()])
}

// mapping looks at a map by means of values that are used again for each entry,
// since a copy of an entry is an allocation.
func (f *finder) mapping(v reflect.Value, p *plan, key string, left int) bool {
	if v.Len() == 0 {
		return f.objects && namesGuardData(key) && !v.IsNil()
	}
	if f.objects && namesGuardData(key) {
		return true
	}
	keys, elems := p.keys(), p.elem()
	texts, numbers := f.text != nil && keys.text, f.encoded && keys.number
	if keys.opaque || keys.role != rolePlain || keys.kind != reflect.String && !isNumber(keys.kind) {
		return true // a key that is written by means of its own
	}
	if !texts && !numbers && !f.wants(elems) {
		return false
	}
	e := p.entry()
	found := false
	for e.iter.Reset(v); !found && e.iter.Next(); {
		e.key.SetIterKey(&e.iter)
		e.elem.SetIterValue(&e.iter)
		name := ""
		if keys.kind == reflect.String {
			name = e.key.String()
			found = f.text != nil && f.text.finds("", name)
		} else if numbers {
			found = f.number(e.key)
		}
		found = found || f.planned(e.elem, elems, name, left-1)
	}
	p.release(e)
	return found
}

// An entry is what a map is iterated with.
type entry struct {
	iter      reflect.MapIter
	key, elem reflect.Value
}

func (p *plan) entry() *entry {
	if e, ok := p.entries.Get().(*entry); ok {
		return e
	}
	return &entry{key: reflect.New(p.typ.Key()).Elem(), elem: reflect.New(p.typ.Elem()).Elem()}
}

// release keeps an entry for the next map, and nothing of this one.
func (p *plan) release(e *entry) {
	e.iter.Reset(reflect.Value{})
	e.key.SetZero()
	e.elem.SetZero()
	p.entries.Put(e)
}

// numbers are buffers to write numbers into: what is searched does not stay on the
// stack.
var numbers = sync.Pool{New: func() any { return new([maxFloat]byte) }}

// number looks at the forms in which a number is written.
func (f *finder) number(v reflect.Value) bool {
	buf := numbers.Get().(*[maxFloat]byte)
	defer numbers.Put(buf)
	switch {
	case v.CanInt():
		return f.text.hidden.Contains(strconv.AppendInt(buf[:0], v.Int(), 10))
	case v.CanUint():
		return f.text.hidden.Contains(strconv.AppendUint(buf[:0], v.Uint(), 10))
	}
	return f.float(v.Float(), v.Type().Bits())
}

func (f *finder) float(x float64, bits int) bool {
	buf := numbers.Get().(*[maxFloat]byte)
	defer numbers.Put(buf)
	plain, exponent := floatForms(buf[:0], x, bits)
	return f.text.hidden.Contains(plain) || f.text.hidden.Contains(exponent)
}
