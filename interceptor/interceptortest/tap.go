package interceptortest

import (
	"context"
	"maps"
	"path"
	"slices"
	"sync"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/proto"
)

// A Tap keeps every request that a client and the workers made from it send, in
// the form in which it leaves the process: after all interceptors, converters and
// codecs, in whatever order they were registered. The zero value is ready and
// empty. It keeps all of it until it is dropped, so it is for tests only.
type Tap struct {
	mu   sync.Mutex
	sent []Sent
	runs map[string]bool // by run id
}

// Sent is one request.
type Sent struct {
	// Method is the name of the call, such as "StartWorkflowExecution".
	Method string
	// Message is what was sent. It must not be changed. It is nil for the record
	// of a call's headers.
	Message proto.Message
	// Headers are those of the call. They are recorded apart from its message.
	Headers metadata.MD
}

// DialOptions returns what goes into client.ConnectionOptions.DialOptions. The
// same tap may be given to several clients.
func (t *Tap) DialOptions() []grpc.DialOption {
	// Interceptors of a connection see what the ones after them have yet to
	// change; a statistics handler sees what is written.
	return []grpc.DialOption{grpc.WithStatsHandler(wire{t})}
}

// Sent returns what was sent so far, oldest first.
func (t *Tap) Sent() []Sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.sent)
}

// Find returns the places in what was sent so far that hold something of the
// finder's values.
func (t *Tap) Find(f *Finder) []Place {
	var found []Place
	for _, s := range t.Sent() {
		if s.Message != nil {
			found = append(found, f.in("sent "+s.Method, s.Message)...)
		}
		for name, values := range s.Headers {
			for _, v := range values {
				found = append(found, within("sent "+s.Method+": call header "+f.show(name), f.Bytes([]byte(v)))...)
			}
		}
	}
	return found
}

// known returns the ids of the runs that were started here, and of those whose
// workers are here.
func (t *Tap) known() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.runs))
}

func (t *Tap) keep(s Sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = append(t.sent, s)
}

func (t *Tap) know(runID string) {
	if runID == "" {
		return // a long poll that nothing came of
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs == nil {
		t.runs = map[string]bool{}
	}
	t.runs[runID] = true
}

// wire is a tap as a handler of gRPC's statistics.
type wire struct{ tap *Tap }

type methodKey struct{}

func (wire) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodKey{}, path.Base(info.FullMethodName))
}

func (w wire) HandleRPC(ctx context.Context, s stats.RPCStats) {
	method, _ := ctx.Value(methodKey{}).(string)
	switch s := s.(type) {
	case *stats.OutPayload:
		if m, ok := s.Payload.(proto.Message); ok {
			w.tap.keep(Sent{Method: method, Message: proto.Clone(m)})
		}
	case *stats.OutHeader:
		w.tap.keep(Sent{Method: method, Headers: s.Header.Copy()})
	case *stats.InPayload:
		switch answer := s.Payload.(type) {
		case *workflowservice.StartWorkflowExecutionResponse:
			w.tap.know(answer.GetRunId())
		case *workflowservice.SignalWithStartWorkflowExecutionResponse:
			w.tap.know(answer.GetRunId())
		case *workflowservice.PollWorkflowTaskQueueResponse:
			w.tap.know(answer.GetWorkflowExecution().GetRunId())
		}
	}
}

func (wire) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (wire) HandleConn(context.Context, stats.ConnStats) {}
