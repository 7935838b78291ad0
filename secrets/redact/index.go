package redact

import (
	"math"
	"sync"
)

// index holds the needles of all values in forms that are searched. It is guarded by the locks of its [Set].
type index struct {
	pool      *sync.Pool // *scratch, of the set
	long, mid grams
	tails     tails
	needles   []needle // by id; 0 is none
	free      []uint32
	words     []word // values that are looked for as they are
	margin    int    // no needle needs a longer run for a hit
	longest   int    // no needle is longer
	shortest  int    // no text below this length holds a needle
	labels    map[string]int
	maxLabel  int
	version   int // changes with what is found

	// Of writers only.
	families families
	places   growth   // working memory
	addition addition // the last one
	rebuilt  func()   // if not nil, is called when something larger or smaller was made that is not used yet
}

// Needles of longSize bytes and more are sampled at every eleventh byte, shorter ones at every fourth. One
// class for all would make a single short value slow the search for all others.
const (
	longSize, longWidth = 16, 6
	midSize, midWidth   = MinLength, 5

	longStep, midStep = longSize - longWidth + 1, midSize - midWidth + 1
)

func newIndex() *index {
	x := &index{long: newGrams(longSize, longWidth), mid: newGrams(midSize, midWidth), labels: make(map[string]int)}
	x.clear()
	return x
}

// clear drops what may only be dropped when nothing is indexed.
func (x *index) clear() {
	x.long.reset(0, 0)
	x.mid.reset(0, 0)
	x.tails.clear()
	x.needles, x.free = make([]needle, 1), nil
	x.margin, x.longest, x.maxLabel = secretRun, 0, len(plainLabel)
	x.shortest = math.MaxInt
}

// class is where a needle is indexed.
func (x *index) class(n *needle) *grams {
	if n.run >= longSize {
		return &x.long
	}
	return &x.mid
}

// longNeedle is the length from which on a needle is searched for repetitions of itself.
const longNeedle = 256

// places lists what is indexed of the needle n, with that id: windows so close that each run that is a hit holds one,
// and the grams within them, in each of their spellings. Where a long needle repeats itself, one place will do
// for all runs that are the same: otherwise each place in the text would be compared with all of them.
func (g *grams) places(to *growth, n *needle, id uint32) {
	var seen map[string]bool
	if len(n.text) >= longNeedle {
		seen = make(map[string]bool)
	}
	stride := n.run - g.size + 1
	next := n.first
	for start := n.first; start+g.size <= min(len(n.text), maxOffset); start += stride {
		// All runs with this window are in here.
		if from, to := start+g.size-n.run, start+n.run; seen != nil && from >= 0 && to <= len(n.text) {
			runs := n.text[from:to]
			if seen[runs] {
				continue
			}
			seen[runs] = true
		}
		to.sites = append(to.sites, site(id, start))
		for next = max(next, start); next < start+g.step; next++ {
			to.grams = spellings(to.grams, g.load(n.text, next))
		}
	}
}

// rarest is the start of the window of text with the fewest grams that others have, too. Needles that have
// much in common must not be indexed by that: each text with it would have to be compared with all of them.
func (g *grams) rarest(text string) int {
	const enough = 256 // windows are looked at, or as many as it takes to find one that no other needle has
	sum, best, start := 0, math.MaxInt, 0
	var common [longSize]bool // of the last grams
	for at := 0; at+g.width <= min(len(text), maxOffset) && (at < enough+g.step || best == g.step); at++ {
		if at >= g.step && common[(at-g.step)%longSize] {
			sum--
		}
		known := g.knows(g.load(text, at), true)
		if common[at%longSize] = known; known {
			sum++
		}
		if first := at - g.step + 1; first >= 0 && sum < best {
			best, start = sum, first
		}
	}
	return start
}

// remove drops the needles of an entry.
func (x *index) remove(e *entry) {
	x.version++
	for _, id := range e.ids {
		n := &x.needles[id]
		g := x.class(n)
		x.places.clear()
		g.places(&x.places, n, id)
		for _, gram := range x.places.grams {
			g.listed.remove(hash(gram))
		}
		for _, site := range x.places.sites {
			g.windows.remove(x, g.size, site)
		}
		x.tails.stale += len(n.text)
		*n = needle{}
		x.free = append(x.free, id)
	}
	x.families.settle()
	e.ids = nil
	if len(x.free) == len(x.needles)-1 && len(x.words) == 0 {
		x.clear()
	}
}

// scan adds what stands in t, which was decoded depth times, to f. It reports whether that is enough.
func scan[T text](x *index, t T, e edges, depth int, f *found) bool {
	f.last = compared{} // another text
	if scanGrams(x, &x.long, t, f) || scanGrams(x, &x.mid, t, f) {
		return true
	}
	for i := range x.words {
		if scanWord(t, &x.words[i], e.before[depth], e.after, f) {
			return true
		}
	}
	return false
}
