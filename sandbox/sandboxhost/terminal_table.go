package sandboxhost

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"go.uber.org/zap"
)

// How many commands of a session are talked to, as the format has it.
const (
	maxPTYs     = 64
	manyPTYs    = 60 // are worth a warning
	recentPTYs  = 8  // are not ended for another one
	firstID     = 1_000
	lastID      = 99_999
	possibleIDs = lastID - firstID + 1
)

// A ptyTable holds the commands of a session that are talked to.
type ptyTable struct {
	mu    sync.Mutex
	known map[int]*pty
	uses  uint64
}

// add gives a command its id. It returns how many there are now, and the one that had to go for it, or nil.
func (p *ptyTable) add(t *pty) (count int, evicted *pty) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxPTYs {
		evicted = p.leastUsed()
		delete(p.known, evicted.id)
	}
	if p.known == nil {
		p.known = map[int]*pty{}
	}
	for t.id == 0 || p.known[t.id] != nil {
		t.id = firstID + rand.IntN(possibleIDs) //nolint:gosec // a name within the session, which has an owner
	}
	p.known[t.id] = t
	p.use(t)
	return len(p.known), evicted
}

func (p *ptyTable) use(t *pty) {
	p.uses++
	t.used = p.uses
}

// leastUsed is the command to end for another one: outside the most recent ones that which was not used for longest,
// one that is over before one that runs. There are more than those.
func (p *ptyTable) leastUsed() *pty {
	all := slices.SortedFunc(maps.Values(p.known), func(a, b *pty) int { return cmp.Compare(a.used, b.used) })
	all = all[:len(all)-recentPTYs]
	if i := slices.IndexFunc(all, (*pty).isOver); i >= 0 {
		return all[i]
	}
	return all[0]
}

// get returns a command, which is used by that, or nil.
func (p *ptyTable) get(id int) *pty {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.known[id]
	if t != nil {
		p.use(t)
	}
	return t
}

// drop forgets a command and ends it.
func (p *ptyTable) drop(t *pty) {
	p.mu.Lock()
	if p.known[t.id] == t {
		delete(p.known, t.id)
	}
	p.mu.Unlock()
	if t.process != nil {
		t.process.Kill()
	}
}

// clear forgets all commands. Who stops the sandbox ends them.
func (p *ptyTable) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = nil
}

// keep makes a command one that can be talked to.
func (s *session) keep(t *pty) {
	count, evicted := s.ptys.add(t)
	if evicted != nil {
		s.h.options.Logger.Warn("the command at a terminal that was used least is ended for another one", zap.String("session", s.id))
		evicted.process.Kill()
	}
	if count >= manyPTYs {
		s.h.options.Logger.Warn("many commands at terminals run in a session", zap.String("session", s.id), zap.Int("count", count), zap.Int("most", maxPTYs))
	}
}
