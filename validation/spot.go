package validation

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// spot is one segment of the place that a check has arrived at.
type spot struct {
	seg string
	// siblings is the map that seg is a key of, nil when seg is a key of a
	// schema or an index.
	siblings any
}

// shown returns the segment as a path may show it.
func (s spot) shown() string {
	index := 0
	switch siblings := s.siblings.(type) {
	case nil:
		return s.seg
	case map[string]sandbox.Entry:
		index = countBelow(siblings, s.seg)
	case map[string]sandbox.EnvValue:
		index = countBelow(siblings, s.seg)
	case map[string]string:
		index = countBelow(siblings, s.seg)
	case *rawNode:
		index = siblings.countBelow(s.seg)
	}
	return SafeSegment(s.seg, index)
}

// countBelow returns the index of key among the sorted keys of m.
func countBelow[V any](m map[string]V, key string) int {
	n := 0
	for k := range m {
		if k < key {
			n++
		}
	}
	return n
}

// trail is the place that a check has arrived at, from the root. Text is made of
// it for violations only, and its first segments need no memory of their own, so
// that what breaks no rule costs no allocation.
type trail struct {
	near  [16]spot
	far   []spot // what does not fit into near
	depth int
}

// enter goes on to a key of a schema or an index.
func (t *trail) enter(seg string) { t.enterKey(seg, nil) }

// enterKey goes on to a key of a map.
func (t *trail) enterKey(seg string, siblings any) {
	if t.depth < len(t.near) {
		t.near[t.depth] = spot{seg, siblings}
	} else {
		t.far = append(t.far[:t.depth-len(t.near)], spot{seg, siblings})
	}
	t.depth++
}

// leave goes back n segments.
func (t *trail) leave(n int) { t.depth -= n }

// last returns the segment arrived at.
func (t *trail) last() spot { return t.at(t.depth - 1) }

func (t *trail) at(i int) spot {
	if i < len(t.near) {
		return t.near[i]
	}
	return t.far[i-len(t.near)]
}

// pointer returns the JSON pointer.
func (t *trail) pointer() string {
	var b strings.Builder
	for i := range t.depth {
		b.WriteString("/" + t.at(i).shown())
	}
	return b.String()
}
