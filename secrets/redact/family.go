package redact

import (
	"cmp"
	"slices"
)

// A family is the values that have a run in common, in the order in which they name a marker. Runs that the same
// values have share one, so that adding and removing a value changes a few families, not each of its runs.
type family struct {
	owners []*entry
	runs   int // how many runs it is of

	// Of one that is made for a value that is being added, until all of it is.
	base  *family // whose owners it has besides, if not nil
	owner *entry
	heirs int // how many have it as their base
}

// has reports whether a value is one of the family.
func (f *family) has(e *entry) bool {
	_, found := slices.BinarySearchFunc(f.owners, e, rank)
	return found
}

// joined reports whether a value became one of the family by the change that is being made.
func (f *family) joined(e *entry) bool {
	for ; f != nil && f.owner != nil; f = f.base {
		if f.owner == e {
			return true
		}
	}
	return false
}

// best is who of the family names a marker for the holder. It is the same whatever the order of the map.
//
//workflowcheck:ignore
func (f *family) best(h *Holder) *entry {
	if h == nil {
		return f.owners[0]
	}
	if len(f.owners) <= len(h.labels) {
		for _, e := range f.owners {
			if h.given(e) {
				return e
			}
		}
		return f.owners[0]
	}
	var best *entry
	for e := range h.labels {
		if (best == nil || rank(e, best) < 0) && f.has(e) {
			best = e
		}
	}
	return cmp.Or(best, f.owners[0])
}

// rank orders values: the longer one names a marker, or the first in order of values.
func rank(a, b *entry) int {
	return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.value, b.value))
}

// families are those that a change makes.
type families struct {
	moved map[move]*family
	fresh []*family // in the order in which they were made

	// What was asked for last, which is what will be asked for next.
	joined, left move
	to           *family
}

// move is what becomes of a family when a value joins it.
type move struct {
	from *family
	with *entry
}

// join is the family of a run of which that was the family before a value got it, too. It is not to be searched
// until settle was called.
func (fs *families) join(f *family, e *entry) *family {
	if f.joined(e) {
		return f
	}
	m := move{f, e}
	next := fs.to
	if m != fs.joined || next == nil {
		next = fs.moved[m]
	}
	if next == nil {
		next = &family{base: f, owner: e}
		if fs.moved == nil {
			fs.moved = make(map[move]*family)
		}
		fs.moved[m] = next
		fs.fresh = append(fs.fresh, next)
		if f != nil {
			f.heirs++
		}
	}
	if f != nil {
		f.runs--
	}
	next.runs++
	fs.joined, fs.to = m, next
	return next
}

// leave takes a value out of a family, and reports whether no other is left.
func (fs *families) leave(f *family, e *entry) (empty bool) {
	if m := (move{f, e}); f != nil && m != fs.left {
		fs.left = m
		if at, found := slices.BinarySearchFunc(f.owners, e, rank); found {
			f.owners = slices.Delete(f.owners, at, at+1)
		}
	}
	return f != nil && len(f.owners) == 0
}

// settle ends a change. It gives the new families their owners: those of the old one if that is of no run any more.
func (fs *families) settle() {
	for _, f := range fs.fresh {
		if base := f.base; base != nil {
			f.owners = base.owners
			if base.heirs--; base.heirs > 0 || base.runs > 0 {
				f.owners = slices.Clone(f.owners)
			}
		}
		at, _ := slices.BinarySearchFunc(f.owners, f.owner, rank)
		f.owners = slices.Insert(f.owners, at, f.owner)
		f.base, f.owner = nil, nil
	}
	clear(fs.fresh)
	clear(fs.moved)
	*fs = families{moved: fs.moved, fresh: fs.fresh[:0]}
}
