package interceptor

import (
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// A dynamic workflow or activity gets one converter.EncodedValues for all its
// arguments. The guard looks at the payloads behind it, codecs undone.

// argsOf returns the arguments to look at: for a dynamic call one RawValue an
// argument.
func argsOf(args []any) []any {
	ev, ok := encodedValues(args)
	if !ok {
		return args
	}
	raws := rawValues(ev)
	out := make([]any, len(raws))
	for i, r := range raws {
		out[i] = r
	}
	return out
}

// argsFor undoes argsOf for a call whose arguments were edited. The payloads are
// plain by then, so the default converter reads them.
func argsFor(original, edited []any) []any {
	if _, ok := encodedValues(original); !ok {
		return edited
	}
	payloads := &commonpb.Payloads{}
	for _, a := range edited {
		raw, ok := a.(converter.RawValue)
		if !ok {
			return original
		}
		payloads.Payloads = append(payloads.Payloads, raw.Payload())
	}
	return []any{client.NewValues(payloads)}
}

func encodedValues(args []any) (converter.EncodedValues, bool) {
	if len(args) != 1 {
		return nil, false
	}
	ev, ok := args[0].(converter.EncodedValues)
	return ev, ok && ev != nil
}

func rawValues(ev converter.EncodedValues) []converter.RawValue {
	n := len(converter.GetPayloads(ev).GetPayloads())
	raws := make([]converter.RawValue, n)
	ptrs := make([]any, n)
	for i := range raws {
		ptrs[i] = &raws[i]
	}
	if n == 0 || ev.Get(ptrs...) != nil {
		return nil
	}
	return raws
}
