package interceptor

import (
	"context"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// payloads cleans ps in place.
func (c cleaner) payloads(ps *commonpb.Payloads, hits *int) {
	for i, p := range ps.GetPayloads() {
		np, n, err := c.payload(p)
		if err != nil {
			np, n = tombstone(), 1
		}
		ps.Payloads[i], *hits = np, *hits+n
	}
}

// tombstone stands where a payload held a secret and could not be edited.
func tombstone() *commonpb.Payload {
	p, err := converter.GetDefaultDataConverter().ToPayload(withheldText)
	if err != nil { // a string always encodes
		return &commonpb.Payload{}
	}
	return p
}

// scanCodec is the net behind the hooks for everything that is encoded:
// query answers, memo, workflow results, headers of the SDK's own. It edits
// plain payloads and passes on what another codec has encrypted.
type scanCodec struct {
	hidden *redact.Set
	nobody *redact.Holder // see guard
	defect func(net string)
}

func (s scanCodec) Encode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	c := cleaner{hidden: s.hidden, as: s.nobody}
	if c.idle() {
		return in, nil
	}
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		np, hits, err := c.payload(p)
		if err != nil {
			np, hits = tombstone(), 1
		}
		if hits > 0 {
			s.defect("codec")
		}
		out[i] = np
	}
	return out, nil
}

func (scanCodec) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) { return in, nil }

// scanConverter is the same net around a converter that the guard cannot look
// into: values are cleaned before it encodes, perhaps encrypts, them.
type scanConverter struct {
	converter.DataConverter
	g *guard
}

func (s scanConverter) ToPayload(v any) (*commonpb.Payload, error) {
	return s.DataConverter.ToPayload(s.clean(v))
}

func (s scanConverter) ToPayloads(vs ...any) (*commonpb.Payloads, error) {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = s.clean(v)
	}
	return s.DataConverter.ToPayloads(out...)
}

func (s scanConverter) clean(v any) any {
	out, hits, err := s.g.nameless().value(v)
	if err != nil {
		s.g.defect("converter")
		return withheldText
	}
	if hits > 0 {
		s.g.defect("converter")
	}
	return out
}

// WithWorkflowContext implements the SDK's ContextAware.
func (s scanConverter) WithWorkflowContext(ctx workflow.Context) converter.DataConverter {
	if aware, ok := s.DataConverter.(workflow.ContextAware); ok {
		return scanConverter{DataConverter: aware.WithWorkflowContext(ctx), g: s.g}
	}
	return s
}

// WithContext implements the SDK's ContextAware.
func (s scanConverter) WithContext(ctx context.Context) converter.DataConverter {
	if aware, ok := s.DataConverter.(workflow.ContextAware); ok {
		return scanConverter{DataConverter: aware.WithContext(ctx), g: s.g}
	}
	return s
}

// WithSerializationContext implements the SDK's optional interface.
func (s scanConverter) WithSerializationContext(ctx converter.SerializationContext) converter.DataConverter {
	return scanConverter{DataConverter: converter.WithDataConverterSerializationContext(s.DataConverter, ctx), g: s.g}
}

// ScanCodec returns the guard's net as a codec, for a user's own list of codecs:
// the plugin cannot reach inside an encrypting data converter, so there the net
// is put last, where it sees plain payloads (codecs encode from last to first).
// hidden is the set that Options.Hidden gives to the plugin. Without one, nil, it
// panics: a net without a set would let everything pass. It does so when it is made
// and not when it is used, since the SDK sends a memo in plain text when a codec
// fails; Encode never returns an error. Its markers show no names, since a codec does
// not know whose output it encodes.
//
//	hidden := redact.NewSet()
//	dc := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), encryption, guard.ScanCodec(hidden))
//	plugin, err := guard.NewPlugin(guard.Options{Policies: policies, Hidden: hidden})
func ScanCodec(hidden *redact.Set) converter.PayloadCodec {
	if hidden == nil {
		panic("interceptor: ScanCodec was given no set, so it would hide nothing\n" +
			"  fix: make one with redact.NewSet, and give the same set to ScanCodec and to Options.Hidden")
	}
	return scanCodec{hidden: hidden, nobody: hidden.NewHolder(), defect: func(net string) {
		if g, ok := byHidden.Load(hidden); ok {
			g.(*guard).defect(net)
		}
	}}
}
