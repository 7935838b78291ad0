package interceptor

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/validation"
)

// Errors of an edit. They carry no text of the data.
var (
	errNoPlace  = errors.New("interceptor: the place does not exist in the arguments")
	errNotText  = errors.New("interceptor: the place cannot hold text")
	errBadJSON  = errors.New("interceptor: the place lies in bytes that are not JSON")
	errNotUTF8  = errors.New("interceptor: the secret is no text and the place holds text")
	errNoChange = errors.New("interceptor: nothing to change")
)

// A leafFunc gets what stands at a place and returns what shall stand there.
// cur is invalid when nothing stands there yet (a missing map key, a nil). It
// returns errNoChange to leave the place alone.
type leafFunc func(cur reflect.Value, want reflect.Type) (reflect.Value, error)

// editArgs applies f at a pointer whose first segment is the argument's index
// and returns the arguments to use instead. Everything on the way is copied,
// nothing is written to: local activities share their arguments with the
// workflow.
func editArgs(args []any, at validation.Pointer, f leafFunc) ([]any, error) {
	if len(at) == 0 {
		return args, errNoPlace
	}
	indexes, err := elements(at[0], len(args))
	if err != nil {
		return args, err
	}
	out := args
	for _, i := range indexes {
		v := reflect.ValueOf(out[i])
		if !v.IsValid() && len(at) > 1 {
			// A nil argument: what type the activity wants is not known here.
			return args, errNoPlace
		}
		want := reflect.TypeFor[any]()
		if v.IsValid() && v.Kind() != reflect.Map {
			want = v.Type()
		}
		nv, err := edit(v, want, at[1:], f, 0)
		if errors.Is(err, errNoChange) {
			continue
		}
		if err != nil {
			return args, err
		}
		fresh := make([]any, len(out))
		copy(fresh, out)
		fresh[i] = nv.Interface()
		out = fresh
	}
	return out, nil
}

// elements resolves an index segment; "*" means each.
func elements(seg string, n int) ([]int, error) {
	if seg == "*" {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	i, err := strconv.Atoi(seg)
	if err != nil || i < 0 || i >= n || strconv.Itoa(i) != seg {
		return nil, errNoPlace
	}
	return []int{i}, nil
}

// edit returns a copy of v in which f was applied at the place that segs lead to
// from v. want is the type that the holder of v needs.
func edit(v reflect.Value, want reflect.Type, segs []string, f leafFunc, depth int) (reflect.Value, error) {
	if depth > maxDepth { // a pointer that leads to itself
		return v, errNoPlace
	}
	if v.IsValid() && v.Kind() == reflect.Interface {
		return edit(v.Elem(), want, segs, f, depth+1)
	}
	if len(segs) == 0 && v.IsValid() && v.CanInterface() {
		if m, ok := v.Interface().(proto.Message); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) && isWrapper(m.ProtoReflect().Descriptor().FullName()) {
			return editProto(m, nil, f)
		}
	}
	if len(segs) == 0 && !(v.IsValid() && v.Kind() == reflect.Pointer && v.Type() == want && want.Elem().Kind() != reflect.Struct) {
		return f(v, want)
	}
	if !v.IsValid() {
		if want.Kind() != reflect.Interface || want.NumMethod() > 0 {
			return v, errNoPlace
		}
		v = reflect.ValueOf(map[string]any{})
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case json.RawMessage:
			return editJSON(x, segs, f)
		case converter.RawValue:
			return editPayload(x, segs, f)
		case proto.Message:
			return editProto(x, segs, f)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return editPointer(v, segs, f, depth+1)
	case reflect.Map:
		return editMap(v, segs, f, depth+1)
	case reflect.Slice, reflect.Array:
		return editSequence(v, segs, f, depth+1)
	case reflect.Struct:
		return editStruct(v, segs, f, depth+1)
	default:
		return v, errNoPlace
	}
}

func editPointer(v reflect.Value, segs []string, f leafFunc, depth int) (reflect.Value, error) {
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	cur := fresh.Elem()
	if v.IsNil() && len(segs) == 0 {
		cur = reflect.Value{}
	}
	nv, err := edit(cur, v.Type().Elem(), segs, f, depth)
	if err != nil {
		return v, err
	}
	fresh.Elem().Set(nv)
	return fresh, nil
}

