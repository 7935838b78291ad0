package interceptor

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// fuzzed is a secret with characters that every encoder treats in its own way.
const fuzzed = `canary<"5f1d\0c7a>&é9be2`

// shape is a Go value with a place of every kind, filled from the fuzzer's JSON.
type shape struct {
	Text  string            `json:"text"`
	Bytes []byte            `json:"bytes"`
	Ptr   *string           `json:"ptr"`
	Kid   *shape            `json:"kid"`
	Kids  []shape           `json:"kids"`
	Named map[string]*shape `json:"named"`
	Texts map[string]string `json:"texts"`
	Any   any               `json:"any"`
	Raw   json.RawMessage   `json:"raw"`
	Token secrets.Value     `json:"token"`
	Box   sandbox.Manifest  `json:"box"`
}

func seeds(f *testing.F) {
	f.Helper()
	for _, tree := range []string{
		`null`, `"text"`, `12345678901234567890`, `[]`, `{}`, `[null,[[]],{"":{"":""}}]`,
		`{"text":"t","bytes":"dA==","ptr":"p","kid":{"text":"u"},"kids":[{},{"any":[1,"x"]}],"named":{"k":{}},"texts":{"a":"b"},"any":{"m":[{"n":"o"}]},"raw":{"x":["y"]},"token":{"type":"temporal.worker_env_value","name":"X"}}`,
		`{"manifest":{"environment":{"value":{"A":"b"}}},"sandbox":{"client":"local","session":1}}`,
		`{"a~b/c":{"*":["é","\ud83d\ude00","\u0000"]}}`,
		`{"url":"https://u:p@h/","token":"literal","type":"temporal.worker_env_value","name":"X"}`,
		`{"any":{"kid":{"kid":{"kid":{"text":"deep"}}}},"kid":{"kid":{"raw":"[1]"}}}`,
	} {
		for _, at := range []string{"", "/0", "/0/text", "/0/kid/text", "/0/kids/*/text", "/0/named/*/kid/bytes", "/0/any/m/0/n", "/0/raw/x/0", "/0/texts/new", "/1/a~0b~1c/*/0", "/*/text", "/1/any", "/0/token", "/0/0/0"} {
			f.Add([]byte(tree), at)
		}
	}
}

// arguments are the fuzzer's JSON as a Go value and as a tree.
func arguments(data []byte) []any {
	var typed shape
	var tree any
	if json.Unmarshal(data, &tree) != nil {
		return nil
	}
	if json.Unmarshal(data, &typed) != nil {
		return []any{tree, tree}
	}
	return []any{&typed, tree}
}

func same(tb testing.TB, want, got []any) {
	tb.Helper()
	if !reflect.DeepEqual(want, got) {
		tb.Errorf("the input was written to (-want +got):\n%s", jsonDiff(want, got))
	}
}

func jsonDiff(want, got []any) string {
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	return cmp.Diff(string(w), string(g))
}

// FuzzWalk: whatever the arguments are, a walk with every hook and a cleaning do not
// panic and do not write to them, what was not there before is not found after, and
// a value that stands anywhere in them is nowhere in what was cleaned.
func FuzzWalk(f *testing.F) {
	seeds(f)
	set := redact.NewSet()
	if err := set.Add("deploy", fuzzed); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, _ string) {
		args, before := arguments(data), arguments(data)
		if args == nil {
			return
		}
		w := &walker{visitor: visitor{
			value:     func(at place, v secrets.Value, _ bool) (secrets.Value, bool) { _ = at.String(); return v, true },
			manifest:  func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) { return m, true },
			runConfig: func(_ place, c sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) { return c, true },
			object: func(_ place, _ string, v any) (any, bool) {
				if m, ok := v.(map[string]any); ok {
					return maps.Clone(m), true
				}
				return nil, false
			},
			text: func(at place, _, _ string) { _ = at.String() },
		}}
		w.values(args)
		same(t, before, args)

		poisoned := make([]any, len(args))
		for i, a := range args {
			poisoned[i] = poison(reflect.ValueOf(a), 0).Interface()
		}
		kept, c := slices.Clone(poisoned), cleaner{hidden: set}
		for i, v := range poisoned {
			out, _, err := c.value(v)
			if err != nil {
				continue // withheld
			}
			encoded, err := json.Marshal(out)
			if err != nil {
				continue // it cannot be sent
			}
			if found := set.Contains(encoded) || bytes.Contains(encoded, []byte(fuzzed)); found {
				t.Errorf("argument %d still holds the value: %s", i, encoded)
			}
		}
		same(t, kept, poisoned)
	})
}

// poison returns a copy of v with the secret behind every text and in some keys.
func poison(v reflect.Value, depth int) reflect.Value {
	if !v.IsValid() || depth > 40 {
		return reflect.ValueOf(fuzzed)
	}
	t := v.Type()
	switch {
	case t == typeValue, t == typeManifest:
		return v
	case t == typeRawJSON:
		var tree any
		if json.Unmarshal(v.Bytes(), &tree) != nil {
			return v
		}
		data, err := json.Marshal(poison(reflect.ValueOf(tree), depth+1).Interface())
		if err != nil {
			return v
		}
		return reflect.ValueOf(json.RawMessage(data))
	}
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(v.String() + fuzzed)
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(t.Elem())
		out.Elem().Set(poison(v.Elem(), depth+1))
		return out
	case reflect.Interface:
		return poison(v.Elem(), depth+1)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return reflect.ValueOf(append(slices.Clone(v.Bytes()), fuzzed...))
		}
		out := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(poison(v.Index(i), depth+1))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMap(t)
		for iter := v.MapRange(); iter.Next(); {
			key := iter.Key()
			if len(key.String())%2 == 1 {
				key = reflect.ValueOf(key.String() + fuzzed)
			}
			out.SetMapIndex(key, poison(iter.Value(), depth+1))
		}
		return out
	case reflect.Struct:
		out := reflect.New(t).Elem()
		for i := range t.NumField() {
			if p := poison(v.Field(i), depth+1); p.Type().AssignableTo(t.Field(i).Type) {
				out.Field(i).Set(p)
			}
		}
		return out
	}
	return v
}

// FuzzEdit: whatever the pointer and the arguments are, an edit does not panic, does
// not write to them, gives one of the errors that it may give, and what it has
// written is read back at the same place.
func FuzzEdit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		at, err := validation.ParsePointer(text)
		if err != nil || len(data) > 1<<12 || len(at) > 32 {
			return
		}
		args, before := arguments(data), arguments(data)
		if args == nil {
			return
		}
		written := 0
		edited, err := editArgs(args, at, func(_ reflect.Value, want reflect.Type) (reflect.Value, error) {
			v, err := textAs(fuzzed, want)
			if err == nil {
				written++
			}
			return v, err
		})
		same(t, before, args)
		if err != nil {
			if !errors.Is(err, errNoPlace) && !errors.Is(err, errNotText) && !errors.Is(err, errBadJSON) && !errors.Is(err, errNoChange) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		read := 0
		_, err = editArgs(edited, at, func(cur reflect.Value, _ reflect.Type) (reflect.Value, error) {
			if got, ok := asText(cur); !ok || got != fuzzed {
				t.Errorf("read back %q", got)
			}
			read++
			return cur, errNoChange
		})
		if err != nil && !errors.Is(err, errNoChange) || read != written {
			t.Errorf("wrote %d places, read %d back: %v", written, read, err)
		}
	})
}
