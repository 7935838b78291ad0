package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/temporaltest"
)

// startAttempts bounds how often Start tries again. The embedded server picks
// free ports before it binds them, so a neighbour on the same machine can take
// one in between.
const startAttempts = 3

// Options says how the embedded server is started. The zero value starts a
// server whose clients log nothing and which knows no custom search attributes.
type Options struct {
	// Logger is what clients and their workers log to when their own options
	// name no logger. Nil discards.
	Logger log.Logger
	// SearchAttributes are registered before Start returns.
	SearchAttributes map[string]enumspb.IndexedValueType
}

// Server is an embedded Temporal server on the loopback interface. Its methods
// may be called from several goroutines at once.
type Server struct {
	server *temporaltest.TestServer
	logger log.Logger

	mu      sync.Mutex
	clients []client.Client
	stopped bool
}

// Start starts an embedded server with an empty in-memory store and returns
// when it answers. The caller stops it with Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	logger := o.Logger
	if logger == nil {
		logger = Discard()
	}
	var failures []error
	for range startAttempts {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(append(failures, err)...)
		}
		s, err := start(ctx, logger, o.SearchAttributes)
		if err == nil {
			return s, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("harness: embedded server did not start: %w", errors.Join(failures...))
}

// start makes one attempt. The embedded server reports its failures by
// panicking when no test stands behind it.
func start(ctx context.Context, logger log.Logger, attributes map[string]enumspb.IndexedValueType) (s *Server, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("harness: %v", r)
		}
	}()
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	s = &Server{
		server: temporaltest.NewServer(temporaltest.WithBaseServerOptions(temporal.WithDynamicConfigClient(settings()), withHTTP(port))),
		logger: logger,
	}
	c, err := s.Client(client.Options{})
	if err != nil {
		s.Stop()
		return nil, err
	}
	if len(attributes) > 0 {
		_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace:        s.Namespace(),
			SearchAttributes: attributes,
		})
		if err != nil {
			s.Stop()
			return nil, fmt.Errorf("harness: search attributes were not registered: %w", err)
		}
	}
	return s, nil
}

// freePort returns a port that nobody listens on for the moment.
func freePort(ctx context.Context) (int, error) {
	var listener net.ListenConfig
	l, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("harness: no port is free: %w", err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return 0, fmt.Errorf("harness: %w", err)
	}
	return strconv.Atoi(port)
}

// withHTTP gives the server the port over which its parts call Nexus operations,
// which temporaltest leaves out. Of the server's options only those of
// authorization are shown the configuration that temporaltest makes.
func withHTTP(port int) temporal.ServerOption {
	return temporal.WithAudienceGetter(func(c *config.Config) authorization.JWTAudienceMapper {
		frontend := c.Services[string(primitives.FrontendService)]
		frontend.RPC.HTTPPort = port
		c.Services[string(primitives.FrontendService)] = frontend
		return nil // as without this option
	})
}

// settings replaces the server's defaults where they are made for a cluster:
// by default every step of a workflow waits for the next of 20 polls a second,
// and a client that misses a wake-up waits 20 seconds for the next. The time for a
// workflow task is longer, for machines that are busy.
func settings() dynamicconfig.StaticClient {
	value := func(v any) []dynamicconfig.ConstrainedValue {
		return []dynamicconfig.ConstrainedValue{{Value: v}}
	}
	return dynamicconfig.StaticClient{
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key():      value(true),
		dynamicconfig.NamespaceCacheRefreshInterval.Key():                value("200ms"),
		dynamicconfig.TransferProcessorMaxPollRPS.Key():                  value(100_000),
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): value(100_000),
		dynamicconfig.TimerProcessorMaxPollRPS.Key():                     value(100_000),
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key():                value(100_000),
		dynamicconfig.HistoryLongPollExpirationInterval.Key():            value("1s"),
		dynamicconfig.DefaultWorkflowTaskTimeout.Key():                   value("60s"),
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():           value(1),
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key():          value(1),
	}
}

// Namespace is the namespace that the server was started with.
func (s *Server) Namespace() string { return s.server.GetDefaultNamespace() }

// HostPort is the address that the server listens on.
func (s *Server) HostPort() string { return s.server.GetFrontendHostPort() }

// Client dials the server. It fills in the address, and the namespace and the
// logger where o has none. Stop closes the client; closing it earlier is fine.
func (s *Server) Client(o client.Options) (client.Client, error) {
	o.HostPort = s.HostPort()
	if o.Namespace == "" {
		o.Namespace = s.Namespace()
	}
	if o.Logger == nil {
		o.Logger = s.logger
	}
	o.ConnectionOptions.GetSystemInfoTimeout = time.Minute // for machines that are busy
	c, err := client.Dial(o)
	if err != nil {
		return nil, fmt.Errorf("harness: dial the embedded server: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, c)
	return c, nil
}

// Dial is Client for a test, which it fails when the client cannot be made.
func (s *Server) Dial(tb testing.TB, o client.Options) client.Client {
	tb.Helper()
	c, err := s.Client(o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Stop closes every client and stops the server. It is safe to call twice.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	s.stopped = true
	for _, c := range s.clients {
		c.Close()
	}
	// A server that fails to stop is reported through the test it does not
	// have, which panics. The process is about to end, so that is no failure.
	defer func() { _ = recover() }()
	s.server.Stop()
}
