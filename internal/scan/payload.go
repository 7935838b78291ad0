package scan

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"
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

// maxInflated bounds what a compressed payload becomes. The server ends payloads
// at 2 MiB.
const maxInflated = 64 << 20

// Why something was not scanned.
const (
	reasonStorage = "external storage"
	reasonDepth   = "nested too deep"
	reasonBroken  = "payload not decoded"
)

// payload looks at the object at the cursor if it has the form of a payload, and
// reports whether it has. What it calls data is then base64.
func (w *walker) payload(c *cursor, key string) (isPayload bool, err error) {
	look := *c
	if !look.enter() {
		return false, nil
	}
	if first, err := look.key(); err != nil || first != "metadata" && first != "data" && first != "externalPayloads" {
		return false, err
	}
	var metadata, data string
	external := false
	look = *c
	for more := look.enter(); more; {
		name, err := look.key()
		if err != nil {
			return false, err
		}
		raw, err := look.skip()
		if err != nil {
			return false, err
		}
		switch {
		case name == "metadata" && raw[0] == '{':
			metadata = raw
		case name == "data" && raw[0] == '"':
			data = raw
		case name == "data" && raw == "null":
		case name == "externalPayloads" && raw[0] == '[':
			external = strings.ContainsRune(raw, '{')
		default:
			return false, nil
		}
		if more, err = look.next(); err != nil {
			return false, err
		}
	}
	if metadata == "" {
		return false, nil
	}
	encoding, message, ok := w.metadata(metadata)
	if !ok {
		return false, nil // an object of the user's own with the same names
	}
	*c = look
	if external {
		encoding = encodingStorage
	}
	text, ok := decodeField(data)
	if !ok {
		w.run.skip(reasonBroken)
		return true, nil
	}
	w.within(func() { w.encodedPayload(key, encoding, message, text) })
	return true, nil
}

// metadata reads the metadata of a payload, whose values are base64, and looks at
// what stands there beside the encoding.
func (w *walker) metadata(raw string) (encoding, message string, ok bool) {
	c := cursor{s: raw}
	for more := c.enter(); more; {
		name, err := c.key()
		if err != nil || c.peek() != '"' {
			return "", "", false
		}
		quoted, _, err := c.rawString()
		if err != nil {
			return "", "", false
		}
		value, decoded := decodeField(quoted)
		if !decoded {
			return "", "", false
		}
		switch name {
		case "encoding":
			encoding, ok = value, true
		case "messageType":
			message = value
		default:
			w.enter(step{key: "metadata"}, step{key: name})
			w.text(name, value)
			w.leave(2)
		}
		if more, err = c.next(); err != nil {
			return "", "", false
		}
	}
	return encoding, message, ok
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

// encodedPayload looks at the data of a payload.
func (w *walker) encodedPayload(key, encoding, message, data string) {
	w.run.payloads++
	switch {
	case encoding == encodingStorage, message == messageStorage:
		w.run.skip(reasonStorage)
	case encoding == encodingNil:
	case strings.HasPrefix(encoding, "json/"):
		w.jsonPayload(key, data)
	case encoding == encodingBinary, encoding == encodingProto:
		w.text(key, data)
	case encoding == encodingZlib:
		w.compressed(key, data)
	default:
		w.run.skip("encoding " + shown(encoding))
		if isText(data, false) {
			w.text(key, data)
		}
	}
}

// jsonPayload looks at the JSON that a payload holds, which takes no level of the
// path: a place reads the same for payloads that are written out.
func (w *walker) jsonPayload(key, data string) {
	c := cursor{s: data}
	if err := w.value(&c, key); err != nil || c.peek() != 0 {
		if !isText(data, false) {
			w.run.skip("a payload that says it is JSON and is not") // encrypted, perhaps
		}
		w.text(key, data)
	}
}

// compressed looks into a payload that the SDK's codec compressed, which holds a
// whole payload.
func (w *walker) compressed(key, data string) {
	inner, err := inflate(data)
	if err != nil || w.nested >= maxNested {
		w.run.skip("encoding " + encodingZlib)
		return
	}
	w.nested++
	w.encodedPayload(key, string(inner.GetMetadata()["encoding"]), string(inner.GetMetadata()["messageType"]), string(inner.GetData()))
	w.nested--
	w.run.payloads--
}

func inflate(data string) (*commonpb.Payload, error) {
	r, err := zlib.NewReader(strings.NewReader(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, maxInflated+1))
	if err != nil {
		return nil, err
	}
	if n > maxInflated {
		return nil, io.ErrShortBuffer
	}
	inner := &commonpb.Payload{}
	return inner, proto.Unmarshal(b.Bytes(), inner)
}
