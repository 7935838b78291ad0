package interceptor

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

type planBase struct {
	Base   string `json:"base"`
	Shadow string `json:"shadow"`
}

type planStruct struct {
	planBase
	*sandbox.RunConfig
	Shadow  int
	Named   planBase `json:"named"`
	Renamed string   `json:"other,omitempty"`
	Skipped string   `json:"-"`
	Dash    string   `json:"-,"` //nolint:staticcheck // a key that is a dash is the point
	hidden  string   //nolint:unused // an unexported field is the point
}

type planLoop struct {
	Next *planLoop     `json:"next"`
	Map  planLoopMap   `json:"map"`
	V    secrets.Value `json:"v"`
}

type planLoopMap map[string]*planLoop

// TestPlans: what a walk can meet below each type, which decides what it enters.
func TestPlans(t *testing.T) {
	type plain struct {
		A int
		B bool
	}
	for _, tc := range []struct {
		name                        string
		of                          reflect.Type
		guard, text, number, opaque bool
	}{
		{"string", reflect.TypeFor[string](), false, true, false, false},
		{"int", reflect.TypeFor[int](), false, false, true, false},
		{"bool", reflect.TypeFor[bool](), false, false, false, false},
		{"bytes", reflect.TypeFor[[]byte](), false, true, false, false},
		{"byte array", reflect.TypeFor[[4]byte](), false, true, false, false},
		{"any", reflect.TypeFor[any](), true, true, true, false},
		{"value", typeValue, true, false, false, false},
		{"manifest", typeManifest, true, true, true, false},
		{"run config", typeRunConfig, true, true, true, false},
		{"time", typeTime, false, false, false, false},
		{"map of strings", reflect.TypeFor[map[string]string](), false, true, false, false},
		{"map of values", reflect.TypeFor[map[string]secrets.Value](), true, true, false, false},
		{"map of any", reflect.TypeFor[map[string]any](), true, true, true, false},
		{"map of flags", reflect.TypeFor[map[int]bool](), false, false, true, false},
		{"numbers and flags", reflect.TypeFor[plain](), false, false, true, false},
		{"struct", reflect.TypeFor[planStruct](), true, true, true, false},
		{"recursive", reflect.TypeFor[planLoop](), true, true, false, false},
		{"recursive map", reflect.TypeFor[planLoopMap](), true, true, false, false},
		{"raw JSON", typeRawJSON, true, true, true, false},
		{"raw value", typeRawValue, true, true, true, false},
		{"payloads", typePayloads, true, true, true, true},
		{"message", reflect.TypeFor[*commonpb.WorkflowType](), false, true, false, true},
		{"own marshaler", reflect.TypeFor[*big.Int](), false, true, false, true},
		{"duration", reflect.TypeFor[time.Duration](), false, false, true, false},
		{"channel", reflect.TypeFor[chan int](), false, false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := planOf(tc.of)
			got := [4]bool{p.guard, p.text, p.number, p.opaque}
			if diff := cmp.Diff([4]bool{tc.guard, tc.text, tc.number, tc.opaque}, got); diff != "" {
				t.Errorf("guard, text, number, opaque (-want +got):\n%s", diff)
			}
			if planOf(tc.of) != p {
				t.Error("compiled twice")
			}
		})
	}
}

