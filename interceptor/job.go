package interceptor

import (
	"container/list"
	"sync"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// maxJobs bounds the jobs that are remembered. One that is forgotten sees markers
// without a name for what it was given before.
const maxJobs = 4096

// A job is a workflow, with all its runs, or a standalone activity. Its output
// shows the names of the secrets that any of its attempts was given by this
// process, and "[redacted]" for those of others: a dictionary that it prints
// teaches it nothing about them.
type job struct {
	given map[told]*list.Element // of order
	order list.List              // of *given, what was given last at the end
	last  time.Time
}

// told is what makes a value known to a job: what it is, and what it is called.
type told struct{ name, value string }

// given is a value that a job was given.
type given struct {
	told
	ref  secrets.Ref
	ends time.Time // of its lease, zero if it has none
	at   time.Time // when it was given last
}

// stale is true once a value is worth nothing any more: a workflow may run for
// months, and is given a new one with each rotation or lease.
func (g given) stale(now time.Time) bool {
	if !g.ends.IsZero() {
		return now.After(g.ends.Add(redact.LeaseRetention))
	}
	return now.Sub(g.at) > redact.Retention
}

// maxGiven bounds what is remembered of one job, the oldest is forgotten first.
const maxGiven = 256

type jobs struct {
	mu sync.Mutex
	by map[string]*job
}

func jobOf(s secrets.Scope) string {
	if s.Standalone {
		return s.Namespace + "\x00\x00" + s.ActivityID
	}
	return s.Namespace + "\x00" + s.WorkflowID
}

// viewOf returns a holder that was given what a workflow was. Without one, of an empty
// id, it was given nothing.
func (g *guard) viewOf(namespace, workflowID string) *redact.Holder {
	if workflowID == "" || g.hidden.Len() == 0 {
		return g.hidden.NewHolder()
	}
	before := g.jobs.of(jobOf(secrets.Scope{Namespace: namespace, WorkflowID: workflowID}), g.now())
	return g.hidden.View(func(yield func(name, value string) bool) {
		for _, v := range before {
			if !yield(v.name, v.value) {
				return
			}
		}
	})
}

// of returns what a job was given before.
func (j *jobs) of(key string, now time.Time) []given {
	j.mu.Lock()
	defer j.mu.Unlock()
	known := j.by[key]
	if known == nil {
		return nil
	}
	known.last = now
	var all []given
	for e := known.order.Front(); e != nil; {
		g, next := e.Value.(*given), e.Next()
		if g.stale(now) {
			known.forget(e)
		} else {
			all = append(all, *g)
		}
		e = next
	}
	return all
}

// note remembers what a job is given.
func (j *jobs) note(key string, g given, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	known := j.by[key]
	if known == nil {
		j.room(now)
		known = &job{given: map[told]*list.Element{}}
		j.by[key] = known
	}
	known.last, g.at = now, now
	if e := known.given[g.told]; e != nil {
		*e.Value.(*given) = g
		known.order.MoveToBack(e)
		return
	}
	if known.order.Len() >= maxGiven {
		known.forget(known.order.Front())
	}
	fresh := g // what was known before is written over, and needs no memory
	known.given[g.told] = known.order.PushBack(&fresh)
}

func (j *job) forget(e *list.Element) {
	delete(j.given, e.Value.(*given).told)
	j.order.Remove(e)
}

// room forgets jobs that did nothing for as long as a value is kept, and one more
// if there are too many.
func (j *jobs) room(now time.Time) {
	if j.by == nil {
		j.by = map[string]*job{}
	}
	if len(j.by) < maxJobs {
		return
	}
	for key, idle := range j.by {
		if now.Sub(idle.last) > redact.Retention {
			delete(j.by, key)
		}
	}
	for key := range j.by {
		if len(j.by) < maxJobs {
			return
		}
		delete(j.by, key)
	}
}
