package interceptor

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// maxDepth bounds a walk. encoding/json gives up on cycles at a depth of its
// own; anything this deep is refused by name instead of being half looked at.
const maxDepth = 64

// A visitor is told what a walk meets. Every hook may be nil. Hooks that return
// a value return (replacement, true) to change the walk's copy.
type visitor struct {
	// value meets every non-zero secrets.Value. typed is false below an
	// interface: after the wire nobody can tell such a value from text that an
	// attacker wrote (I6). The same holds for the references of a manifest.
	value     func(at place, v secrets.Value, typed bool) (secrets.Value, bool)
	manifest  func(at place, m sandbox.Manifest, typed bool) (sandbox.Manifest, bool)
	runConfig func(at place, rc sandbox.RunConfig, typed bool) (sandbox.RunConfig, bool)
	// object meets every map under a key named sandbox or manifest.
	object func(at place, key string, m any) (any, bool)
	// skip ends the walk at a place that was dealt with in another way.
	skip func(at place) bool
	// text meets strings, printable bytes and map keys; key is the name of the
	// field or map entry that holds it.
	text func(at place, key, s string)
}

// A walker goes through arguments without ever changing them: what a hook
// replaces is replaced in a copy of the path that leads there.
type walker struct {
	visitor
	at      place
	depth   int // of the recursion: pointers lead deeper without a segment
	visited int // values looked at, bounded by maxVisited
	onPath  map[graphNode]bool
	tooDeep bool
	// unsent is true where fields that JSON leaves out may be sent all the same.
	unsent bool
	// search says what text acts on: nothing else is looked at twice. Without it
	// every text is met.
	search *search
	// lost is true after a finder gave up: it would again.
	lost bool
}

// maxVisited bounds a walk over values that share parts of themselves: as a graph
// they are small, as the tree that a walk sees they may have no end.
const maxVisited = 1 << 21

// graphNode identifies what a pointer or map leads to, together with its type.
type graphNode struct {
	t reflect.Type
	p uintptr
}

// enter notes that the walk stands below a pointer or map, and is false when it
// does already: what leads back to itself has nothing new to show.
func (w *walker) enter(v reflect.Value) (leave func(), fresh bool) {
	key := graphNode{v.Type(), v.Pointer()}
	if w.onPath[key] {
		return nil, false
	}
	if w.onPath == nil {
		w.onPath = map[graphNode]bool{}
	}
	w.onPath[key] = true
	return func() { delete(w.onPath, key) }, true
}

// values walks each of vs as the argument at its index and returns the slice to
// use instead: vs itself when nothing changed.
func (w *walker) values(vs []any) []any {
	out, copied := vs, false
	for i, v := range vs {
		w.at = append(w.at[:0], step{name: strconv.Itoa(i)})
		if nv, changed := w.any(v, ""); changed {
			if !copied {
				out, copied = slices.Clone(vs), true
			}
			out[i] = nv
		}
	}
	w.at = w.at[:0]
	return out
}

// any walks a value whose own type is as static as it gets at a call.
func (w *walker) any(v any, key string) (any, bool) {
	if v == nil || w.still(reflect.ValueOf(v), key) {
		return v, false
	}
	nv, changed := w.walk(reflect.ValueOf(v), key, true)
	if !changed {
		return v, false
	}
	return nv.Interface(), true
}

