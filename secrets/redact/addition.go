package redact

import "slices"

// addition is an entry that is about to be indexed. It is made while readers search on, and so is what has to grow
// for it: larger tables are made beside those that are searched, and take their place when the entry is indexed.
type addition struct {
	entry     *entry
	list      []needle // of the entry, in the order of its ids
	long, mid growth
	tails     *tails   // if not nil, with room for the list
	needles   []needle // of the index, with room for the list
}

// growth is what a table gets.
type growth struct {
	grams []uint64
	sites []uint64 // of windows
	table *grams   // if not nil, with room for them
}

// clear keeps working memory, unless it was needed for an uncommonly large value.
func (by *growth) clear() {
	if cap(by.grams) > maxPlaces {
		*by = growth{}
	}
	*by = growth{grams: by.grams[:0], sites: by.sites[:0]}
}

// maxPlaces is for how many grams the working memory is kept for the next value.
const maxPlaces = 1 << 16

// prepare makes the addition of an entry.
func (x *index) prepare(e *entry) *addition {
	a := &x.addition
	a.clear()
	a.entry, a.needles = e, x.needles
	if len(e.value) < MinLength {
		return a // too little to go by once it is encoded
	}
	for _, p := range parts(e.value) {
		a.list = append(a.list, needles(p)...)
	}
	e.ids = make([]uint32, len(a.list))
	size := 0
	for i := range a.list {
		n := &a.list[i]
		n.owner, e.ids[i] = e, x.id(i)
		g, to := &x.mid, &a.mid
		if x.class(n) == &x.long {
			g, to = &x.long, &a.long
		}
		if n.run == len(n.text) {
			n.first = g.rarest(n.text)
		}
		g.places(to, n, e.ids[i])
		size += len(n.text)
	}
	a.long.table, a.mid.table = x.room(&x.long, a.long), x.room(&x.mid, a.mid)
	a.needles = slices.Grow(x.needles, len(a.list))
	if t := x.tails; t.full(size) {
		t.grow(size)
		a.tails = &t
	}
	return a
}

// id is that of the needle i of the next addition.
func (x *index) id(i int) uint32 {
	if k := len(x.free); i < k {
		return x.free[k-1-i]
	}
	return uint32(len(x.needles) + i - len(x.free)) //nolint:gosec // memory ends first
}

// add indexes the entry of an addition.
func (x *index) add(a *addition) {
	x.version++
	if len(canonical(a.entry.value)) < MinLength || hasWideGap(a.entry.value) {
		x.addWords(a.entry)
	}
	if a.tails != nil {
		x.tails = *a.tails
	}
	x.needles = a.needles
	x.free = x.free[:max(0, len(x.free)-len(a.list))]
	for i, n := range a.list {
		if id := int(a.entry.ids[i]); id < len(x.needles) {
			x.needles[id] = n
		} else {
			x.needles = append(x.needles, n)
		}
		x.tails.add(&n)
		x.margin, x.longest = max(x.margin, n.run), max(x.longest, len(n.text))
		x.shortest = min(x.shortest, n.run)
	}
	x.take(&x.long, a.long)
	x.take(&x.mid, a.mid)
	x.families.settle()
	a.clear()
}

// take indexes what a table gets.
func (x *index) take(g *grams, by growth) {
	if by.table != nil {
		*g = *by.table
	}
	for _, gram := range by.grams {
		g.list(gram)
	}
	var before *crowd
	for i, site := range by.sites {
		c := g.windows.insert(x, g.size, site)
		if before != nil && c != nil && site == by.sites[i-1]+1 {
			before.next = c
		}
		before = c
	}
}

// clear forgets the value.
func (a *addition) clear() {
	clear(a.list)
	a.long.clear()
	a.mid.clear()
	*a = addition{list: a.list[:0], long: a.long, mid: a.mid}
}

// room makes a table like g with room for more, nil if g has it.
func (x *index) room(g *grams, by growth) *grams {
	if !g.full(by) {
		return nil
	}
	next := newGrams(g.size, g.width)
	next.reset(g.listed.live+len(by.grams), g.windows.live+len(by.sites))
	for id := range x.needles {
		n := &x.needles[id]
		if n.owner == nil || x.class(n) != g {
			continue
		}
		x.places.clear()
		g.places(&x.places, n, uint32(id))
		for _, gram := range x.places.grams {
			next.list(gram)
		}
	}
	g.windows.moveTo(&next.windows, x, g.size)
	x.built()
	return &next
}

// freshTails makes the tails of what is indexed, if those there are have become mostly others.
func (x *index) freshTails() *tails {
	if !x.tails.mostlyStale() {
		return nil
	}
	next := new(tails)
	for id := range x.needles {
		if n := &x.needles[id]; n.owner != nil {
			next.add(n)
		}
	}
	x.built()
	return next
}

func (x *index) built() {
	if x.rebuilt != nil {
		x.rebuilt()
	}
}
