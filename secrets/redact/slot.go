package redact

import "slices"

// manySlots is how many slots grams with one tag may take. Those of more needles make a crowd, which takes one
// more: needles that begin alike would make chains through the table that are as long as they are many.
const manySlots = 4

// site is where a gram stands: in which needle, and at which offset of it.
func site(id uint32, offset int) uint64 {
	return uint64(id)<<offsetBits | uint64(offset) //nolint:gosec // offset is at most maxOffset
}

// insert indexes a gram where it stands. There must be room.
func (g *grams) insert(p place) {
	h, site := hash(p.gram), p.site
	g.filter[h>>g.word] |= pattern(h)
	wanted := tag(h)
	at, free, same := h>>g.home, -1, 0
	for ; g.slots[at] != 0; at = (at + 1) & g.last {
		switch slot := g.slots[at]; {
		case slot == deadSlot:
			if free < 0 {
				free = int(at) //nolint:gosec // an index
			}
		case (slot^wanted)>>tagShift != 0:
		case slot&crowdSlot != 0:
			g.crowds.add(slot, site)
			return
		default:
			same++
		}
	}
	if free >= 0 {
		at = uint64(free)
	} else {
		g.used++
	}
	g.live++
	if same >= manySlots {
		site = g.crowds.open(site)
	}
	g.slots[at] = wanted | site
}

// remove undoes one insert. The bits of the filter stay as long as the table.
func (g *grams) remove(p place) {
	h := hash(p.gram)
	wanted := tag(h)
	for at := h >> g.home; g.slots[at] != 0; at = (at + 1) & g.last {
		slot := g.slots[at]
		if slot == deadSlot || (slot^wanted)>>tagShift != 0 {
			continue
		}
		gone, last := slot == wanted|p.site, true
		if slot&crowdSlot != 0 {
			gone, last = g.crowds.remove(slot, p.site)
		}
		if gone {
			if last {
				g.slots[at] = deadSlot
				g.live--
			}
			return
		}
	}
}

// crowds are the sites of grams that many needles have.
type crowds struct {
	lists [][]uint64
	free  []uint64 // numbers of those that are empty
}

// open makes a crowd of one site, and returns what its slot holds beside the tag.
func (c *crowds) open(site uint64) (slot uint64) {
	list := []uint64{site}
	if k := len(c.free); k > 0 {
		slot = c.free[k-1]
		c.free = c.free[:k-1]
		c.lists[slot] = list
	} else {
		slot = uint64(len(c.lists))
		c.lists = append(c.lists, list)
	}
	return crowdSlot | slot
}

// of is the crowd of a slot.
func (c *crowds) of(slot uint64) []uint64 { return c.lists[slot&(crowdSlot-1)] }

func (c *crowds) add(slot, site uint64) {
	n := slot & (crowdSlot - 1)
	c.lists[n] = append(c.lists[n], site)
}

// remove drops a site from a crowd if it is there, and reports whether it was the last.
func (c *crowds) remove(slot, site uint64) (gone, last bool) {
	n := slot & (crowdSlot - 1)
	list := c.lists[n]
	at := slices.Index(list, site)
	if at < 0 {
		return false, false
	}
	end := len(list) - 1
	list[at] = list[end]
	c.lists[n] = list[:end]
	if end == 0 {
		c.lists[n] = nil
		c.free = append(c.free, n)
	}
	return true, end == 0
}
