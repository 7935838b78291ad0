package interceptor

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// A plan says once per Go type what a walk can meet below it, so that a walk
// never enters a place that cannot hold what it looks for: a thousand typed
// manifest entries or two megabytes of bytes cost nothing when nobody asked for
// text.
type plan struct {
	// guard is true when a secrets.Value, a manifest, a run config, a map or any
	// interface can be met, which may hold guard data.
	guard bool
	// text is true when a string or bytes can be met.
	text bool
	// number is true when a number can be met, also as a map key.
	number bool
	// opaque is true for types whose encoding is not their exported fields: they
	// are read through their own JSON.
	opaque bool
	// marshals is true where that is a marshaler's doing: then nobody knows where
	// in the encoding a typed place stands.
	marshals bool
	// embeds is true for a struct with embedded fields: which of them are written
	// under a shared name is encoding/json's to decide.
	embeds bool
	// fields of a struct, in order, embedded ones flattened the way
	// encoding/json does it.
	fields []planField
	// unsent are the exported fields that encoding/json leaves out, and another
	// converter may not.
	unsent []planField

	// What follows is for finders.
	typ     reflect.Type
	kind    reflect.Kind
	role    role
	bytes   bool                   // a slice or an array of bytes
	hidden  bool                   // see hasHiddenText
	null    bool                   // a pointer that encodes as null where it is nil, and so holds no text
	of      atomic.Pointer[plan]   // see elem
	by      atomic.Pointer[plan]   // see keys
	within  []atomic.Pointer[plan] // see field
	entries sync.Pool              // *entry, of a map
}

// A role is what a type means to the guard.
type role uint8

const (
	rolePlain     role = iota
	roleValue          // secrets.Value
	roleManifest       // sandbox.Manifest
	roleRunConfig      // sandbox.RunConfig
	roleTime           // time.Time
	roleRaw            // JSON and payloads that are encoded already
	roleObject         // map[string]any
)

func roleOf(t reflect.Type) role {
	switch t {
	case typeValue:
		return roleValue
	case typeManifest:
		return roleManifest
	case typeRunConfig:
		return roleRunConfig
	case typeTime:
		return roleTime
	case typeRawJSON, typeRawValue, typePayloads, typePayload:
		return roleRaw
	case typeObject:
		return roleObject
	}
	return rolePlain
}

// at returns one of the fields, those that JSON leaves out last.
func (p *plan) at(i int) *planField {
	if i < len(p.fields) {
		return &p.fields[i]
	}
	return &p.unsent[i-len(p.fields)]
}

// elem is the plan of what a pointer, slice, array or map holds. Plans refer to one
// another like types do, in circles, so that each link is made when it is needed.
func (p *plan) elem() *plan { return linked(&p.of, p.typ.Elem) }

// keys is the plan of a map's keys.
func (p *plan) keys() *plan { return linked(&p.by, p.typ.Key) }

// field is the plan of the type of fields[i].
func (p *plan) field(i int) *plan {
	return linked(&p.within[i], func() reflect.Type { return p.typ.FieldByIndex(p.fields[i].index).Type })
}

func linked(link *atomic.Pointer[plan], typ func() reflect.Type) *plan {
	to := link.Load()
	if to == nil {
		to = planOf(typ())
		link.Store(to)
	}
	return to
}

type planField struct {
	index  []int
	name   string
	tagged bool // the name comes from a tag
	unsent bool // JSON leaves it out
	guard  bool
	text   bool
	number bool
}

// named returns the field that encoding/json writes under a name: the one at the
// least depth, there a tagged one before others, and none where that leaves two.
func (p *plan) named(name string) (planField, bool) {
	var best planField
	found, tie := false, false
	for _, f := range p.fields {
		if f.name != name {
			continue
		}
		switch {
		case !found || len(f.index) < len(best.index) || len(f.index) == len(best.index) && f.tagged && !best.tagged:
			best, found, tie = f, true, false
		case len(f.index) == len(best.index) && f.tagged == best.tagged:
			tie = true
		}
	}
	return best, found && !tie
}

var (
	typeValue        = reflect.TypeFor[secrets.Value]()
	typeManifest     = reflect.TypeFor[sandbox.Manifest]()
	typeRunConfig    = reflect.TypeFor[sandbox.RunConfig]()
	typeTime         = reflect.TypeFor[time.Time]()
	typeNumber       = reflect.TypeFor[json.Number]()
	typeRawJSON      = reflect.TypeFor[json.RawMessage]()
	typeRawValue     = reflect.TypeFor[converter.RawValue]()
	typePayloads     = reflect.TypeFor[*commonpb.Payloads]()
	typePayload      = reflect.TypeFor[*commonpb.Payload]()
	typeProto        = reflect.TypeFor[proto.Message]()
	typeJSONMarshal  = reflect.TypeFor[json.Marshaler]()
	typeTransfer     = reflect.TypeFor[converter.ValueWithTransferTypeConverter]()
	typeTextMarshal  = reflect.TypeFor[encoding.TextMarshaler]()
	typeObject       = reflect.TypeFor[map[string]any]()
	typeEncodedValue = reflect.TypeFor[converter.EncodedValues]()

	plans sync.Map // reflect.Type -> *plan
)

