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
	places []place
	table  *grams // if not nil, with room for the places
}

// maxPlaces is up to how many places the working memory is kept for the next value.
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
		to.places = g.places(to.places, n, e.ids[i])
		size += len(n.text)
	}
	a.long.table, a.mid.table = x.room(&x.long, len(a.long.places)), x.room(&x.mid, len(a.mid.places))
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
	x.long.take(a.long)
	x.mid.take(a.mid)
	a.clear()
}

// take indexes what a table gets.
func (g *grams) take(by growth) {
	if by.table != nil {
		*g = *by.table
	}
	for _, p := range by.places {
		g.insert(p)
	}
}

// clear forgets the value, and working memory for an uncommonly large one.
func (a *addition) clear() {
	clear(a.list)
	long, mid := a.long.places[:0], a.mid.places[:0]
	if cap(long)+cap(mid) > maxPlaces {
		long, mid = nil, nil
	}
	*a = addition{list: a.list[:0], long: growth{places: long}, mid: growth{places: mid}}
}

// room makes a table like g with room for more grams, nil if g has it.
func (x *index) room(g *grams, more int) *grams {
	if !g.full(more) {
		return nil
	}
	next := newGrams(g.size, g.width)
	for n := g.live + more; ; n *= 2 {
		next.reset(n)
		if x.fill(g, &next) && !next.full(more) {
			x.built()
			return &next
		}
	}
}

// fill indexes the needles of the table g in next, and reports whether there was room. How many slots they take
// depends on which grams meet in a crowd.
func (x *index) fill(g, next *grams) bool {
	for id := range x.needles {
		n := &x.needles[id]
		if n.owner == nil || x.class(n) != g {
			continue
		}
		x.places = g.places(x.places[:0], n, uint32(id))
		if next.full(len(x.places)) {
			return false
		}
		for _, p := range x.places {
			next.insert(p)
		}
	}
	return true
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
