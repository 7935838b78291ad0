package interceptor_test

import (
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// reversing stands for a user's encryption: what it encodes, nobody can search.
type reversing struct{}

func (reversing) Encode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		data, err := p.Marshal()
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte("binary/encrypted")}, Data: masked(data)}
	}
	return out, nil
}

func (reversing) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		out[i] = &commonpb.Payload{}
		if err := out[i].Unmarshal(masked(p.GetData())); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func masked(data []byte) []byte {
	out := slices.Clone(data)
	for i := range out {
		out[i] ^= 0xa5
	}
	return out
}