// isLeaf is true for the kinds of values that hold no others.
func isLeaf(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

func (w *walker) wants(p *plan) bool {
	if w.text != nil && p.text {
		return true
	}
	return p.guard && (w.value != nil || w.manifest != nil || w.object != nil)
}

func (w *walker) under(s step, v reflect.Value, key string, typed bool) (reflect.Value, bool) {
	if len(w.at) >= maxDepth {
		w.tooDeep = true
		return v, false
	}
	if !isLeaf(v.Kind()) && w.still(v, key) {
		return v, false
	}
	w.at = append(w.at, s)
	nv, changed := w.walk(v, key, typed)
	w.at = w.at[:len(w.at)-1]
	return nv, changed
}

func (w *walker) walk(v reflect.Value, key string, typed bool) (reflect.Value, bool) {
	if !v.IsValid() {
		return v, false
	}
	if w.visited++; w.tooDeep || w.depth > 2*maxDepth || w.visited > maxVisited {
		w.tooDeep = true
		return v, false
	}
	w.depth++
	defer func() { w.depth-- }()
	t := v.Type()
	switch t {
	case typeValue:
		return w.visitValue(v, typed)
	case typeManifest:
		return w.visitManifest(v, typed)
	case typeRunConfig:
		return w.visitRunConfig(v, typed)
	case typeTime:
		return v, false
	}
	p := planOf(t)
	if !w.wants(p) || w.skip != nil && w.skip(w.at) {
		return v, false
	}
	switch t {
	case typeRawJSON:
		w.textOfJSON(v.Bytes(), key)
		return v, false
	case typeRawValue:
		rv := v.Interface().(converter.RawValue)
		w.textOfPayload(rv.Payload(), key)
		return v, false
	case typePayload:
		w.textOfPayload(v.Interface().(*commonpb.Payload), key)
		return v, false
	case typePayloads:
		for _, pl := range v.Interface().(*commonpb.Payloads).GetPayloads() {
			w.textOfPayload(pl, key)
		}
		return v, false
	}
	if p.opaque {
		w.textOfOpaque(v, key)
		if v.CanInterface() {
			if _, ok := v.Interface().(proto.Message); ok {
				return v, false
			}
		}
		typed = typed && !p.marshals
		saved := w.text
		w.text = nil
		defer func() { w.text = saved }()
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		return w.walk(v.Elem(), key, false)
	case reflect.Pointer:
		return w.pointer(v, key, typed)
	case reflect.String:
		if w.text != nil {
			w.text(w.at, key, v.String())
		}
	case reflect.Map:
		return w.mapping(v, key, typed)
	case reflect.Slice, reflect.Array:
		return w.sequence(v, key, typed)
	case reflect.Struct:
		return w.structure(v, p, typed)
	}
	return v, false
}

func (w *walker) visitValue(v reflect.Value, typed bool) (reflect.Value, bool) {
	if w.value == nil || !v.CanInterface() {
		return v, false
	}
	val := v.Interface().(secrets.Value)
	if val.IsZero() {
		return v, false
	}
	if nv, changed := w.value(w.at, val, typed); changed {
		return reflect.ValueOf(nv), true
	}
	return v, false
}

func (w *walker) visitManifest(v reflect.Value, typed bool) (reflect.Value, bool) {
	m := v.Interface().(sandbox.Manifest)
	changed := false
	if w.manifest != nil {
		var nm sandbox.Manifest
		if nm, changed = w.manifest(w.at, m, typed); changed {
			v = reflect.ValueOf(nm)
		}
	}
	w.textOfEntries(m)
	return v, changed
}

func (w *walker) visitRunConfig(v reflect.Value, typed bool) (reflect.Value, bool) {
	rc := v.Interface().(sandbox.RunConfig)
	w.textOfRunConfig(rc)
	if w.runConfig != nil {
		if nrc, changed := w.runConfig(w.at, rc, typed); changed {
			return reflect.ValueOf(nrc), true
		}
	}
	return v, false
}

func (w *walker) pointer(v reflect.Value, key string, typed bool) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	leave, fresh := w.enter(v)
	if !fresh {
		return v, false
	}
	defer leave()
	if len(w.at) >= maxDepth {
		w.tooDeep = true
		return v, false
	}
	nv, changed := w.walk(v.Elem(), key, typed)
	if !changed {
		return v, false
	}
	if nv.Type() != v.Type().Elem() {
		return nv, true
	}
	np := reflect.New(v.Type().Elem())
	np.Elem().Set(nv)
	return np, true
}

func (w *walker) mapping(v reflect.Value, key string, typed bool) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	leave, fresh := w.enter(v)
	if !fresh {
		return v, false
	}
	defer leave()
	if w.object != nil && namesGuardData(key) && v.CanInterface() {
		if nv, handled := w.object(w.at, key, v.Interface()); handled {
			if nv == nil {
				return v, false
			}
			return reflect.ValueOf(nv), true
		}
	}
	out, copied := v, false
	iter := v.MapRange()
	for iter.Next() {
		k := iter.Key()
		name := keyText(k)
		if w.text != nil && k.Kind() == reflect.String {
			w.at = append(w.at, step{name: name, keys: v})
			w.text(w.at, "", name)
			w.at = w.at[:len(w.at)-1]
		}
		nv, changed := w.under(step{name: name, keys: v}, iter.Value(), name, typed)
		if !changed || !nv.Type().AssignableTo(v.Type().Elem()) {
			continue
		}
		if !copied {
			copied = true
			out = reflect.MakeMapWithSize(v.Type(), v.Len())
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
		}
		out.SetMapIndex(k, nv)
	}
	return out, copied
}

func (w *walker) sequence(v reflect.Value, key string, typed bool) (reflect.Value, bool) {
	if isBytes(v.Type()) {
		if w.text != nil && v.Kind() == reflect.Slice && utf8.Valid(v.Bytes()) {
			w.text(w.at, key, string(v.Bytes()))
		}
		return v, false
	}
	if namesGuardData(key) {
		key = "" // a map in a list is not the map under the key
	}
	out, copied := v, false
	for i := range v.Len() {
		nv, changed := w.under(step{name: strconv.Itoa(i)}, v.Index(i), key, typed)
		if !changed || !nv.Type().AssignableTo(v.Type().Elem()) {
			continue
		}
		if !copied {
			copied = true
			if v.Kind() == reflect.Array {
				out = reflect.New(v.Type()).Elem()
			} else {
				out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			}
			reflect.Copy(out, v)
		}
		out.Index(i).Set(nv)
	}
	return out, copied
}

func (w *walker) structure(v reflect.Value, p *plan, typed bool) (reflect.Value, bool) {
	out, copied := v, false
	fields := len(p.fields)
	if w.unsent {
		fields += len(p.unsent)
	}
	for i := range fields {
		f := p.at(i)
		if !(f.guard && !f.unsent || (f.text && w.text != nil)) {
			continue
		}
		fv, err := v.FieldByIndexErr(f.index)
		if err != nil { // a nil embedded pointer: nothing there
			continue
		}
		nv, changed := w.under(step{name: f.name}, fv, f.name, typed)
		if !changed || !nv.Type().AssignableTo(fv.Type()) {
			continue
		}
		if !copied {
			copied = true
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		target, err := settable(out, f.index)
		if err != nil {
			continue
		}
		target.Set(nv)
	}
	return out, copied
}

// settable returns the field of v at index, copying embedded pointers on the way
// so that the original's embedded struct is not written to.
func settable(v reflect.Value, index []int) (reflect.Value, error) {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, fmt.Errorf("interceptor: nil embedded pointer")
			}
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			v = fresh.Elem()
		}
		v = v.Field(x)
	}
	return v, nil
}
