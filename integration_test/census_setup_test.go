package integration_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// A sealing is a way to encrypt what a client sends.
type sealing struct {
	name string
	// converter is true where the data converter encrypts.
	converter bool
	// options are those of a client. hidden is nil without the guard.
	options func(hidden *redact.Set) (client.Options, error)
}

// sealings are the set-ups of the census.
var sealings = []sealing{
	{"no codec", false, func(*redact.Set) (client.Options, error) { return client.Options{}, nil }},
	{"codec of the converter with ScanCodec", true, func(hidden *redact.Set) (client.Options, error) {
		if hidden == nil {
			return sealedConverter(), nil
		}
		return sealedConverter(guard.ScanCodec(hidden)), nil
	}},
	{"codec of the converter alone", true, func(*redact.Set) (client.Options, error) { return sealedConverter(), nil }},
	{"codec of the connection", false, func(*redact.Set) (client.Options, error) { return sealedConnection() }},
}

func sealedConverter(inner ...converter.PayloadCodec) client.Options {
	data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), append([]converter.PayloadCodec{samples.Sealing()}, inner...)...)
	return client.Options{
		DataConverter:    data,
		FailureConverter: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: data, EncodeCommonAttributes: true}),
	}
}

func sealedConnection() (client.Options, error) {
	payloads, err := converter.NewPayloadCodecGRPCClientInterceptor(converter.PayloadCodecGRPCClientInterceptorOptions{Codecs: []converter.PayloadCodec{samples.Sealing()}})
	if err != nil {
		return client.Options{}, err
	}
	failures, err := converter.NewFailureGRPCClientInterceptor(converter.NewFailureGRPCClientInterceptorOptions{EncodeCommonAttributes: true})
	if err != nil {
		return client.Options{}, err
	}
	return client.Options{ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(failures, payloads)}}}, nil
}

// A census is one set-up with its values, and everything in which they can be
// found.
type census struct {
	sealing sealing
	mode    string // of the policy; empty without the guard
	// encodings are those that are planted.
	encodings []encoding
	cells     []*cell
	queue     string
	hidden    *redact.Set
	guard     guard.Options

	tap     *interceptortest.Tap
	log     *harness.Log
	metrics *tags
	store   *cellar
	sink    *records
	// client is that of the set-up, plain one of somebody else.
	client, plain client.Client
	// tokens are those of the activities that wait for a client.
	tokens sync.Map
}

// prepare makes the values, what they are to be found in, and the client.
func (c *census) prepare(t *testing.T) {
	t.Helper()
	c.queue, c.hidden = harness.ID("census"), redact.NewSet()
	c.tap, c.log, c.metrics, c.store, c.sink = &interceptortest.Tap{}, &harness.Log{}, newTags(), &cellar{kind: "cellar"}, &records{}
	values := map[string]string{}
	for i, r := range rows() {
		for _, e := range c.encodings {
			cell := newCell(i, r, e)
			c.cells = append(c.cells, cell)
			values[cell.ref] = cell.value
			if r.asked || !c.guarded() {
				continue
			}
			if err := c.hidden.Add(cell.name, cell.value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.guarded() {
		c.guard = guard.Options{
			Policies: policies(t, c.policyFile()), Resolver: secretstest.Static(values), Audit: c.sink, Hidden: c.hidden,
		}
	}
	c.client = c.dial(t, nil)
	o, err := c.sealing.options(nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Logger = harness.Discard()
	c.plain = server.Dial(t, o)
}

func (c *census) guarded() bool { return c.mode != "" }

func (c *census) name() string {
	if c.guarded() {
		return c.sealing.name + ", guard, " + c.mode
	}
	return c.sealing.name + ", no guard"
}

// policyFile grants every value that is asked for to every activity of the census.
func (c *census) policyFile() string {
	var secrets, grants strings.Builder
	for _, cell := range c.cells {
		if !cell.row.asked {
			continue
		}
		fmt.Fprintf(&secrets, "  %s: {ref: %q, owner: census, reason: to be found, review_by: 2099-01-01}\n", cell.name, cell.ref)
		for _, activity := range askingActivities {
			fmt.Fprintf(&grants, "    - {secret: %s, to: {activity: %s}}\n", cell.name, activity)
		}
	}
	return "version: 1\nsecrets:\n" + secrets.String() + "queues:\n  " + c.queue + ":\n    mode: " + c.mode + "\n    literals: off\n    grants:\n" + grants.String() +
		"default: {mode: " + c.mode + ", literals: off}\n"
}

// dial makes a client of the set-up. change may adjust its options.
func (c *census) dial(t *testing.T, change func(*client.Options)) client.Client {
	t.Helper()
	o, err := c.options(t, change)
	if err != nil {
		t.Fatal(err)
	}
	return server.Dial(t, o)
}

func (c *census) options(t *testing.T, change func(*client.Options)) (client.Options, error) {
	t.Helper()
	hidden := c.hidden
	if !c.guarded() {
		hidden = nil
	}
	o, err := c.sealing.options(hidden)
	if err != nil {
		return o, err
	}
	o.Logger, o.MetricsHandler = c.log, c.metrics
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions, c.tap.DialOptions()...)
	o.ContextPropagators = []workflow.ContextPropagator{carrier{}}
	o.Interceptors = []interceptor.ClientInterceptor{&labels{}}
	if change != nil {
		change(&o)
	}
	if c.guarded() {
		o.Plugins = append(o.Plugins, plugin(t, c.guard))
	}
	return o, nil
}

// planter returns what plants one encoding.
func (c *census) planter(encoding string) planter {
	p := planter{c: c, cells: map[string]*cell{}}
	for _, cell := range c.cells {
		if cell.encoding == encoding {
			p.cells[cell.row.name] = cell
		}
	}
	return p
}

// tags is a metrics handler that keeps the tags of all that was counted.
type tags struct {
	client.MetricsHandler
	mu   *sync.Mutex
	kept *strings.Builder
	own  map[string]string
}

func newTags() *tags {
	return &tags{MetricsHandler: client.MetricsNopHandler, mu: &sync.Mutex{}, kept: &strings.Builder{}}
}

func (h *tags) WithTags(more map[string]string) client.MetricsHandler {
	own := maps.Clone(h.own)
	if own == nil {
		own = map[string]string{}
	}
	maps.Copy(own, more)
	return &tags{MetricsHandler: h.MetricsHandler, mu: h.mu, kept: h.kept, own: own}
}

func (h *tags) Counter(name string) client.MetricsCounter {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, v := range h.own {
		fmt.Fprintf(h.kept, "%s %s=%s\n", name, k, v)
	}
	return h.MetricsHandler.Counter(name)
}

func (h *tags) Bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return []byte(h.kept.String())
}

// cellar is an external store for large payloads.
type cellar struct {
	kind string
	mu   sync.Mutex
	kept []*commonpb.Payload
}

func (*cellar) Name() string   { return "cellar" }
func (s *cellar) Type() string { return s.kind }

func (s *cellar) Store(_ converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, payloads...)
	return make([]converter.StorageDriverClaim, len(payloads)), nil
}

// Retrieve is not needed: nothing of the census reads what it stored.
func (*cellar) Retrieve(converter.StorageDriverRetrieveContext, []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return nil, fmt.Errorf("nothing is given back")
}

func (s *cellar) all() *commonpb.Payloads {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &commonpb.Payloads{Payloads: s.kept}
}
