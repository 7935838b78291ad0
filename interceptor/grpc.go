package interceptor

import (
	"context"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
)

// alarm is the last net: it looks at every request on its way to the server. It
// edits JSON payloads, texts and failures, puts a tombstone in the place of
// other payloads, and never touches identifiers, since an edited one breaks
// replay. A request that still holds a value then is not sent if it begins
// something; see [mustGo] for those that are sent all the same. Every hit is a
// defect of a hook above.
func (g *guard) alarm(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if msg, ok := req.(proto.Message); ok && g.hidden.Len() > 0 {
		if data, err := proto.Marshal(msg); err == nil && g.hidden.Contains(data) {
			clone := proto.Clone(msg)
			g.nameless().message(clone.ProtoReflect())
			g.defect("grpc")
			if left, err := proto.Marshal(clone); err != nil || g.hidden.Contains(left) {
				if !mustGo(method) {
					return errIdentifier
				}
				g.defect(netIdentifier)
			}
			req = clone
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// alarmed puts the alarm around a connection's own interceptors: before them, where
// a codec of the connection has not encrypted anything yet, and after them, where
// nothing is added any more.
func (g *guard) alarmed(own []grpc.DialOption) []grpc.DialOption {
	alarm := grpc.WithChainUnaryInterceptor(g.alarm)
	if len(own) == 0 {
		return []grpc.DialOption{alarm}
	}
	return append(append([]grpc.DialOption{alarm}, own...), alarm)
}

// texts are the string fields of Temporal's API that hold free text. All other
// strings are identifiers.
var texts = map[protoreflect.Name]bool{
	"error_message": true, "reason": true, "details": true, "message": true, "stack_trace": true, "notes": true, "note": true,
	"pause": true, "unpause": true, // the notes of a schedule's patch
	"comment": true, "description": true,
}

// message cleans m in place.
func (c cleaner) message(m protoreflect.Message) int {
	switch x := m.Interface().(type) {
	case *commonpb.Payload:
		return c.payloadInPlace(x)
	case *failurepb.Failure:
		return c.failure(x)
	case *anypb.Any:
		return c.anyInPlace(x)
	}
	hits := 0
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			if fd.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, e protoreflect.Value) bool {
					hits += c.message(e.Message())
					return true
				})
			}
		case fd.IsList():
			if fd.Message() != nil {
				for i := range v.List().Len() {
					hits += c.message(v.List().Get(i).Message())
				}
			}
		case fd.Message() != nil:
			hits += c.message(v.Message())
		case fd.Kind() == protoreflect.StringKind && texts[fd.Name()]:
			if out, n := c.text(v.String()); n > 0 {
				m.Set(fd, protoreflect.ValueOfString(out))
				hits += n
			}
		}
		return true
	})
	return hits
}

func (c cleaner) payloadInPlace(p *commonpb.Payload) int {
	np, hits, err := c.payload(p)
	if err != nil {
		np, hits = tombstone(), 1
	}
	if hits > 0 {
		p.Metadata, p.Data = np.GetMetadata(), np.GetData()
	}
	return hits
}

func (c cleaner) anyInPlace(a *anypb.Any) int {
	inner, err := a.UnmarshalNew()
	if err != nil {
		return 0
	}
	hits := c.message(inner.ProtoReflect())
	if hits > 0 {
		if packed, err := anypb.New(inner); err == nil {
			a.Value = packed.GetValue()
		}
	}
	return hits
}
