package redact

import "math/bits"

// window is size canonical bytes, in two numbers.
type window struct{ low, high uint64 }

// windowAt reads the window of size bytes, which is eight or sixteen, at offset of a text.
func windowAt[T text](t T, offset, size int) window {
	w := window{low: load64(t, offset)}
	if size > midSize {
		w.high = load64(t, offset+8)
	}
	return w
}

// last is the last byte of a window of that size.
func (w window) last(size int) byte {
	if size > midSize {
		return byte(w.high >> 56)
	}
	return byte(w.low >> 56)
}

func (w window) hash() uint64 {
	const other = 0xd6e8feb86659fd93
	high, low := bits.Mul64(w.low^hashFactor, w.high^other)
	return (high ^ low) * hashFactor
}

// windows finds where in which needles a window stands.
type windows struct {
	slots      []uint64 // hash table with linear probing
	home       uint     // shift from a hash to an index
	last       uint64   // index of the last slot
	used, live int      // slots that are not empty, and those of them that are not dead
	crowds     crowds
}

// A slot holds a part of the hash, the needle and the offset of the window in it, as a site. Needle 0 is none. A slot
// with the bit crowdSlot holds the number of a crowd instead of a site.
const (
	offsetBits = 20
	idBits     = 24
	siteBits   = offsetBits + idBits
	tagShift   = siteBits + 1
	maxOffset  = 1<<offsetBits - 1
	maxID      = 1<<idBits - 1
	deadSlot   = 1
	crowdSlot  = 1 << siteBits
)

// manySites is how many sites of a window take a slot each. More of them make a crowd, which takes one: to compare
// the text with all of them would take as long as they are many.
const manySites = 4

// site is where a window stands: in which needle, and at which offset of it.
func site(id uint32, offset int) uint64 {
	return uint64(id)<<offsetBits | uint64(offset) //nolint:gosec // offset is at most maxOffset
}

// tag is what a slot keeps of the hash, in place.
func tag(h uint64) uint64 { return h << 20 &^ (1<<tagShift - 1) }

func (w *windows) reset(n int) {
	size, shift := capacity(n)
	*w = windows{slots: make([]uint64, size), home: shift, last: size - 1}
}

// full reports whether there is no room for more windows.
func (w *windows) full(more int) bool { return 4*(w.used+more) > 3*len(w.slots) }

// at is the window of a slot that is in use.
func (w *windows) at(x *index, slot uint64, size int) window {
	if slot&crowdSlot != 0 {
		return w.crowds.of(slot).window
	}
	return windowAt(x.needles[slot>>offsetBits&maxID].text, int(slot&maxOffset), size)
}

// insert indexes a window where it stands, and returns its crowd if it has one. There must be room.
func (w *windows) insert(x *index, size int, site uint64) *crowd {
	key := w.at(x, site, size)
	h := key.hash()
	wanted := tag(h)
	var same [manySites]uint64 // indexes of slots
	n := 0
	i := h >> w.home
	for ; w.slots[i] != 0; i = (i + 1) & w.last {
		slot := w.slots[i]
		if (slot^wanted)>>tagShift != 0 || slot == deadSlot || w.at(x, slot, size) != key {
			continue
		}
		if slot&crowdSlot != 0 {
			c := w.crowds.of(slot)
			c.add(x, size, site)
			return c
		}
		if x.alike(slot, site, size) {
			return nil
		}
		same[n] = i
		if n++; n == manySites {
			number := w.crowds.open(key)
			c := w.crowds.of(number)
			for _, at := range same {
				c.add(x, size, w.slots[at])
				w.slots[at] = deadSlot
			}
			c.add(x, size, site)
			w.slots[same[0]] = wanted | number
			w.live -= manySites - 1
			return c
		}
	}
	w.put(h, wanted|site)
	return nil
}

// put takes the first free slot.
func (w *windows) put(h, slot uint64) {
	i := h >> w.home
	for w.slots[i] > deadSlot {
		i = (i + 1) & w.last
	}
	if w.slots[i] == 0 {
		w.used++
	}
	w.slots[i] = slot
	w.live++
}

// alike reports whether the windows of two sites are hits themselves, for the same value.
func (x *index) alike(a, b uint64, size int) bool {
	n, m := &x.needles[a>>offsetBits&maxID], &x.needles[b>>offsetBits&maxID]
	return n.owner == m.owner && n.exact(size) && m.exact(size)
}

// exact reports whether each window of a needle is a hit, and nothing beside it matters.
func (n *needle) exact(size int) bool { return n.run == size && !n.lead && !n.tail }

// remove undoes one insert.
func (w *windows) remove(x *index, size int, site uint64) {
	key := w.at(x, site, size)
	h := key.hash()
	wanted := tag(h)
	for i := h >> w.home; w.slots[i] != 0; i = (i + 1) & w.last {
		slot := w.slots[i]
		if (slot^wanted)>>tagShift != 0 || slot == deadSlot {
			continue
		}
		gone := slot == wanted|site
		if slot&crowdSlot != 0 && w.at(x, slot, size) == key {
			gone = w.crowds.remove(x, size, slot, site)
			if !gone {
				return
			}
		}
		if gone {
			w.slots[i] = deadSlot
			w.live--
			return
		}
	}
}

// moveTo puts all that is in use in a larger table. The crowds are the same then.
func (w *windows) moveTo(next *windows, x *index, size int) {
	for _, slot := range w.slots {
		if slot > deadSlot {
			h := w.at(x, slot, size).hash()
			next.put(h, slot)
		}
	}
	next.crowds = w.crowds
}
