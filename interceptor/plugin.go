package interceptor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// PluginName is the name of the plugin in worker heartbeats.
const PluginName = "github.com/sandboxguard/sandboxguard"

// NewPlugin returns the guard as a plugin. Register it once, in
// client.Options.Plugins, after every other plugin: it then covers the client,
// each worker made from it, and with worker.WorkflowReplayerOptions.Plugins the
// replayer.
//
// It places each part where nothing of the user's stands inside it, wraps the
// client's logger, data converter, failure converter and connection with nets
// behind the hooks, and does not let a worker start whose task queue no policy
// covers, or whose resolver is a [secrets.Providers] without a provider that the
// policy of the queue needs for its activities. Activities that this policy names
// and the worker did not register are logged when it starts.
//
// The error names every fault in opts at once. One plugin may serve several
// clients; give each plugin its own Options where policies differ.
func NewPlugin(opts Options) (*temporal.SimplePlugin, error) {
	g, err := newGuard(opts)
	if err != nil {
		return nil, err
	}
	p := &plugin{
		g:         g,
		workflows: &workerGuard{g: g, workflows: true},
		client:    &clientGuard{g: g},
		workers:   map[string]*workerState{},
	}
	return temporal.NewSimplePlugin(temporal.SimplePluginOptions{
		Name:                      PluginName,
		ConfigureClient:           p.configureClient,
		ConfigureWorker:           p.configureWorker,
		ConfigureWorkflowReplayer: p.configureReplayer,
		RunContextBefore:          p.start,
		RunContextAfter:           p.stop,
	})
}

type plugin struct {
	g         *guard
	workflows *workerGuard
	client    *clientGuard

	mu      sync.Mutex
	clients []placedClient // every client configured; checked when a worker starts
	net     string
	workers map[string]*workerState
}

// placedClient is a client's options and what the plugin put into them.
type placedClient struct {
	options  *client.Options
	data     converter.DataConverter
	failures converter.FailureConverter
}

// replaced says which nets a later plugin took away, or wrapped so that they no
// longer see plain values.
func (c placedClient) replaced() string {
	switch {
	case c.options.DataConverter != c.data && c.options.FailureConverter != c.failures:
		return "data converter and failure converter"
	case c.options.DataConverter != c.data:
		return "data converter"
	case c.options.FailureConverter != c.failures:
		return "failure converter"
	}
	return ""
}

// workerState is what is known of a worker between its configuration and start.
type workerState struct {
	queue   string
	options *worker.Options
	guard   *workerGuard
	has     registered
}

func (p *plugin) configureClient(_ context.Context, o client.PluginConfigureClientOptions) error {
	opts := o.ClientOptions
	for _, i := range opts.Interceptors {
		if other, ok := i.(*workerGuard); ok && other.g == p.g {
			return errors.New("interceptor: the plugin is registered twice on one client: register it once, in client.Options.Plugins")
		}
	}
	if err := p.g.checkClientNames(opts); err != nil {
		return err
	}
	if opts.Logger == nil {
		opts.Logger = sdklog.NewStructuredLogger(slog.Default())
	}
	opts.Logger = p.g.redactingLogger(opts.Logger)
	p.g.log.offer(opts.Logger)
	if opts.MetricsHandler != nil {
		h := opts.MetricsHandler
		p.g.metrics.CompareAndSwap(nil, &h)
	}
	list := make([]sdkinterceptor.ClientInterceptor, 0, len(opts.Interceptors)+2)
	list = append(list, p.workflows)
	list = append(list, opts.Interceptors...)
	opts.Interceptors = append(list, p.client)

	net := p.wrapConverters(opts)
	placed := placedClient{options: opts, data: opts.DataConverter, failures: opts.FailureConverter}
	opts.ConnectionOptions.DialOptions = p.g.alarmed(opts.ConnectionOptions.DialOptions)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients, p.net = append(p.clients, placed), net
	return nil
}

// wrapConverters puts the nets around encoding and returns the name of the one
// that is active.
func (p *plugin) wrapConverters(opts *client.Options) string {
	net := "codec"
	if opts.DataConverter == nil {
		opts.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(),
			scanCodec{hidden: p.g.hidden, nobody: p.g.nobody, defect: p.g.defect})
	} else {
		net = "values"
		p.g.foreign.Store(true)
		opts.DataConverter = &scanConverter{DataConverter: opts.DataConverter, g: p.g}
	}
	if opts.FailureConverter == nil {
		opts.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: opts.DataConverter})
	}
	opts.FailureConverter = &failureConverter{g: p.g, next: opts.FailureConverter}
	return net
}

func (p *plugin) configureWorker(_ context.Context, o worker.PluginConfigureWorkerOptions) error {
	queue := o.TaskQueue
	if base := baseQueue(o.WorkerOptions); base != "" {
		queue = base
	}
	w := &workerGuard{g: p.g, queue: queue, activities: true, ordered: true}
	o.WorkerOptions.Interceptors = append(append([]sdkinterceptor.WorkerInterceptor(nil), o.WorkerOptions.Interceptors...), w)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers[o.WorkerInstanceKey] != nil {
		return errors.New("interceptor: the plugin is registered on the client and on the worker: register it once, in client.Options.Plugins")
	}
	s := &workerState{queue: queue, options: o.WorkerOptions, guard: w}
	s.has.watch(o.WorkerRegistryOptions)
	p.workers[o.WorkerInstanceKey] = s
	return nil
}

