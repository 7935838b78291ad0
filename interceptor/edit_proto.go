package interceptor

import (
	"errors"
	"reflect"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// editProto edits a clone of m: messages are shared and have no shallow copy
// that is safe to write to.
func editProto(m proto.Message, segs []string, f leafFunc) (reflect.Value, error) {
	clone := proto.Clone(m)
	if err := editMessage(clone.ProtoReflect(), segs, f); err != nil {
		return reflect.Value{}, err
	}
	return reflect.ValueOf(clone), nil
}

func editMessage(m protoreflect.Message, segs []string, f leafFunc) error {
	if hasOwnJSON(m.Descriptor().FullName()) {
		return editAsJSON(m, segs, f)
	}
	if len(segs) == 0 {
		if !isWrapper(m.Descriptor().FullName()) {
			return errNotText
		}
		segs = []string{"value"}
	}
	fields := m.Descriptor().Fields()
	fd := fields.ByJSONName(segs[0])
	if fd == nil {
		fd = fields.ByTextName(segs[0])
	}
	switch {
	case fd == nil:
		return errNoPlace
	case fd.IsMap():
		return editProtoMap(m.Mutable(fd).Map(), fd, segs[1:], f)
	case fd.IsList():
		return editProtoList(m.Mutable(fd).List(), fd, segs[1:], f)
	case fd.Message() != nil:
		return editMessage(m.Mutable(fd).Message(), segs[1:], f)
	case len(segs) > 1:
		return errNoPlace
	}
	nv, err := editScalar(m.Get(fd), fd, f)
	if err == nil {
		m.Set(fd, nv)
	}
	return err
}

// hasOwnJSON is true for the well-known types whose JSON is not their fields: a
// pointer leads into the JSON, since that is what the encoded arguments are.
func hasOwnJSON(name protoreflect.FullName) bool {
	switch name {
	case "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue":
		return true
	}
	return false
}

// isWrapper is true for the messages whose JSON is the text that they wrap.
func isWrapper(name protoreflect.FullName) bool {
	return name == "google.protobuf.StringValue" || name == "google.protobuf.BytesValue"
}

func editAsJSON(m protoreflect.Message, segs []string, f leafFunc) error {
	data, err := protojson.Marshal(m.Interface())
	if err != nil {
		return errBadJSON
	}
	edited, err := editJSON(data, segs, f)
	if err != nil {
		return err
	}
	fresh := m.New().Interface()
	if protojson.Unmarshal(edited.Bytes(), fresh) != nil {
		return errNotText
	}
	proto.Reset(m.Interface())
	proto.Merge(m.Interface(), fresh)
	return nil
}

func editProtoMap(m protoreflect.Map, fd protoreflect.FieldDescriptor, segs []string, f leafFunc) error {
	if len(segs) == 0 || fd.MapKey().Kind() != protoreflect.StringKind {
		return errNoPlace
	}
	if segs[0] == "*" {
		return editEveryEntry(m, fd, segs, f)
	}
	key := protoreflect.ValueOfString(segs[0]).MapKey()
	if fd.MapValue().Message() != nil {
		return editMessage(m.Mutable(key).Message(), segs[1:], f)
	}
	if len(segs) > 1 {
		return errNoPlace
	}
	cur := m.Get(key)
	if !cur.IsValid() {
		cur = m.NewValue()
	}
	nv, err := editScalar(cur, fd.MapValue(), f)
	if err == nil {
		m.Set(key, nv)
	}
	return err
}

func editEveryEntry(m protoreflect.Map, fd protoreflect.FieldDescriptor, segs []string, f leafFunc) error {
	var keys []string
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k.String())
		return true
	})
	changed := false
	for _, k := range keys {
		err := errNoPlace
		if k != "*" {
			err = editProtoMap(m, fd, append([]string{k}, segs[1:]...), f)
		}
		if err != nil && !errors.Is(err, errNoChange) {
			return err
		}
		changed = changed || err == nil
	}
	if !changed {
		return errNoChange
	}
	return nil
}

func editProtoList(l protoreflect.List, fd protoreflect.FieldDescriptor, segs []string, f leafFunc) error {
	if len(segs) == 0 {
		return errNoPlace
	}
	indexes, err := elements(segs[0], l.Len())
	if err != nil {
		return err
	}
	changed := false
	for _, i := range indexes {
		if fd.Message() != nil {
			err = editMessage(l.Get(i).Message(), segs[1:], f)
		} else {
			var nv protoreflect.Value
			if nv, err = editScalar(l.Get(i), fd, f); err == nil {
				l.Set(i, nv)
			}
		}
		if err != nil && !errors.Is(err, errNoChange) {
			return err
		}
		changed = changed || err == nil
	}
	if !changed {
		return errNoChange
	}
	return nil
}

func editScalar(cur protoreflect.Value, fd protoreflect.FieldDescriptor, f leafFunc) (protoreflect.Value, error) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		nv, err := f(reflect.ValueOf(cur.String()), reflect.TypeFor[string]())
		if err != nil {
			return cur, err
		}
		return protoreflect.ValueOfString(nv.String()), nil
	case protoreflect.BytesKind:
		nv, err := f(reflect.ValueOf(cur.Bytes()), reflect.TypeFor[[]byte]())
		if err != nil {
			return cur, err
		}
		return protoreflect.ValueOfBytes(nv.Bytes()), nil
	default:
		return cur, errNotText
	}
}
