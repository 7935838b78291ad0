package interceptor

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// textOfEntries looks at the texts of a manifest's entries. Environment literals
// and mount credentials have rules of their own (env-literal-credential,
// mount-credential) and are not reported twice.
func (w *walker) textOfEntries(m sandbox.Manifest) {
	if w.text == nil || len(m.Entries) == 0 {
		return
	}
	saved := w.visitor
	w.visitor = visitor{text: saved.text}
	w.under(step{name: "entries"}, reflect.ValueOf(m.Entries), "entries", true)
	w.visitor = saved
}

// textOfRunConfig does so for the manifests of a run config. Its other texts have
// rules of their own as well.
func (w *walker) textOfRunConfig(rc sandbox.RunConfig) {
	for _, held := range manifestsOf(rc) {
		depth := len(w.at)
		for name := range strings.SplitSeq(held.at[1:], "/") {
			w.at = append(w.at, step{name: name})
		}
		w.textOfEntries(held.manifest)
		w.at = w.at[:depth]
	}
}

// textOfOpaque looks at what a type with an encoding of its own would write.
func (w *walker) textOfOpaque(v reflect.Value, key string) {
	if w.text == nil || !v.CanInterface() {
		return
	}
	data, ok := encodeOpaque(v.Interface())
	if ok {
		w.textOfJSON(data, key)
	}
	// Without an address, as in a map, a pointer's marshaler is not called.
	if byValue, err := encodeValue(v); err == nil && !bytes.Equal(byValue, data) {
		w.textOfJSON(byValue, key)
	}
}

// encodeOpaque renders v the way the default converter would, and answers false
// when its own marshaler fails or panics: then nothing of it can be sent either.
// A marshaler with a pointer receiver is called too: encoding/json calls it
// wherever it can take the address, as in a slice.
func encodeOpaque(v any) (data []byte, ok bool) {
	defer func() {
		if recover() != nil {
			data, ok = nil, false
		}
	}()
	var err error
	if m, isProto := v.(proto.Message); isProto {
		data, err = protojson.Marshal(m)
		return data, err == nil
	}
	if _, transfers := v.(converter.ValueWithTransferTypeConverter); transfers {
		// The SDK's default converter knows the type that travels instead.
		p, err := converter.GetDefaultDataConverter().ToPayload(v)
		return p.GetData(), err == nil
	}
	addressed := v
	if t := reflect.TypeOf(v); t.Kind() != reflect.Pointer {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(v))
		addressed = p.Interface()
	}
	data, err = json.Marshal(addressed)
	return data, err == nil
}

var errNoOther = errors.New("interceptor: encoded one way only")

// encodeValue encodes v without its address, where that makes a difference.
func encodeValue(v reflect.Value) (data []byte, err error) {
	p := reflect.PointerTo(v.Type())
	if v.Kind() == reflect.Pointer || !p.Implements(typeJSONMarshal) && !p.Implements(typeTextMarshal) && !p.Implements(typeTransfer) {
		return nil, errNoOther
	}
	defer func() {
		if recover() != nil {
			data, err = nil, errNoOther
		}
	}()
	return json.Marshal(v.Interface())
}

func (w *walker) textOfPayload(p *commonpb.Payload, key string) {
	if w.text == nil || p == nil {
		return
	}
	if strings.HasPrefix(string(p.GetMetadata()[converter.MetadataEncoding]), "json/") {
		w.textOfJSON(p.GetData(), key)
	} else if utf8.Valid(p.GetData()) {
		w.text(w.at, key, string(p.GetData()))
	}
}

// textOfJSON walks the leaves of a JSON text. Text that is not JSON is looked at
// as it stands: it is going to be written as it stands.
func (w *walker) textOfJSON(data []byte, key string) {
	if w.text == nil || len(data) == 0 {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		w.text(w.at, key, string(data))
		return
	}
	saved := w.visitor
	w.visitor = visitor{text: saved.text}
	w.walk(reflect.ValueOf(v), key, false)
	w.visitor = saved
}