func (p *plugin) configureReplayer(_ context.Context, o worker.PluginConfigureWorkflowReplayerOptions) error {
	list := []sdkinterceptor.WorkerInterceptor{p.workflows}
	o.WorkflowReplayerOptions.Interceptors = append(list, o.WorkflowReplayerOptions.Interceptors...)
	return nil
}

// start runs when a worker starts, after every plugin has configured it: only
// then is it known what stands inside the guard.
func (p *plugin) start(ctx context.Context, o temporal.SimplePluginRunContextBeforeOptions) error {
	if o.WorkflowReplayer {
		return nil
	}
	p.mu.Lock()
	s, net, clients := p.workers[o.InstanceKey], p.net, slices.Clone(p.clients)
	p.mu.Unlock()
	if len(clients) == 0 {
		return errors.New("sandboxguard: worker not started: the plugin is on the worker only, and workflow code would not be guarded\n" +
			"  fix: register it once, in client.Options.Plugins, and not in worker.Options.Plugins")
	}
	if s == nil {
		return errors.New("interceptor: the plugin did not configure this worker: register it on the client, not on a running worker")
	}
	if p.anotherGuard(s, clients) {
		return fmt.Errorf("sandboxguard: worker for task queue %q not started: two plugins of the guard are registered\n"+
			"  fix: register one, in client.Options.Plugins; one policy file governs any number of queues", s.queue)
	}
	if inside := p.inside(s, clients); inside != "" {
		return fmt.Errorf("sandboxguard: worker for task queue %q not started: interceptor %s stands inside the guard and would see secrets\n"+
			"  fix: register the plugin after the one that adds it, or allow it by name in Options.AllowInside", s.queue, inside)
	}
	namespace := client.DefaultNamespace
	if len(clients) > 0 && clients[len(clients)-1].options.Namespace != "" {
		namespace = clients[len(clients)-1].options.Namespace
	}
	if err := p.g.checkNames(s); err != nil {
		return err
	}
	if err := p.g.checkHeartbeat(s, clients); err != nil {
		return err
	}
	policy, ok := p.g.policyFor(namespace, s.queue)
	if !ok {
		return p.g.errNotStarted(s.queue)
	}
	if !s.has.none() {
		if without := p.g.withoutProvider(policy, s.has.runs); len(without) > 0 {
			return p.g.errNoProvider(s.queue, policy, without)
		}
	}
	for _, c := range clients {
		if what := c.replaced(); what != "" {
			net += ", replaced after the guard: " + what
			p.g.log.Warn("a later plugin replaced or wrapped a net of the guard; register the guard's plugin last, or give its own list of codecs guard.ScanCodec",
				"queue", s.queue, "net", what)
			break
		}
	}
	p.g.log.Info("worker guarded", "queue", s.queue, "entry", policy.Entry(), "mode", policy.Mode().String(),
		"literals", policy.Literals().String(), "policy", policy.Digest(), "net", net)
	p.g.govern(Queue{Namespace: namespace, Name: s.queue}, policy)
	p.g.warn()
	p.g.warnUnregistered(s.queue, policy, &s.has)
	p.g.trail.add(audit.Record{
		Time: p.g.now(), Action: audit.ActionStart, Outcome: audit.OutcomeOK, Mode: policy.Mode().String(),
		Namespace: namespace, Queue: s.queue, PolicyDigest: policy.Digest(), Detail: p.describe(net),
	})
	return nil
}

// describe is what the start record says of how the worker is guarded.
func (p *plugin) describe(net string) string {
	text := "net " + net
	if len(p.g.unguarded) > 0 {
		text += "; unguarded by option: " + joinNames(p.g.unguarded)
	}
	return text
}

// anotherGuard reports whether a plugin other than this one has placed a guard.
func (p *plugin) anotherGuard(s *workerState, clients []placedClient) bool {
	ours := func(i any) bool {
		other, ok := i.(*workerGuard)
		return ok && other.g != p.g && !(other.workflows && other.activities) // that would be New's
	}
	for _, i := range s.options.Interceptors {
		if ours(i) {
			return true
		}
	}
	for _, c := range clients {
		for _, i := range c.options.Interceptors {
			if ours(i) {
				return true
			}
		}
	}
	return false
}

// inside names an interceptor that stands inside the guard: after it in the
// worker's list, or before it in a client's. A worker does not tell which client
// it was made from, so all clients of the plugin have to be in order.
func (p *plugin) inside(s *workerState, clients []placedClient) string {
	at := slices.Index(s.options.Interceptors, sdkinterceptor.WorkerInterceptor(s.guard))
	if at < 0 {
		return "that replaced the worker's list"
	}
	for _, i := range s.options.Interceptors[at+1:] {
		if name := fmt.Sprintf("%T", i); !p.g.allowInside[name] {
			return name
		}
	}
	for _, c := range clients {
		list := c.options.Interceptors
		at := slices.Index(list, sdkinterceptor.ClientInterceptor(p.workflows))
		if at < 0 {
			return "that replaced the client's list"
		}
		for _, i := range list[:at] {
			if name := fmt.Sprintf("%T", i); !p.g.allowInside[name] {
				return name
			}
		}
	}
	return ""
}

func (p *plugin) stop(_ context.Context, o temporal.SimplePluginRunContextAfterOptions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.workers, o.InstanceKey)
}
