package scan

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"
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
	data, decoded := decodeField(o.find("data"))
	o.drop("metadata")
	o.drop("data")
	o.drop("externalPayloads")
	_ = eachMetadata(p.metadata, func(name, value string) {
		if name != "encoding" && name != "messageType" {
			w.metadata(name, value)
		}
	})
	if !decoded {
		w.run.skip(reasonBroken)
		return
	}
	p.data = data
	w.run.payloads++
	w.within(func() { w.content(key, p) })
}

// metadata looks at what stands beside the encoding.
func (w *walker) metadata(name, value string) {
	w.enter(step{key: "metadata"}, step{key: name})
	if len(name) >= minEncoded {
		w.name(name)
	}
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
	case p.encoding == encodingNil:
	case strings.HasPrefix(p.encoding, "json/"):
		w.jsonPayload(key, p)
	case p.encoding == encodingBinary, p.encoding == encodingProto:
		w.text(key, p.data)
	case p.encoding == encodingZlib:
		w.compressed(key, p)
	case w.packed(key, p.data), w.decoded(key, p):
	default:
		w.run.skip("encoding " + shown(p.encoding))
		if isText(p.data, false) {
			w.text(key, p.data)
		}
	}
}

// jsonPayload looks at the JSON that a payload holds, which takes no level of the
// path: a place reads the same for payloads that are written out.
func (w *walker) jsonPayload(key string, p content) {
	c := cursor{s: p.data}
	if err := w.value(&c, key); err == nil && c.peek() == 0 {
		return
	}
	if !isText(p.data, false) && !isPacked(p.data) {
		if w.decoded(key, p) {
			return
		}
		w.run.skip(reasonNotJSON)
	}
	w.text(key, p.data)
}

// compressed looks into a payload that the SDK's codec compressed, which holds a
// whole payload.
func (w *walker) compressed(key string, p content) {
	data, err := w.unpack(&format{open: openZlib}, p.data)
	inner := &commonpb.Payload{}
	if err == nil {
		err = proto.Unmarshal([]byte(data), inner)
	}
	if err != nil || !w.inner(key, inner) {
		w.run.skip("encoding " + encodingZlib)
	}
}

// inner looks at a payload that was within another one, unless it is nested too deep.
func (w *walker) inner(key string, p *commonpb.Payload) (ok bool) {
	if w.nested >= maxNested {
		return false
	}
	w.nested++
	metadata := p.GetMetadata()
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		if name != "encoding" && name != "messageType" {
			w.metadata(name, string(metadata[name]))
		}
	}
	w.content(key, content{
		encoding: string(metadata["encoding"]), message: string(metadata["messageType"]), parts: metadata, data: string(p.GetData()),
	})
	w.nested--
	return true
}
