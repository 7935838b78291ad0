package scan

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/validation"
)

// The encodings of payloads, as the SDKs write them.
const (
	encodingNil    = "binary/null"
	encodingBinary = "binary/plain"
	encodingProto  = "binary/protobuf"
	encodingZlib   = "binary/zlib"

	encodingStorage = "json/external-storage-reference"
	messageStorage  = "temporal.api.sdk.v1.ExternalStorageReference"
)

// Why something was not scanned.
const (
	reasonStorage = "external storage"
	reasonDepth   = "nested too deep"
	reasonBroken  = "payload not decoded"
	reasonNotJSON = "a payload that says it is JSON and is not" // encrypted, perhaps
	reasonPacked  = "compressed with "
)

// A content is what a payload holds.
type content struct {
	encoding string
	message  string            // the type of a message of protobuf
	metadata string            // of a payload in JSON, as it stands there
	parts    map[string][]byte // the metadata of another payload
	data     string
}

// payload looks at a payload if the object that was walked has the parts of one, and
// takes them from what is held. Its data is then base64.
func (w *walker) payload(o *waiting, key string) {
	p := content{metadata: o.find("metadata")}
	if !isObject(p.metadata) {
		return
	}
	known := false
	flat := eachMetadata(p.metadata, func(name, value string) {
		switch name {
		case "encoding":
			p.encoding, known = value, isASCII(value)
		case "messageType":
			p.message = value
		}
	})
	if !flat || !known {
		return // an object of the user's own with the same names
	}
	if strings.ContainsRune(o.find("externalPayloads"), '{') {
		p.encoding = encodingStorage
	}
	quoted := o.find("data")
	data, decoded := decodeField(quoted)
	o.drop("metadata")
	o.drop("data")
	o.drop("externalPayloads")
	index := 0
	_ = eachMetadata(p.metadata, func(name, value string) {
		if name != "encoding" && name != "messageType" {
			w.metadata(name, value, index)
		}
		index++
	})
	if !decoded || !noBinary(data) {
		w.written(quoted)
	}
	if !decoded {
		w.run.skip(reasonBroken)
		return
	}
	p.data = data
	w.run.payloads++
	w.within(func() { w.content(key, p) })
}

// written looks at the data of a payload as it is written: an object of the user's own
// may have the form of a payload, and a credential that of base64.
func (w *walker) written(quoted string) {
	s := unquoted(quoted)
	w.enter(step{key: "data"})
	for _, f := range validation.DetectCredentials(s) {
		w.found(f.Kind, s[f.Start:f.End])
	}
	w.leave(1)
}

// metadata looks at what stands beside the encoding.
func (w *walker) metadata(name, value string, index int) {
	w.enter(step{key: "metadata"})
	w.enter(step{key: name, index: index, hidden: w.name(name, index)})
	w.text(name, value)
	w.leave(2)
}

// eachMetadata reads the metadata of a payload in JSON, whose values are base64. ok
// is false when it does not have this form.
func eachMetadata(raw string, each func(name, value string)) (ok bool) {
	c := cursor{s: raw}
	for more := c.enter(); more; {
		name, err := c.key()
		if err != nil || c.peek() != '"' {
			return false
		}
		quoted, _, err := c.rawString()
		if err != nil {
			return false
		}
		value, decoded := decodeField(quoted)
		if !decoded {
			return false
		}
		each(name, value)
		if more, err = c.next(); err != nil {
			return false
		}
	}
	return true
}

// plainJSON is what nearly every payload says of its encoding.
const plainJSON = `"anNvbi9wbGFpbg=="`

// decodeField decodes a quoted field of bytes, which protobuf writes as base64.
func decodeField(quoted string) (string, bool) {
	if quoted == plainJSON {
		return "json/plain", true
	}
	s := strings.Trim(quoted, `"`)
	if decoded, err := base64.StdEncoding.DecodeString(s); err == nil {
		return string(decoded), true
	}
	s = strings.NewReplacer("-", "+", "_", "/", "=", "", `\/`, "/", `\u003d`, "").Replace(s)
	decoded, err := base64.RawStdEncoding.DecodeString(s)
	return string(decoded), err == nil
}

// content looks at the data of a payload.
func (w *walker) content(key string, p content) {
	switch {
	case p.encoding == encodingStorage, p.message == messageStorage:
		w.run.skip(reasonStorage)
	case strings.HasPrefix(p.encoding, "json/"):
		w.jsonPayload(key, p)
	case p.encoding == encodingBinary, p.encoding == encodingProto, p.encoding == encodingNil:
		w.text(key, p.data)
	case p.encoding == encodingZlib:
		w.compressed(key, p)
	case w.encodedData(key, p):
	default:
		w.run.skip("encoding " + shownEncoding(p.encoding))
		if isText(p.data, false) {
			w.text(key, p.data)
		}
	}
}

// encodedData looks into data that tells itself how it is compressed or that the codec
// knows, and reports whether it is any. What seems to be zlib may be encrypted.
func (w *walker) encodedData(key string, p content) bool {
	switch {
	case isMarked(p.data):
		return w.binary(key, p.data)
	case w.decoded(key, p):
		return true
	case isZlib(p.data):
		n, ok := w.zlib(key, p.data)
		if ok {
			w.loose(key, p.data[n:])
		}
		return ok
	}
	return false
}

// jsonPayload looks at the JSON that a payload holds, which takes no level of the
// path: a place reads the same for payloads that are written out.
func (w *walker) jsonPayload(key string, p content) {
	c := cursor{s: p.data}
	if err := w.value(&c, key); err == nil && c.peek() == 0 {
		return
	}
	if !isText(p.data, false) {
		if w.encodedData(key, p) {
			return
		}
		w.run.skip(reasonNotJSON)
	}
	w.text(key, p.data)
}

// compressed looks into a payload that the SDK's codec compressed, which holds a
// whole payload.
func (w *walker) compressed(key string, p content) {
	data, n, err := w.unpack(&formatZlib, p.data)
	inner := &commonpb.Payload{}
	if err == nil {
		err = proto.Unmarshal([]byte(data), inner)
	}
	if err != nil || !w.inner(key, inner) {
		w.run.skip("encoding " + encodingZlib)
		return
	}
	w.text(key, p.data[n:])
}

// inner looks at a payload that was within another one, unless it is nested too deep.
func (w *walker) inner(key string, p *commonpb.Payload) (ok bool) {
	if w.nested >= maxNested {
		return false
	}
	w.nested++
	metadata := p.GetMetadata()
	for i, name := range slices.Sorted(maps.Keys(metadata)) {
		if name != "encoding" && name != "messageType" {
			w.metadata(name, string(metadata[name]), i)
		}
	}
	w.content(key, content{
		encoding: string(metadata["encoding"]), message: string(metadata["messageType"]), parts: metadata, data: string(p.GetData()),
	})
	w.nested--
	return true
}