func editMap(v reflect.Value, segs []string, f leafFunc, depth int) (reflect.Value, error) {
	kt := v.Type().Key()
	if kt.Kind() != reflect.String && kt.Kind() != reflect.Interface {
		return v, errNoPlace
	}
	var keys []reflect.Value
	if segs[0] == "*" {
		keys = v.MapKeys()
	} else {
		k := reflect.ValueOf(segs[0])
		if kt.Kind() == reflect.String {
			k = k.Convert(kt)
		}
		keys = []reflect.Value{k}
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len()+1)
	for iter := v.MapRange(); iter.Next(); {
		out.SetMapIndex(iter.Key(), iter.Value())
	}
	changed := false
	for _, k := range keys {
		cur := out.MapIndex(k)
		if !cur.IsValid() && v.Type().Elem().Kind() == reflect.Struct && len(segs) > 1 {
			cur = reflect.Zero(v.Type().Elem())
		}
		nv, err := edit(cur, v.Type().Elem(), segs[1:], f, depth)
		if errors.Is(err, errNoChange) {
			continue
		}
		if err != nil {
			return v, err
		}
		out.SetMapIndex(k, nv)
		changed = true
	}
	if !changed {
		return v, errNoChange
	}
	return out, nil
}

func editSequence(v reflect.Value, segs []string, f leafFunc, depth int) (reflect.Value, error) {
	indexes, err := elements(segs[0], v.Len())
	if err != nil {
		return v, err
	}
	out := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Slice {
		out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	}
	reflect.Copy(out, v)
	changed := false
	for _, i := range indexes {
		nv, err := edit(v.Index(i), v.Type().Elem(), segs[1:], f, depth)
		if errors.Is(err, errNoChange) {
			continue
		}
		if err != nil {
			return v, err
		}
		out.Index(i).Set(nv)
		changed = true
	}
	if !changed {
		return v, errNoChange
	}
	return out, nil
}

func editStruct(v reflect.Value, segs []string, f leafFunc, depth int) (reflect.Value, error) {
	field, ok := planOf(v.Type()).named(segs[0])
	if !ok {
		return v, errNoPlace
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	target, err := settable(out, field.index)
	if err != nil {
		return v, errNoPlace
	}
	nv, err := edit(target, target.Type(), segs[1:], f, depth)
	if err != nil {
		return v, err
	}
	target.Set(nv)
	return out, nil
}

func editJSON(data []byte, segs []string, f leafFunc) (reflect.Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return reflect.Value{}, errBadJSON
	}
	nv, err := edit(reflect.ValueOf(tree), reflect.TypeFor[any](), segs, f, 0)
	if err != nil {
		return reflect.Value{}, err
	}
	encoded, err := json.Marshal(nv.Interface())
	if err != nil {
		return reflect.Value{}, errBadJSON
	}
	return reflect.ValueOf(json.RawMessage(encoded)), nil
}

func editPayload(rv converter.RawValue, segs []string, f leafFunc) (reflect.Value, error) {
	p := rv.Payload()
	if !isJSONPayload(p) {
		return reflect.Value{}, errBadJSON
	}
	nv, err := editJSON(p.GetData(), segs, f)
	if err != nil {
		return reflect.Value{}, err
	}
	fresh := proto.Clone(p).(*commonpb.Payload)
	fresh.Data = nv.Bytes()
	return reflect.ValueOf(converter.NewRawValue(fresh)), nil
}

// asText returns the text at a place; ok is false for anything that is not text.
func asText(v reflect.Value) (text string, ok bool) {
	if !v.IsValid() {
		return "", true
	}
	switch {
	case v.Kind() == reflect.String:
		return v.String(), true
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return string(v.Bytes()), true
	}
	return "", false
}

// textAs returns text as a value of type want.
func textAs(text string, want reflect.Type) (reflect.Value, error) {
	switch {
	case want.Kind() == reflect.String:
		return reflect.ValueOf(text).Convert(want), nil
	case want.Kind() == reflect.Slice && want.Elem().Kind() == reflect.Uint8:
		return reflect.ValueOf([]byte(text)).Convert(want), nil
	case want.Kind() == reflect.Interface && reflect.TypeFor[string]().AssignableTo(want):
		return reflect.ValueOf(text), nil
	}
	return reflect.Value{}, errNotText
}

// isPlainPayload is true for a payload whose data stand for themselves.
func isPlainPayload(p *commonpb.Payload) bool {
	encoding := string(p.GetMetadata()[converter.MetadataEncoding])
	return encoding == converter.MetadataEncodingBinary || strings.HasPrefix(encoding, "text/")
}

func isJSONPayload(p *commonpb.Payload) bool {
	return bytes.HasPrefix(p.GetMetadata()[converter.MetadataEncoding], []byte("json/"))
}
