package scan

import (
	"bytes"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// errCodec is the problem of a codec that fails. What the codec says of it is not
// quoted: it has seen the payload.
var errCodec = errors.New("the remote codec did not decode a payload: is its endpoint right, does it run, accept the authorization and have the key?")

// Decode has payloads that the scan cannot look into decoded by a codec, whose
// failures make the scan incomplete. It must be called before anything is read. The
// codec is called by several goroutines at once; nil is none.
func (s *Scan) Decode(codec converter.PayloadCodec) { s.codec = codec }

// decoded looks at a payload as the codec decodes it, and reports whether there is
// one that knows it.
func (w *walker) decoded(key string, p content) (ok bool) {
	if w.scan.codec == nil {
		return false
	}
	in := p.proto()
	out, err := w.scan.codec.Decode([]*commonpb.Payload{in})
	if err != nil || len(out) != 1 {
		w.scan.Problem(w.run.source, errCodec)
		return false
	}
	if string(out[0].GetMetadata()["encoding"]) == p.encoding && bytes.Equal(out[0].GetData(), in.GetData()) {
		return false // it hands through what it does not know
	}
	return w.inner(key, out[0])
}

// proto returns the payload that the content is of.
func (p content) proto() *commonpb.Payload {
	metadata := p.parts
	if metadata == nil {
		metadata = map[string][]byte{}
		_ = eachMetadata(p.metadata, func(name, value string) { metadata[name] = []byte(value) })
	}
	return &commonpb.Payload{Metadata: metadata, Data: []byte(p.data)}
}
