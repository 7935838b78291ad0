package redact

import (
	"container/heap"
	"time"
)

// notRetained is the index of a label that is in use.
const notRetained = -1

// retained holds the labels that nobody uses any more, the one that is forgotten first at the top.
type retained struct {
	labels  []*label
	dropped uint64
}

// drop takes a label out that is used again.
func (r *retained) drop(l *label) {
	if l.item != notRetained {
		heap.Remove(r, l.item)
	}
}

// Sweep forgets the values whose retention is over. Adding, removing and ending holders do so, too; a
// program that does none of that for long may call it now and then.
func (s *Set) Sweep() {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.change(func() {})
}

// Retained is how many values are in the set only because a [Holder] had them, counted under each of their
// names, and how many were forgotten early because there were too many of them.
func (s *Set) Retained() (now int, dropped uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.retained.labels), s.retained.dropped
}

// unused retains or drops a label if it is not used any more. The caller holds mu, and sweeps.
func (s *Set) unused(l *label) {
	switch {
	case l.registered > 0 || l.holders > 0:
	case l.until.IsZero(): // no holder ever had it
		s.drop(l)
	default:
		heap.Push(&s.retained, l)
	}
}

// sweep drops what is retained for too long, and what is too much. The caller holds mu.
func (s *Set) sweep() {
	r := &s.retained
	if len(r.labels) == 0 {
		return
	}
	most := s.MaxRetained
	if most == 0 {
		most = DefaultMaxRetained
	}
	now := s.now()
	for len(r.labels) > 0 {
		expired := !r.labels[0].until.After(now)
		if !expired && len(r.labels) <= most {
			return
		}
		if !expired {
			r.dropped++
		}
		s.drop(heap.Pop(r).(*label)) //nolint:forcetypeassert // nothing else is in it
	}
}

func (s *Set) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now() //nolint:forbidigo // where no clock was given
}

// Len, Less, Swap, Push and Pop make a heap of it.

func (r *retained) Len() int { return len(r.labels) }

func (r *retained) Less(i, j int) bool { return r.labels[i].until.Before(r.labels[j].until) }

func (r *retained) Swap(i, j int) {
	r.labels[i], r.labels[j] = r.labels[j], r.labels[i]
	r.labels[i].item, r.labels[j].item = i, j
}

// Push and Pop are called by package heap only.
func (r *retained) Push(l any) {
	added := l.(*label) //nolint:forcetypeassert // nothing else is pushed
	added.item = len(r.labels)
	r.labels = append(r.labels, added)
}

func (r *retained) Pop() any {
	last := len(r.labels) - 1
	l := r.labels[last]
	r.labels[last] = nil
	r.labels = r.labels[:last]
	l.item = notRetained
	return l
}
