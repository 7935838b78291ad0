package interceptor

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

type foundBase struct{ Base string }

type foundNode struct {
	foundBase
	Text   string
	Named  map[string]string
	Counts map[int]int64
	Any    any
	Digest [32]byte
	Next   *foundNode
	List   []foundNode
	Lazy   json.RawMessage
	At     time.Time
}

// TestFinder: a value that stands anywhere is found, and where there is none the
// finder says so.
func TestFinder(t *testing.T) {
	token := secretstest.Canary(t)
	const digits = "8675309123456"
	number := int64(8675309123456)
	hidden := redact.NewSet()
	for _, value := range []string{token, digits, strings.Repeat("d", 20)} {
		if err := hidden.Add("known", value); err != nil {
			t.Fatal(err)
		}
	}
	type plain struct {
		Text   string
		Named  map[string]string
		Counts map[int]int64
		Any    any
		Digest [32]byte
		Next   *plain
		List   []plain
		At     time.Time
		Flag   bool
		F32    float32
		U      uint16
	}
	var digest [32]byte
	copy(digest[:], strings.Repeat("d", 20))
	for name, tc := range map[string]struct {
		v    any
		want bool
	}{
		"nil":                     {nil, false},
		"clean tree":              {map[string]any{"a": []any{"x", 1.5, nil, true, map[string]any{}}, "sandbox": "x"}, false},
		"clean struct":            {plain{Named: map[string]string{"a": "b"}, Counts: map[int]int64{1: 2}, Next: &plain{}, List: []plain{{}, {}}, Any: []string{"x"}}, false},
		"clean bytes":             {[]byte("\x00\xff binary"), false},
		"text":                    {"x" + token, true},
		"key":                     {map[string]any{token: nil}, true},
		"element":                 {[]any{1.0, []any{token}}, true},
		"bytes":                   {[]byte("\x00\xff" + token), true},
		"number":                  {map[string]any{"n": float64(number)}, true},
		"field":                   {plain{Text: token}, true},
		"typed map":               {plain{Named: map[string]string{"a": token}}, true},
		"typed key":               {plain{Named: map[string]string{token: "a"}}, true},
		"typed number":            {plain{Counts: map[int]int64{1: number}}, true},
		"numeric key":             {plain{Counts: map[int]int64{int(number): 1}}, true},
		"behind an interface":     {plain{Any: []string{token}}, true},
		"behind a pointer":        {&plain{Next: &plain{Next: &plain{Text: token}}}, true},
		"in a list":               {plain{List: []plain{{}, {Text: token}}}, true},
		"in an array of bytes":    {plain{Digest: digest}, true},
		"only encoding shows it":  {foundNode{}, true},
		"encoded already":         {map[string]any{"x": json.RawMessage(`1`)}, true},
		"nothing encoded":         {struct{ X json.RawMessage }{}, false},
		"a nil marshaler":         {struct{ X *pointerJSON }{}, false},
		"a marshaler":             {struct{ X *pointerJSON }{&pointerJSON{}}, true},
		"json.Number":             {map[string]any{"n": json.Number(digits)}, true},
		"deeper than one looks":   {nested(2 * maxDepth), true},
		"a key that encodes":      {map[time.Time]string{{}: "x"}, true},
		"as deep as one may look": {nested(maxDepth / 2), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := finder{encoded: true, text: &search{hidden: hidden}}
			if got := f.any(tc.v, "", maxDepth); got != tc.want {
				t.Errorf("found is %v", got)
			}
		})
	}
}

func nested(levels int) any {
	var v any = "x"
	for range levels {
		v = []any{v}
	}
	return v
}

// TestFinderOfGuardData: what a walk may act on besides text.
func TestFinderOfGuardData(t *testing.T) {
	type holder struct {
		Token secrets.Value
		Rows  []int
	}
	for name, tc := range map[string]struct {
		v    any
		want bool
	}{
		"text":          {map[string]any{"a": "text"}, false},
		"zero Value":    {holder{}, false},
		"Value":         {holder{Token: secrets.Env("TOKEN")}, true},
		"untyped Value": {map[string]any{"a": []any{secrets.Env("TOKEN")}}, true},
		"manifest":      {&sandbox.Manifest{}, true},
		"run config":    {[]sandbox.RunConfig{{}}, true},
		"sandbox":       {map[string]any{"sandbox": map[string]any{}}, true},
		"in a list":     {map[string]any{"sandbox": []any{map[string]any{}}}, false},
		"typed map":     {map[string]map[string]any{"manifest": {}}, true},
		"nil map":       {map[string]any{"manifest": map[string]any(nil)}, false},
	} {
		f := finder{guard: true, objects: true}
		if got := f.any(tc.v, "", maxDepth); got != tc.want {
			t.Errorf("%s: found is %v", name, got)
		}
	}
}

