package interceptor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// redactEvery is how often references of `redact` are read again, so that a
// rotated value is hidden soon after.
const redactEvery = time.Minute

// redactRefs resolves the references that policy lists only to be hidden: the
// activities read those secrets themselves.
type redactRefs struct {
	mu   sync.Mutex
	read map[string]time.Time // queue entry and digest -> last read
}

func newRedactRefs() *redactRefs { return &redactRefs{read: map[string]time.Time{}} }

// due reports whether the references under key are to be read now.
func (r *redactRefs) due(key string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.read[key]; ok && now.Sub(last) < redactEvery {
		return false
	}
	r.read[key] = now
	return true
}

func (r *redactRefs) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.read, key)
}

// hideListed registers what policy wants hidden on this queue. An unset secret
// leaves nothing to hide. A provider that does not answer is an error: output
// could not be cleaned.
func (g *guard) hideListed(ctx context.Context, p validation.Policy, scope secrets.Scope) error {
	refs := p.RedactRefs()
	if len(refs) == 0 {
		return nil
	}
	key := p.Entry() + "\x00" + p.Digest()
	if !g.redacts.due(key, g.now()) {
		return nil
	}
	for _, ref := range refs {
		s := scope
		s.Destination = "redact"
		res, err := g.resolver.Resolve(ctx, secrets.NewRequest(mint.Guard(), ref, s))
		if err != nil {
			if secrets.Retryable(err) {
				g.redacts.forget(key)
				return err
			}
			if g.ledger.first("redact\x00" + ref.String()) {
				g.log.Warn("a reference under redact was not resolved, so nothing of it is hidden", "ref", ref.String(), "kind", kindText(err))
			}
			continue
		}
		if err := g.hide(ref.String(), ref, res.Reveal(mint.Guard())); err != nil {
			g.log.Warn("a reference under redact is too short to be hidden", "ref", ref.String())
		}
	}
	return nil
}

// kindText names the kind of a secrets error and nothing of its cause.
func kindText(err error) string {
	var e *secrets.Error
	if errors.As(err, &e) && e.Kind != nil {
		return e.Kind.Error()
	}
	return "provider error"
}