// TestPlanFields: the names that encoding/json writes.
func TestPlanFields(t *testing.T) {
	var names []string
	for _, f := range planOf(reflect.TypeFor[planStruct]()).fields {
		names = append(names, f.name)
	}
	want := []string{"RunConfig", "Shadow", "named", "other", "-", "base", "shadow"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestPlacesAreSafeToShow (I5): a key that could be a credential is shown as its
// rank; a field's name comes from code.
func TestPlacesAreSafeToShow(t *testing.T) {
	const token = "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"
	m := reflect.ValueOf(map[string]int{"a": 0, token: 1, "z z": 2, "": 3})
	numbers := reflect.ValueOf(map[int]int{7: 0})
	keyed := reflect.ValueOf(map[any]any{"k": 0, 1.5: 1})
	for _, tc := range []struct {
		want string
		at   place
	}{
		{"", nil},
		{"/0/field", place{{name: "0"}, {name: "field"}}},
		{"/a", place{{name: "a", keys: m}}},
		{"/2", place{{name: token, keys: m}}},
		{"/3", place{{name: "z z", keys: m}}},
		{"/0", place{{name: "", keys: m}}},
		{"/7", place{{name: "7", keys: numbers}}},
		{"/k", place{{name: "k", keys: keyed}}},
		{"/a~1b~0c", place{{name: "a/b~c"}}},
	} {
		if got := tc.at.String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	at := place{{name: "0"}, {name: token, keys: m}}
	for _, p := range []validation.Pointer{{"0", token}, {"*", token}, {"0", "*"}} {
		if !at.matches(p) {
			t.Errorf("%d segments do not match", len(p))
		}
	}
	for _, p := range []validation.Pointer{nil, {"0"}, {"1", token}, {"0", token, "x"}} {
		if at.matches(p) {
			t.Errorf("%d segments match", len(p))
		}
	}
}

// TestTextsOfAWalk: every text that would be written is met, with the name of what
// holds it.
func TestTextsOfAWalk(t *testing.T) {
	payload := func(encoding, data string) *commonpb.Payload {
		return &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: []byte(data)}
	}
	for _, tc := range []struct {
		name string
		in   any
		want []string
	}{
		{"string", "a", []string{"/0  a"}},
		{"map", map[string]any{"k": "v"}, []string{"/0/k  k", "/0/k k v"}},
		{"struct", planBase{Base: "b"}, []string{"/0/base base b", "/0/shadow shadow "}},
		{"bytes", map[string][]byte{"k": []byte("text")}, []string{"/0/k  k", "/0/k k text"}},
		{"binary", []byte{0xff, 'a'}, nil},
		{"list keeps the key", map[string][]string{"keys": {"a"}}, []string{"/0/keys  keys", "/0/keys/0 keys a"}},
		{"raw JSON", json.RawMessage(`{"k":["v"]}`), []string{"/0/k  k", "/0/k/0 k v"}},
		{"raw text", json.RawMessage(`no JSON`), []string{"/0  no JSON"}},
		{"raw value", converter.NewRawValue(payload("json/plain", `{"k":"v"}`)), []string{"/0/k  k", "/0/k k v"}},
		{"raw value of text", converter.NewRawValue(payload("binary/plain", "text")), []string{"/0  text"}},
		{"payloads", &commonpb.Payloads{Payloads: []*commonpb.Payload{payload("json/plain", `"a"`), payload("json/plain", `"b"`)}}, []string{"/0  a", "/0  b"}},
		{"message", &commonpb.WorkflowType{Name: "n"}, []string{"/0/name  name", "/0/name name n"}},
		{"own marshaler", big.NewInt(5), []string{"/0  5"}},
		{"nil", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			w := &walker{visitor: visitor{text: func(at place, key, s string) { got = append(got, at.String()+" "+key+" "+s) }}}
			w.values([]any{tc.in})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

// kin is a graph whose encoding is a tree: the parents are left out of it.
type kin struct {
	Parent   *kin
	Children []*kin
	Meta     map[string]any
}

func (k *kin) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"children": k.Children})
}

// TestDeepArguments are refused by name instead of being half looked at. What leads
// back to itself is looked at once, and a graph is not walked as the tree of all
// its paths: that would stop a workflow task for ever.
func TestDeepArguments(t *testing.T) {
	var deep any = "bottom"
	for range 100 {
		deep = []any{deep}
	}
	loop := map[string]any{}
	loop["self"] = loop
	ring := &planLoop{}
	ring.Next = ring
	family := &kin{Meta: map[string]any{"a": 1}}
	for range 8 {
		child := &kin{Parent: family, Meta: map[string]any{"a": 1}}
		for range 8 {
			child.Children = append(child.Children, &kin{Parent: child, Meta: map[string]any{"a": 1}})
		}
		family.Children = append(family.Children, child)
	}
	type pair struct {
		Left, Right *pair
		Text        string
	}
	twice := &pair{}
	twice.Left, twice.Right = twice, twice
	for name, in := range map[string]any{"deep": deep, "loop": loop, "ring": ring, "family": family, "twice": twice} {
		w := &walker{visitor: visitor{
			text:  func(place, string, string) {},
			value: func(_ place, v secrets.Value, _ bool) (secrets.Value, bool) { return v, false },
		}}
		w.values([]any{in})
		if w.tooDeep != (name == "deep") {
			t.Errorf("%s: too deep is %v", name, w.tooDeep)
		}
		if w.visited > 10_000 {
			t.Errorf("%s: %d values looked at", name, w.visited)
		}
	}
}

// TestNothingToDoCostsNothing: a call whose types can hold nothing is not entered.
func TestNothingToDoCostsNothing(t *testing.T) {
	type row struct {
		A, B int
		C    []float64
		D    map[int]bool
	}
	args := []any{&row{C: make([]float64, 1000)}, []row{{}, {}}, 7, "text", []byte("bytes")}
	w := &walker{visitor: visitor{
		value:    func(_ place, v secrets.Value, _ bool) (secrets.Value, bool) { return v, false },
		manifest: func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) { return m, false },
		object:   func(place, string, any) (any, bool) { return nil, false },
	}}
	w.values(args)
	if n := testing.AllocsPerRun(100, func() { w.values(args) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRuleCodesAreOnlyAppended: the codes stand in recorded histories.
func TestRuleCodesAreOnlyAppended(t *testing.T) {
	recorded := []string{
		"", "", "literal-credential", "literal-in-secret-field", "secret-untyped-place", "secret-not-granted",
		"secret-review-overdue", "queue-unlisted", "workflow-unlisted", "host-path-grant", "live-session",
		"path-grant-root", "path-grant-relative", "path-grant-unlisted", "entry-path-escape", "entry-kind",
		"entry-host-path", "mount-credential", "env-literal-credential", "env-literal-unlisted",
		"client-option-credential", "network-mode", "unknown-key", "manifest-size", "input-missing", "wrong-type",
		"destination-not-fixed", "secret-scope",
	}
	if len(ruleCodes) < len(recorded) {
		t.Fatalf("%d codes, want at least %d", len(ruleCodes), len(recorded))
	}
	if diff := cmp.Diff(recorded, ruleCodes[:len(recorded)]); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, id := range ruleCodes[2:] {
		if seen[id] || codeOf(id) >= maxCode {
			t.Errorf("code of %s", id)
		}
		seen[id] = true
	}
	if codeOf("no-such-rule") != 1 || codeOf("") != 1 || codeOf(validation.RuleLiteralCredential) != 2 {
		t.Error("the code of a rule without one is 1, which never means the default version")
	}
}
