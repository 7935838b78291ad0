package interceptor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
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
	// holders keep what the last reading of each list gave: until the next one it
	// is in use.
	holders map[string]*redact.Holder
	// former are values that lists gave, the newest first.
	former map[string][]listed
}

// maxFormer bounds the rotated values that are kept of one list.
const maxFormer = 64

// listed is a value that the activities of a queue read by themselves.
type listed struct {
	ref   secrets.Ref
	value string
}

// A redactRead is one reading of a list. Attempts that begin while it goes on wait
// for it: until then their output could not be cleaned.
type redactRead struct {
	at   time.Time
	done chan struct{} // closed when what follows is final
	err  error
	// values are given to each attempt on the queue: its own names may be shown to
	// it.
	values []listed
}

func newRedactRefs() *redactRefs {
	return &redactRefs{reads: map[string]*redactRead{}, holders: map[string]*redact.Holder{}, former: map[string][]listed{}}
}

// with adds to what a reading gave what earlier ones gave: an activity may still
// have a value that was rotated since.
func (r *redactRefs) with(key string, values []listed) []listed {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.former[key] {
		if len(values) < maxFormer && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	r.former[key] = values
	return values
}

// keep puts the holder of a reading in the place of the former one.
func (r *redactRefs) keep(key string, h *redact.Holder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.holders[key]; last != nil {
		last.End()
	}
	r.holders[key] = h
}

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
func (g *guard) hideListed(ctx context.Context, p validation.Policy, scope secrets.Scope, to *redact.Holder) error {
	refs := p.RedactRefs()
	if len(refs) == 0 {
		return nil
	}
	read, err := g.listed(ctx, refs, p, scope)
	if err != nil {
		return err
	}
	for _, v := range read.values {
		if err := g.give(to, v.ref.String(), v.ref, v.value, time.Time{}); err != nil && g.ledger.first("short\x00"+v.ref.String()) {
			g.log.Warn("a reference under redact is too short to be hidden", "ref", v.ref.String())
		}
	}
	return nil
}

// listed returns the reading of a list that is recent enough, and makes it if it
// has to.
func (g *guard) listed(ctx context.Context, refs []secrets.Ref, p validation.Policy, scope secrets.Scope) (*redactRead, error) {
	key := strings.Join([]string{scope.Namespace, scope.TaskQueue, p.Entry(), p.Digest()}, "\x00")
	read, mine := g.redacts.begin(key, g.now())
	if mine {
		err := errors.New("interceptor: reading the list did not end") // unless it is overwritten
		defer func() { g.redacts.end(key, read, err) }()
		if read.values, err = g.readListed(ctx, refs, scope); err != nil {
			return nil, err
		}
		read.values = g.redacts.with(key, read.values)
		holder := g.hidden.NewHolder()
		for _, v := range read.values {
			// What is too short is told of when it is given to an attempt.
			_ = g.give(holder, v.ref.String(), v.ref, v.value, time.Time{})
		}
		g.redacts.keep(key, holder)
		return read, nil
	}
	select {
	case <-read.done:
		return read, read.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *guard) readListed(ctx context.Context, refs []secrets.Ref, scope secrets.Scope) (values []listed, err error) {
	scope.Destination = "redact"
	for _, ref := range refs {
		res, err := g.resolver.Resolve(ctx, secrets.NewRequest(mint.Guard(), ref, scope))
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if secrets.Retryable(err) {
				return nil, err
			}
			if g.ledger.first("redact\x00" + ref.String()) {
				g.log.Warn("a reference under redact was not resolved, so nothing of it is hidden", "ref", ref.String(), "kind", kindText(err))
			}
			continue
		}
		values = append(values, listed{ref, res.Reveal(mint.Guard())})
	}
	return values, nil
}

// kindText names the kind of a secrets error and nothing of its cause.
func kindText(err error) string {
	var e *secrets.Error
	if errors.As(err, &e) && e.Kind != nil {
		return e.Kind.Error()
	}
	return "provider error"
}
