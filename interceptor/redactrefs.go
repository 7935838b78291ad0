package interceptor

import (
	"context"
	"errors"
	"strings"
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
	mu    sync.Mutex
	reads map[string]*redactRead
}

// A redactRead is one reading of a list. Attempts that begin while it goes on wait
// for it: until then their output could not be cleaned.
type redactRead struct {
	at   time.Time
	done chan struct{} // closed when err is final
	err  error
}

func newRedactRefs() *redactRefs { return &redactRefs{reads: map[string]*redactRead{}} }

// begin returns the reading that is to be waited for, and whether the caller has
// to make it.
func (r *redactRefs) begin(key string, now time.Time) (*redactRead, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if read := r.reads[key]; read != nil && now.Sub(read.at) < redactEvery {
		return read, false
	}
	read := &redactRead{at: now, done: make(chan struct{})}
	r.reads[key] = read
	return read, true
}

// end settles a reading. A failed one is forgotten, so that the next attempt
// reads again.
func (r *redactRefs) end(key string, read *redactRead, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.reads[key] == read {
		delete(r.reads, key)
	}
	read.err = err
	close(read.done)
}

// hideListed registers what policy wants hidden on this queue. An unset secret
// leaves nothing to hide. A provider that does not answer is an error: output
// could not be cleaned.
func (g *guard) hideListed(ctx context.Context, p validation.Policy, scope secrets.Scope) error {
	refs := p.RedactRefs()
	if len(refs) == 0 {
		return nil
	}
	key := strings.Join([]string{scope.Namespace, scope.TaskQueue, p.Entry(), p.Digest()}, "\x00")
	read, mine := g.redacts.begin(key, g.now())
	if mine {
		err := errors.New("interceptor: reading the list did not end") // unless it is overwritten
		defer func() { g.redacts.end(key, read, err) }()
		err = g.readListed(ctx, refs, scope)
		return err
	}
	select {
	case <-read.done:
		return read.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *guard) readListed(ctx context.Context, refs []secrets.Ref, scope secrets.Scope) error {
	scope.Destination = "redact"
	for _, ref := range refs {
		res, err := g.resolver.Resolve(ctx, secrets.NewRequest(mint.Guard(), ref, scope))
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if secrets.Retryable(err) {
				return err
			}
			if g.ledger.first("redact\x00" + ref.String()) {
				g.log.Warn("a reference under redact was not resolved, so nothing of it is hidden", "ref", ref.String(), "kind", kindText(err))
			}
			continue
		}
		if err := g.hide(ref.String(), ref, res.Reveal(mint.Guard())); err != nil && g.ledger.first("short\x00"+ref.String()) {
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
