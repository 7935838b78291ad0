package redact

import (
	"slices"
	"strings"
)

// A crowd is a window that many needles have. The runs that hold it are listed once, however many have them.
type crowd struct {
	window window
	exact  *family // who has the window, where it is a hit itself
	next   *crowd  // of the window one byte on, if one is known
	runs   map[string]*shared
	kinds  []runKind // of the runs
	rest   []uint64  // sites of needles that are a hit only as a whole
}

// shared is a run that several values have.
type shared struct{ by *family }

// lone reports whether nothing but the window itself is a hit for its values, which are those of the family.
func (c *crowd) lone(f *family) bool { return c.exact == f && len(c.runs) == 0 && len(c.rest) == 0 }

// runKind is a length of runs, and whether they are at an end of a needle where the character beside them is hidden,
// too.
type runKind struct {
	run        int
	lead, tail bool
	count      int // of runs
}

// suffix is what tells runs of a kind from others with the same bytes. No canonical byte is like this.
func (k runKind) suffix() (s byte) {
	if k.lead {
		s |= 1
	}
	if k.tail {
		s |= 2
	}
	return s
}

// each calls f with the runs of a needle that hold the window at offset.
func (n *needle) each(offset, size int, f func(run string, k runKind)) {
	for from := max(0, offset+size-n.run); from <= min(offset, len(n.text)-n.run); from++ {
		k := runKind{run: n.run, lead: n.lead && from == 0, tail: n.tail && from+n.run == len(n.text)}
		run := n.text[from : from+n.run]
		if s := k.suffix(); s != 0 {
			run += string(rune(s))
		}
		f(run, k)
	}
}

// add takes the runs of a site.
func (c *crowd) add(x *index, size int, site uint64) {
	n, offset := &x.needles[site>>offsetBits&maxID], int(site&maxOffset)
	switch {
	case n.exact(size):
		c.exact = x.families.join(c.exact, n.owner)
	case n.run == len(n.text):
		c.rest = append(c.rest, site&(1<<siteBits-1))
	default:
		if c.runs == nil {
			c.runs = make(map[string]*shared)
		}
		n.each(offset, size, func(run string, k runKind) {
			known := c.runs[run]
			if known == nil {
				known = new(shared)
				c.runs[strings.Clone(run)] = known // without the rest of the needle, which may go before it
				c.count(k, 1)
			}
			known.by = x.families.join(known.by, n.owner)
		})
	}
}

// count keeps count of the runs of a kind.
func (c *crowd) count(k runKind, more int) {
	for i := range c.kinds {
		known := &c.kinds[i]
		if known.run != k.run || known.suffix() != k.suffix() {
			continue
		}
		if known.count += more; known.count == 0 {
			c.kinds = slices.Delete(c.kinds, i, i+1)
		}
		return
	}
	k.count = more
	c.kinds = append(c.kinds, k)
}

// remove undoes one add, and reports whether nothing is left.
func (c *crowd) remove(x *index, size int, site uint64) (empty bool) {
	n, offset := &x.needles[site>>offsetBits&maxID], int(site&maxOffset)
	switch {
	case n.exact(size):
		if x.families.leave(c.exact, n.owner) {
			c.exact = nil
		}
	case n.run == len(n.text):
		if at := slices.Index(c.rest, site&(1<<siteBits-1)); at >= 0 {
			last := len(c.rest) - 1
			c.rest[at] = c.rest[last]
			c.rest = c.rest[:last]
		}
	default:
		n.each(offset, size, func(run string, k runKind) {
			if known := c.runs[run]; known != nil && x.families.leave(known.by, n.owner) {
				delete(c.runs, run)
				c.count(k, -1)
			}
		})
	}
	return c.exact == nil && len(c.runs) == 0 && len(c.rest) == 0
}

// crowds are those of a table.
type crowds struct {
	list []*crowd
	free []uint64 // numbers of those that are empty
}

// open makes a crowd, and returns what its slot holds beside the tag.
func (c *crowds) open(w window) (slot uint64) {
	if k := len(c.free); k > 0 {
		slot = c.free[k-1]
		c.free = c.free[:k-1]
		c.list[slot] = &crowd{window: w}
	} else {
		slot = uint64(len(c.list))
		c.list = append(c.list, &crowd{window: w})
	}
	return crowdSlot | slot
}

// of is the crowd of a slot.
func (c *crowds) of(slot uint64) *crowd { return c.list[slot&(crowdSlot-1)] }

// remove takes a site out of the crowd of a slot, and reports whether nothing is left of that.
func (c *crowds) remove(x *index, size int, slot, site uint64) (empty bool) {
	if !c.of(slot).remove(x, size, site) {
		return false
	}
	n := slot & (crowdSlot - 1)
	*c.list[n] = crowd{} // others may still have it as the next
	c.list[n] = nil
	c.free = append(c.free, n)
	return true
}
