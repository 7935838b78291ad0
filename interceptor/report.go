package interceptor

import (
	"sync"

	"go.temporal.io/sdk/client"

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

// tell counts and logs what a verdict found and lets pass.
func (g *guard) tell(h client.MetricsHandler, v verdict) {
	for _, s := range v.sides {
		if vs := s.reported(); len(vs) > 0 {
			countRefusals(h, s.queue, validation.ModeReport, vs)
			g.once("found, would be refused under mode enforce", s, v.call, vs)
		}
	}
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
