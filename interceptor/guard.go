package interceptor

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A guard is what the workflow, activity and client pieces share: one policy
// source, one resolver, one set of values to hide. Everything in it is safe for
// concurrent use.
type guard struct {
	policies    PolicySource
	resolver    secrets.Resolver
	providers   secrets.Providers // what resolver is made of, nil if that is not known
	hidden      *redact.Set
	nobody      *redact.Holder // was given nothing, so that its markers show no name
	sink        audit.Sink
	trail       *trail
	now         func() time.Time
	log         *lateLogger
	taskQueue   string
	allowInside map[string]bool
	allowShort  map[string]bool
	failTainted bool
	unguarded   []string
	redacts     *redactRefs
	ledger      ledger
	governing   governing
	jobs        jobs
	metrics     atomic.Pointer[client.MetricsHandler]
	retained    atomic.Int64 // as the gauge says
	dropped     tally
	failures    tally
	// foreign is true once a client has a data converter of its own, which may
	// send fields that JSON leaves out.
	foreign atomic.Bool
}

func newGuard(o Options) (*guard, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &guard{
		policies:    o.Policies,
		resolver:    o.Resolver,
		hidden:      o.Hidden,
		sink:        o.Audit,
		now:         o.Now,
		log:         newLateLogger(o.Logger),
		taskQueue:   o.TaskQueue,
		allowInside: nameSet(o.AllowInside),
		allowShort:  nameSet(o.AllowShort),
		failTainted: o.FailTainted,
		unguarded:   slices.Clone(o.Unguarded),
		redacts:     newRedactRefs(),
	}
	if g.hidden == nil {
		g.hidden = redact.NewSet()
	} else {
		byHidden.Store(g.hidden, g)
	}
	g.nobody = g.hidden.NewHolder()
	if g.now == nil {
		g.now = time.Now
	}
	if g.resolver == nil {
		env, err := secrets.NewEnvProvider(secrets.AllowAll{})
		if err != nil {
			return nil, err
		}
		g.resolver = secrets.Providers{"env": env}
	}
	g.providers = providersOf(g.resolver)
	g.resolver = secrets.Checked(g.resolver)
	if g.sink == nil {
		g.sink = logSink{g.log}
	}
	g.sink = cleanSink{to: g.sink, hidden: g.hidden}
	g.trail = newTrail(g.sink, g.log, func() { g.meter().Counter(metricAuditLost).Inc(1) })
	return g, nil
}

// byHidden finds the guard that counts for a [ScanCodec]: a codec is made before the
// guard is, and shares nothing with it but the set.
var byHidden sync.Map // *redact.Set to *guard

func nameSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// lateLogger is the guard's own log. The client's logger is known only when a
// client is configured, later than construction.
type lateLogger struct{ to atomic.Pointer[log.Logger] }

func newLateLogger(z *zap.Logger) *lateLogger {
	l := &lateLogger{}
	if z != nil {
		l.set(zapLogger{z.Named("sandboxguard").Sugar()})
	}
	return l
}

func (l *lateLogger) set(to log.Logger) { l.to.Store(&to) }

// offer sets the logger unless one is set.
func (l *lateLogger) offer(to log.Logger) { l.to.CompareAndSwap(nil, &to) }

func (l *lateLogger) Debug(msg string, kv ...any) { l.at(log.Logger.Debug, msg, kv) }
func (l *lateLogger) Info(msg string, kv ...any)  { l.at(log.Logger.Info, msg, kv) }
func (l *lateLogger) Warn(msg string, kv ...any)  { l.at(log.Logger.Warn, msg, kv) }
func (l *lateLogger) Error(msg string, kv ...any) { l.at(log.Logger.Error, msg, kv) }

func (l *lateLogger) at(level func(log.Logger, string, ...any), msg string, kv []any) {
	if to := l.to.Load(); to != nil {
		level(*to, msg, kv...)
	}
}

// zapLogger lets a zap logger stand where the SDK wants its own.
type zapLogger struct{ s *zap.SugaredLogger }

func (z zapLogger) Debug(msg string, kv ...any) { z.s.Debugw(msg, kv...) }
func (z zapLogger) Info(msg string, kv ...any)  { z.s.Infow(msg, kv...) }
func (z zapLogger) Warn(msg string, kv ...any)  { z.s.Warnw(msg, kv...) }
func (z zapLogger) Error(msg string, kv ...any) { z.s.Errorw(msg, kv...) }

// Metric names. Tags hold names from code and policy only, never data.
const (
	metricRefusals   = "sandboxguard_refusals"
	metricResolves   = "sandboxguard_resolves"
	metricRedactions = "sandboxguard_redactions"
	metricTainted    = "sandboxguard_tainted"
	metricDefects    = "sandboxguard_defects"
	metricAuditLost  = "sandboxguard_audit_lost"
	metricPolicy     = "sandboxguard_policy"
	metricForeign    = "sandboxguard_foreign"
	metricRetained   = "sandboxguard_retained"
	metricDropped    = "sandboxguard_retained_dropped"
	metricFailures   = "sandboxguard_redaction_failures"
)

// countRefusals reports each violation once, by queue, rule and mode.
func countRefusals(h client.MetricsHandler, queue string, mode validation.Mode, vs []validation.Violation) {
	for _, v := range vs {
		h.WithTags(map[string]string{"queue": queue, "rule": v.Rule, "mode": mode.String()}).Counter(metricRefusals).Inc(1)
	}
}

// meter returns the client's metrics handler, or one that counts nothing while no
// client is known.
func (g *guard) meter() client.MetricsHandler {
	if h := g.metrics.Load(); h != nil {
		return *h
	}
	return client.MetricsNopHandler
}

// netIdentifier is what the gRPC net counts when a value stands where nothing can
// be edited.
const netIdentifier = "grpc identifier"

// defect counts a hit of a net behind the hooks: a value came further than it
// should have. Every one is worth a report.
func (g *guard) defect(net string) {
	g.meter().WithTags(map[string]string{"net": net}).Counter(metricDefects).Inc(1)
	if g.ledger.first("defect\x00" + net) {
		msg := "a secret was hidden only by the net behind the hooks; please report which call carried it"
		if net == netIdentifier {
			msg = "a secret stands in an identifier or a key of a request and was sent: identifiers cannot be edited; rotate the secret and take it out of the name"
		}
		g.log.Error(msg, "net", net)
	}
}
