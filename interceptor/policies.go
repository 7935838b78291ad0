package interceptor

import (
	"errors"
	"sync"
	"time"

	"github.com/sandboxguard/sandboxguard/validation"
)

// policyFor looks a queue up; ok is false when nothing covers it. A source that
// panics gives the zero policy, which refuses everything that it is asked about:
// what cannot be read must not pass for what nobody wrote.
//
// In workflow code its answer is used live only.
//
//workflowcheck:ignore
func (g *guard) policyFor(namespace, name string) (p validation.Policy, ok bool) {
	q := Queue{Namespace: namespace, Name: name}
	p, ok = g.ask(q)
	g.governs(q, p)
	return p, ok
}

func (g *guard) ask(q Queue) (p validation.Policy, ok bool) {
	defer func() {
		if recover() == nil {
			return
		}
		p, ok = validation.Policy{}, true
		if g.ledger.first("policy source") {
			g.log.Error("the policy source panicked, so everything is refused that a policy would be asked about", "queue", q.Name)
		}
	}()
	return g.policies.PolicyFor(q)
}

// governing holds the policies of the queues whose workers started, so that a
// new one shows when it is first used.
type governing struct {
	mu sync.RWMutex
	by map[Queue]governor
}

type governor struct{ digest, mode string }

// govern takes up the queue of a worker that starts.
func (g *guard) govern(q Queue, p validation.Policy) {
	now := governor{p.Digest(), p.Mode().String()}
	g.governing.mu.Lock()
	defer g.governing.mu.Unlock()
	if g.governing.by == nil {
		g.governing.by = map[Queue]governor{}
	}
	g.governing.by[q] = now
	g.gauge(q, now, 1)
}

// governs reports a policy that took the place of the one that a worker's queue
// was governed by, in the log and in the gauge.
func (g *guard) governs(q Queue, p validation.Policy) {
	g.governing.mu.RLock()
	last, started := g.governing.by[q]
	g.governing.mu.RUnlock()
	if !started || last.digest == p.Digest() {
		return
	}
	now := governor{p.Digest(), p.Mode().String()}
	g.governing.mu.Lock()
	defer g.governing.mu.Unlock()
	if last = g.governing.by[q]; last == now {
		return
	}
	g.governing.by[q] = now
	g.gauge(q, last, 0)
	g.gauge(q, now, 1)
	g.log.Info("policy changed", "queue", q.Name, "policy", now.digest, "mode", now.mode, "before", last.digest)
}

func (g *guard) gauge(q Queue, of governor, value float64) {
	g.meter().WithTags(map[string]string{"queue": q.Name, "policy": of.digest, "mode": of.mode}).Gauge(metricPolicy).Update(value)
}

// entryLister is what a policy source may offer for messages.
type entryLister interface {
	Name() string
	Entries() []string
}

// errNotStarted is the message of a worker whose queue nobody wrote a policy for.
func (g *guard) errNotStarted(queue string) error {
	name, entries := "the policy source", []string(nil)
	if l, ok := g.policies.(entryLister); ok {
		name, entries = l.Name(), l.Entries()
	}
	msg := "sandboxguard: worker for task queue " + quote(queue) + " not started: " + name + " has no entry for it\n"
	if len(entries) > 0 {
		msg += "  entries: " + joinNames(entries) + "\n"
	}
	return errors.New(msg + "  fix: add queues." + queue + ", a pattern such as " + quote(patternFor(queue)) + ", or a default section")
}

// dueLister is what a policy source may offer for the log of a start.
type dueLister interface {
	Warnings(now time.Time) []validation.Violation
}

// warn logs the secrets whose review is due or late.
func (g *guard) warn() {
	l, ok := g.policies.(dueLister)
	if !ok {
		return
	}
	for _, v := range l.Warnings(g.now()) {
		g.log.Warn("policy", "path", v.Path, "rule", v.Rule, "must", v.Detail, "fix", v.Fix)
	}
}
