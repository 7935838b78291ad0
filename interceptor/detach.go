package interceptor

import "reflect"

// detached returns a deep copy of args: maps, slices and what pointers lead to
// are new. Unexported fields keep what they hold, since nobody can copy those,
// and so do channels and functions. What is deeper than a walk goes is shared.
func detached(args []any) []any {
	out := make([]any, len(args))
	d := &detacher{}
	for i, a := range args {
		if a != nil {
			out[i] = d.detach(reflect.ValueOf(a), 0).Interface()
		}
	}
	return out
}

// A detacher counts what it copies, so that values which lead back to themselves
// come to an end.
type detacher struct{ visited int }

func (d *detacher) detach(v reflect.Value, depth int) reflect.Value {
	if d.visited++; depth > maxDepth || d.visited > maxVisited || v.Type() == typeValue || v.Type() == typeTime {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(d.detach(v.Elem(), depth+1))
		return p
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(d.detach(v.Elem(), depth+1))
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		m := reflect.MakeMapWithSize(v.Type(), v.Len())
		for iter := v.MapRange(); iter.Next(); {
			m.SetMapIndex(iter.Key(), d.detach(iter.Value(), depth+1))
		}
		return m
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		s := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		if k := v.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String {
			reflect.Copy(s, v) // nothing in it is shared
			return s
		}
		for i := range v.Len() {
			s.Index(i).Set(d.detach(v.Index(i), depth+1))
		}
		return s
	case reflect.Array:
		a := reflect.New(v.Type()).Elem()
		for i := range v.Len() {
			a.Index(i).Set(d.detach(v.Index(i), depth+1))
		}
		return a
	case reflect.Struct:
		s := reflect.New(v.Type()).Elem()
		s.Set(v)
		for i := range v.NumField() {
			if s.Field(i).CanSet() && v.Type().Field(i).IsExported() {
				s.Field(i).Set(d.detach(v.Field(i), depth+1))
			}
		}
		return s
	default:
		return v
	}
}