// planOf returns the plan of t. It is safe for concurrent use.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{typ: t, kind: t.Kind(), role: roleOf(t), opaque: isOpaque(t), hidden: hasHiddenText(t)}
	p.bytes = isBytes(t)
	p.null = p.kind == reflect.Pointer && !t.Implements(typeProto) && !t.Implements(typeTransfer)
	p.guard, p.text, p.number = reach(t, map[reflect.Type]bool{})
	p.marshals = p.opaque && !(t.Kind() == reflect.Struct && hidesFields(t, map[reflect.Type]bool{}))
	if t.Kind() == reflect.Struct && !isLeafType(t) && !reflect.PointerTo(t).Implements(typeProto) {
		p.embeds = slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
		for _, f := range jsonFields(t, nil, map[reflect.Type]bool{}) {
			ft := t.FieldByIndex(f.index).Type
			f.guard, f.text, f.number = reach(ft, map[reflect.Type]bool{})
			if f.unsent {
				p.unsent = append(p.unsent, f)
			} else {
				p.fields = append(p.fields, f)
			}
		}
		p.within = make([]atomic.Pointer[plan], len(p.fields))
	}
	actual, _ := plans.LoadOrStore(t, p)
	return actual.(*plan)
}

// isBytes is true for slices and arrays of bytes that write themselves as such. A
// named byte may have a marshaler of its own, which then writes each of them.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() == reflect.Uint8 && !isOpaque(t.Elem())
}

func isLeafType(t reflect.Type) bool { return t == typeValue || t == typeTime }

// isOpaque reports whether a value of t encodes as something else than its
// exported fields.
func isOpaque(t reflect.Type) bool {
	switch t {
	case typeValue, typeManifest, typeRunConfig, typeTime, typeRawJSON, typeRawValue:
		return false
	}
	if t.Kind() == reflect.Interface || isOurs(t) {
		return false
	}
	if t.Kind() == reflect.Struct && hidesFields(t, map[reflect.Type]bool{}) {
		return true
	}
	base := t
	if t.Kind() != reflect.Pointer {
		base = reflect.PointerTo(t)
	}
	return base.Implements(typeProto) || base.Implements(typeJSONMarshal) || base.Implements(typeTextMarshal) || base.Implements(typeTransfer)
}

// isOurs reports the module's own wire types, whose exported fields say all.
func isOurs(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == typeValue.PkgPath() || t.PkgPath() == typeManifest.PkgPath()
}

// hidesFields is true for a struct that embeds a pointer to an unexported one:
// encoding/json writes its fields, but nobody outside its package can set them.
func hidesFields(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		et := f.Type
		if et.Kind() == reflect.Pointer {
			et = et.Elem()
			if !f.IsExported() && et.Kind() == reflect.Struct {
				return true
			}
		}
		if et.Kind() == reflect.Struct && !isLeafType(et) && hidesFields(et, seen) {
			return true
		}
	}
	return false
}

// reach collects what can be met from t. seen breaks recursive types; since the
// answer is an OR over everything reachable, a type in progress adds nothing.
func reach(t reflect.Type, seen map[reflect.Type]bool) (guard, text, number bool) {
	if seen[t] {
		return false, false, false
	}
	seen[t] = true
	switch t {
	case typeValue:
		return true, false, false
	case typeManifest, typeRunConfig:
		return true, true, true
	case typeTime:
		return false, false, false
	case typeRawJSON, typeRawValue, typePayloads, typePayload, typeEncodedValue:
		return true, true, true
	}
	// A marshaler of its own may write anything, and may still show typed places
	// in exported fields.
	text = isOpaque(t)
	add := func(u reflect.Type) {
		g, x, n := reach(u, seen)
		guard, text, number = guard || g, text || x, number || n
	}
	switch {
	case t.Kind() == reflect.Interface:
		return true, true, true
	case t.Kind() == reflect.String:
		return guard, true, number
	case isNumber(t.Kind()):
		return guard, text, true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return guard, true, number
		}
		add(t.Elem())
	case reflect.Map:
		add(t.Key())
		add(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous {
				add(f.Type)
			}
		}
	}
	return guard, text, number
}

// isNumber reports the kinds that encode as JSON numbers.
func isNumber(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Float64 }

// jsonFields lists the fields that encoding/json may write, with the names it
// would use, the shallowest of a name first. Where embedded structs share a name
// it lists all of them: which one is written depends on depth and tags, and one
// look too many is no harm.
func jsonFields(t reflect.Type, prefix []int, seen map[reflect.Type]bool) []planField {
	if seen[t] {
		return nil
	}
	seen[t] = true
	defer delete(seen, t)
	var out, embedded []planField
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			if f.IsExported() {
				out = append(out, planField{index: append(append([]int(nil), prefix...), i), name: f.Name, unsent: true})
			}
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		index := append(append([]int(nil), prefix...), i)
		if f.Anonymous && name == "" {
			et := f.Type
			if et.Kind() == reflect.Pointer {
				et = et.Elem()
			}
			if et.Kind() == reflect.Struct && !isLeafType(et) && et != typeManifest && et != typeRunConfig {
				if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
					continue
				}
				embedded = append(embedded, jsonFields(et, index, seen)...)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, planField{index: index, name: name, tagged: tag != "" && !strings.HasPrefix(tag, ",")})
	}
	return append(out, embedded...)
}