// TestFinderOfReferences: a manifest without a reference holds nothing to resolve.
func TestFinderOfReferences(t *testing.T) {
	manifest := func(v secrets.Value) sandbox.Manifest {
		return sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": {Literal: "a"}, "B": {Secret: v}}}}
	}
	with, without := manifest(secrets.Env("TOKEN")), manifest(secrets.Value{})
	for name, tc := range map[string]struct {
		v    any
		want bool
	}{
		"without":        {without, false},
		"with":           {with, true},
		"pointer, none":  {&without, false},
		"pointer":        {&with, true},
		"in a map, none": {map[string]sandbox.Manifest{"a": without}, false},
		"in a map":       {map[string]sandbox.Manifest{"a": with}, true},
		"in a tree":      {map[string]any{"manifest": []any{with}}, true},
		"map form":       {map[string]any{"manifest": map[string]any{}}, false},
	} {
		f := finder{guard: true, refs: true}
		if got := f.any(tc.v, "", maxDepth); got != tc.want {
			t.Errorf("%s: found is %v", name, got)
		}
	}
}

// FuzzStill: a walk that looks for something to do first does what it would do
// otherwise.
func FuzzStill(f *testing.F) {
	seeds(f)
	set := redact.NewSet()
	if err := set.Add("deploy", fuzzed); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		args := arguments(data)
		args = append(args, map[string]any{"password": text, "sandbox": args, "url": []any{text}, text: nil})
		for _, s := range []*search{
			{hidden: set}, {hidden: set, literals: true, named: true}, {hidden: set, literals: true, named: true, destinations: true},
		} {
			var acts [2][]string
			var deep [2]bool
			for i, use := range []*search{nil, s} {
				act := func(kind string, at place) { acts[i] = append(acts[i], kind+at.String()) }
				w := &walker{search: use, visitor: visitor{
					value: func(at place, v secrets.Value, _ bool) (secrets.Value, bool) { act("value", at); return v, false },
					manifest: func(at place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) {
						act("manifest", at)
						return m, false
					},
					runConfig: func(at place, c sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) {
						act("run config", at)
						return c, false
					},
					object: func(at place, _ string, _ any) (any, bool) { act("object", at); return nil, false },
					text: func(at place, key, text string) {
						if s.finds(key, text) {
							act("text", at)
						}
					},
				}}
				w.values(args)
				slices.Sort(acts[i])
				deep[i] = w.tooDeep
			}
			if diff := cmp.Diff(acts[0], acts[1]); diff != "" || deep[0] != deep[1] {
				t.Errorf("too deep %v, what was done (-otherwise +after looking):\n%s", deep, diff)
			}
		}
	})
}

// FuzzFloatForms: the digits of a number are found once for both of its forms.
func FuzzFloatForms(f *testing.F) {
	for _, x := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 1.5, 100, 123456, 1e20, 1e21, 1e22, 1e-6, 1e-7, 1.25e-7, 12345.678, -0.001, math.Pi, 1e100,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 8675309123456, 1<<53 + 1,
	} {
		f.Add(math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, pattern uint64) {
		x := math.Float64frombits(pattern)
		for bits, x := range map[int]float64{64: x, 32: float64(float32(x))} {
			var buf [maxFloat]byte
			plain, exponent := floatForms(buf[:0], x, bits)
			if want := strconv.FormatFloat(x, 'f', -1, bits); string(plain) != want {
				t.Errorf("got %s, want %s", plain, want)
			}
			if want := strconv.FormatFloat(x, 'e', -1, bits); string(exponent) != want {
				t.Errorf("got %s, want %s", exponent, want)
			}
		}
	})
}

// TestFinderKeepsNothing: what a map is iterated with is used again, and holds no
// part of the map meanwhile.
func TestFinderKeepsNothing(t *testing.T) {
	m := map[string]string{"key": "value"}
	f := finder{encoded: true, text: &search{hidden: redact.NewSet()}}
	if f.any(m, "", maxDepth) {
		t.Fatal("found something")
	}
	e := planOf(reflect.TypeOf(m)).entry()
	if e.key.String() != "" || e.elem.String() != "" {
		t.Error("an entry is kept")
	}
}
