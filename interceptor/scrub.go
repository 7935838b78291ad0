package interceptor

import (
	"reflect"
	"strconv"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// scrub walks a Go value and hides secrets in a copy of the path to each.
type scrub struct {
	cleaner
	hits     int
	withheld bool
	reencode bool
	// unsure is true when the walk met a type whose encoding only encoding it tells.
	unsure bool
}

func (s *scrub) walk(v reflect.Value, depth int) (reflect.Value, bool) {
	if !v.IsValid() || s.withheld || s.reencode {
		return v, false
	}
	if depth > maxDepth {
		s.reencode = true
		return v, false
	}
	t := v.Type()
	switch t {
	case typeValue, typeTime:
		return v, false
	case typeRawValue:
		return s.rawValue(v.Interface().(converter.RawValue))
	case typeRawJSON:
		return s.rawJSON(v)
	case typePayload:
		return s.onePayload(v)
	case typePayloads:
		return s.allPayloads(v)
	}
	p := planOf(t)
	if !p.text && !p.number {
		return v, false
	}
	s.unsure = s.unsure || p.opaque || p.embeds
	if t == typeNumber {
		s.number(v.String())
		return v, false
	}
	if p.opaque || hasHiddenText(t) {
		return s.opaque(v)
	}
	switch v.Kind() {
	case reflect.String:
		text, hits := s.text(v.String())
		if hits == 0 {
			return v, false
		}
		s.hits += hits
		return reflect.ValueOf(text).Convert(t), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.number(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.number(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		s.number(strconv.FormatFloat(v.Float(), 'f', -1, t.Bits()))
		s.number(strconv.FormatFloat(v.Float(), 'e', -1, t.Bits()))
	case reflect.Interface:
		if !v.IsNil() {
			return s.walk(v.Elem(), depth)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		nv, changed := s.walk(v.Elem(), depth+1)
		if !changed {
			return v, false
		}
		np := reflect.New(t.Elem())
		if !nv.Type().AssignableTo(t.Elem()) {
			return nv, true
		}
		np.Elem().Set(nv)
		return np, true
	case reflect.Map:
		return s.mapping(v, depth)
	case reflect.Slice, reflect.Array:
		return s.sequence(v, depth)
	case reflect.Struct:
		return s.structure(v, p, depth)
	}
	return v, false
}

// number withholds what a number could only hide by changing its type.
func (s *scrub) number(text string) {
	if s.hidden.ContainsString(text) {
		s.withheld = true
	}
}

// opaque looks at what a type writes by means of its own, and has the whole
// value encoded when there is something to hide.
func (s *scrub) opaque(v reflect.Value) (reflect.Value, bool) {
	if !v.CanInterface() {
		return v, false
	}
	if m, isProto := v.Interface().(proto.Message); isProto && !s.protoIsPlain(m) {
		s.withheld = true
		return v, false
	}
	data, ok := encodeOpaque(v.Interface())
	if !ok {
		return v, false // it cannot be sent either
	}
	if _, hits := s.json(data); hits > 0 {
		s.reencode = true
	}
	if byValue, err := encodeValue(v); err == nil {
		if _, hits := s.json(byValue); hits > 0 {
			s.reencode = true
		}
	}
	return v, false
}

// protoIsPlain is false when a message holds a secret that its JSON does not show:
// in unknown fields, or in an Any of a type that is not linked.
func (s *scrub) protoIsPlain(m proto.Message) bool {
	wire, err := proto.Marshal(m)
	if err != nil || !s.hidden.Contains(wire) {
		return true
	}
	data, ok := encodeOpaque(m)
	if !ok {
		return false
	}
	_, hits := s.json(data)
	return hits > 0 && len(m.ProtoReflect().GetUnknown()) == 0
}

func (s *scrub) rawValue(rv converter.RawValue) (reflect.Value, bool) {
	p, hits, err := s.payload(rv.Payload())
	if err != nil {
		s.withheld = true
		return reflect.ValueOf(rv), false
	}
	s.hits += hits
	return reflect.ValueOf(converter.NewRawValue(p)), hits > 0
}

func (s *scrub) onePayload(v reflect.Value) (reflect.Value, bool) {
	p, hits, err := s.payload(v.Interface().(*commonpb.Payload))
	if err != nil {
		p, hits = tombstone(), 1
	}
	s.hits += hits
	return reflect.ValueOf(p), hits > 0
}

// allPayloads cleans a result that is encoded already. It stays what it is: the
// SDK takes payloads as they are and would encode anything else again.
func (s *scrub) allPayloads(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	clone := proto.Clone(v.Interface().(*commonpb.Payloads)).(*commonpb.Payloads)
	hits := 0
	s.payloads(clone, &hits)
	s.hits += hits
	if hits == 0 {
		return v, false
	}
	return reflect.ValueOf(clone), true
}

func (s *scrub) rawJSON(v reflect.Value) (reflect.Value, bool) {
	data, hits := s.json(v.Bytes())
	s.hits += hits
	if hits == 0 {
		return v, false
	}
	return reflect.ValueOf(data).Convert(v.Type()), true
}

func (s *scrub) mapping(v reflect.Value, depth int) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	out, copied := v, false
	for iter := v.MapRange(); iter.Next(); {
		if s.key(iter.Key()); s.reencode || s.withheld {
			return v, false
		}
		nv, changed := s.walk(iter.Value(), depth+1)
		if !changed {
			continue
		}
		if !nv.Type().AssignableTo(v.Type().Elem()) {
			s.reencode = true
			return v, false
		}
		if !copied {
			copied = true
			out = reflect.MakeMapWithSize(v.Type(), v.Len())
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
		}
		out.SetMapIndex(iter.Key(), nv)
	}
	return out, copied
}

// key looks at a map key. One that holds a secret is hidden in the JSON form,
// which counts keys that become equal.
func (s *scrub) key(k reflect.Value) {
	for k.Kind() == reflect.Interface && !k.IsNil() {
		k = k.Elem()
	}
	switch {
	case k.Kind() == reflect.String:
		if _, hits := s.text(k.String()); hits > 0 {
			s.reencode = true
		}
	case k.CanInterface() && planOf(k.Type()).opaque:
		s.opaque(k)
	default:
		s.walk(k, 0)
	}
}

func (s *scrub) sequence(v reflect.Value, depth int) (reflect.Value, bool) {
	if isBytes(v.Type()) {
		return s.bytes(v)
	}
	out, copied := v, false
	for i := range v.Len() {
		nv, changed := s.walk(v.Index(i), depth+1)
		if !changed {
			continue
		}
		if !nv.Type().AssignableTo(v.Type().Elem()) {
			s.reencode = true
			return v, false
		}
		if !copied {
			copied = true
			out = reflect.New(v.Type()).Elem()
			if v.Kind() == reflect.Slice {
				out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			}
			reflect.Copy(out, v)
		}
		out.Index(i).Set(nv)
	}
	return out, copied
}

func (s *scrub) bytes(v reflect.Value) (reflect.Value, bool) {
	if v.Kind() == reflect.Array {
		data := make([]byte, v.Len())
		for i := range data {
			data[i] = byte(v.Index(i).Uint()) //nolint:gosec // an element of one byte
		}
		if s.hidden.Contains(data) {
			s.withheld = true
		}
		return v, false
	}
	data := v.Bytes()
	if !isText(data) {
		if s.hidden.Contains(data) {
			s.withheld = true
		}
		return v, false
	}
	text, hits := s.text(string(data))
	if hits == 0 {
		return v, false
	}
	s.hits += hits
	return reflect.ValueOf([]byte(text)).Convert(v.Type()), true
}

func (s *scrub) structure(v reflect.Value, p *plan, depth int) (reflect.Value, bool) {
	out, copied := v, false
	for i := range len(p.fields) + len(p.unsent) {
		// Fields that JSON leaves out too: another converter may send them.
		f := p.at(i)
		fv, err := v.FieldByIndexErr(f.index)
		if err != nil || (!f.text && !f.number) {
			continue
		}
		nv, changed := s.walk(fv, depth+1)
		if !changed {
			continue
		}
		if !nv.Type().AssignableTo(fv.Type()) {
			s.reencode = true
			return v, false
		}
		if !copied {
			copied = true
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		if target, err := settable(out, f.index); err == nil {
			target.Set(nv)
		}
	}
	return out, copied
}

// hasHiddenText is true for the module's own wire types that keep parts of their
// JSON in unexported fields: they are looked at in encoded form.
func hasHiddenText(t reflect.Type) bool {
	return t != typeValue && t.Kind() == reflect.Struct && isOurs(t) && reflect.PointerTo(t).Implements(typeJSONMarshal)
}
