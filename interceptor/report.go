package interceptor

import (
	"errors"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/validation"
)

// maxSeen bounds how many findings are remembered as logged.
const maxSeen = 4096

// A ledger remembers which findings were logged, so that a busy queue in report
// mode says once what it found where instead of once a call.
type ledger struct {
	mu   sync.Mutex
	seen map[string]bool
}

// first reports whether key is new. When the ledger is full it starts over.
func (l *ledger) first(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[key] {
		return false
	}
	if l.seen == nil || len(l.seen) >= maxSeen {
		l.seen = map[string]bool{}
	}
	l.seen[key] = true
	return true
}

// tell counts and logs what a verdict found and lets pass, and counts the values of
// others.
func (g *guard) tell(h client.MetricsHandler, v verdict) {
	if v.met != nil {
		countForeign(h, v.call.own, v.met)
	}
	for _, s := range v.sides {
		if vs := s.reported(); len(vs) > 0 {
			countRefusals(h, s.queue, validation.ModeReport, vs)
			g.once("found, would be refused under mode enforce", s, v.call, vs)
		}
	}
}

// tellOf looks for credentials in what is cleaned rather than judged (errors and
// heartbeats), where the policy only reports them: nothing of it is hidden then,
// and somebody has to be told.
func (g *guard) tellOf(h client.MetricsHandler, c call) {
	p, ok := c.ownPolicy(g)
	if !ok || p.Literals() != validation.LiteralsReport {
		return
	}
	c.activity = false
	v := g.judge(c)
	v.met = nil // cleaning counts
	g.tell(h, v)
}

// textsOf is what an error says, at every level of its chain, as arguments to be
// judged. One that panics when it is read is withheld elsewhere.
func textsOf(err error) (texts []any) {
	defer func() { _ = recover() }()
	for depth := 0; err != nil && depth < maxChain; depth++ {
		if isControl(err) {
			return texts
		}
		texts = append(texts, err.Error())
		texts = append(texts, detailsIn(err)...)
		err = errors.Unwrap(err)
	}
	return texts
}

// detailsIn reads the details of one level.
func detailsIn(err error) []any {
	switch e := err.(type) { //nolint:errorlint // each level is looked at by itself
	case *temporal.ApplicationError:
		return readable(e.HasDetails(), e.Details)
	case *temporal.CanceledError:
		return readable(e.HasDetails(), e.Details)
	}
	return nil
}

func readable(has bool, get func(...any) error) []any {
	if !has {
		return nil
	}
	details, _ := readDetails(get)
	return details
}

// once logs each violation at one place once.
func (g *guard) once(msg string, s *side, c call, vs []validation.Violation) {
	for _, v := range vs {
		if !g.ledger.first(s.queue + "\x00" + c.kind + "\x00" + c.name + "\x00" + v.Path + "\x00" + v.Rule) {
			continue
		}
		g.log.Warn(msg,
			"queue", s.queue, "kind", c.kind, "name", c.name, "path", v.Path, "rule", v.Rule, "must", v.Detail, "fix", v.Fix,
			"policy", s.policy.Digest())
	}
}
