package redact

// context is a stretch of text in canonical bytes.
type context struct {
	bytes [maxContext + 8]byte // with room to load eight at the end
	from  int                  // where the first of them is in the text
	steps [maxContext]uint16   // how far behind that each of them is
	n     int
}

// place is where a byte is in the text.
func (c *context) place(i int) int { return c.from + int(c.steps[i]) }

// maxContext is what the longest run but whole needles needs: as much of it before a window as can be, and all of it
// behind the beginning.
const maxContext = 2*encodedRun - longSize

// read makes the context of the byte at, which is no gap: that many bytes before it, if they are not before least, and
// that many from it on. It returns where at is in it.
func read[T text](c *context, t T, at, before, after, least int) (middle int) {
	first, gap := at, 0
	for pos := at - 1; pos >= least && middle < before; pos-- {
		if isGap(t[pos]) {
			if gap++; gap > maxGap {
				break
			}
			continue
		}
		first, gap = pos, 0
		middle++
	}
	n := 0
	gap = 0
	for pos := first; pos < len(t) && n < middle+after; pos++ {
		b := t[pos]
		if isGap(b) {
			if gap++; gap > maxGap {
				break
			}
			continue
		}
		c.bytes[n], c.steps[n] = folded[b], uint16(pos-first) //nolint:gosec // there are at most maxGap gaps between two bytes
		gap = 0
		n++
	}
	c.from, c.n = first, n
	return middle
}

// confirm looks for the windows that hold a gram of the text.
func confirm[T text](x *index, g *grams, t T, at int, f *found) bool {
	for at < len(t) && isGap(t[at]) {
		at++
	}
	least := f.looked
	f.looked = at + 1
	if at == len(t) {
		return false
	}
	var c context
	read(&c, t, at, g.step-1, g.size, least)
	for i := 0; i+g.size <= c.n; i++ {
		if lookUp(x, g, t, &c, i, f) {
			return true
		}
	}
	return false
}

// lookUp looks for the window at i of the context.
func lookUp[T text](x *index, g *grams, t T, c *context, i int, f *found) bool {
	w := &g.windows
	key := windowAt(c.bytes[:], i, g.size)
	h := key.hash()
	wanted := tag(h)
	for j := h >> w.home; w.slots[j] != 0; j = (j + 1) & w.last {
		slot := w.slots[j]
		if (slot^wanted)>>tagShift != 0 || slot == deadSlot {
			continue
		}
		if slot&crowdSlot == 0 {
			if compare(x, g, t, c.place(i), slot, f) {
				return true
			}
			continue
		}
		cr := w.crowds.of(slot)
		if cr.window != key {
			continue
		}
		f.looks++
		if cr.exact != nil && f.addFamily(c.place(i), follow(g, t, c, i, cr, f), cr.exact) {
			return true
		}
		if searchRuns(g, t, c.place(i), cr, f) {
			return true
		}
		for _, site := range cr.rest {
			if compare(x, g, t, c.place(i), site, f) {
				return true
			}
		}
	}
	return false
}

// follow returns where the window of a crowd ends, which is at i of the context. If that is the last one of it, it goes
// on as long as the next windows are of the same family and no others, so that they need not be looked up.
func follow[T text](g *grams, t T, c *context, i int, cr *crowd, f *found) (end int) {
	start, end := c.place(i), c.place(i+g.size-1)+1
	if i+g.size < c.n || end-start > g.size {
		return end
	}
	family := cr.exact
	for cr = cr.next; cr != nil && end < len(t) && cr.lone(family) && folded[t[end]] == cr.window.last(g.size) && !isGap(t[end]); cr = cr.next {
		end++
	}
	f.looked = end - g.size + 1
	return end
}

// searchRuns looks for the runs that hold the window of a crowd, which stands at that place.
func searchRuns[T text](g *grams, t T, at int, cr *crowd, f *found) bool {
	longest := 0
	for _, k := range cr.kinds {
		longest = max(longest, k.run)
	}
	if longest == 0 {
		return false
	}
	var c context
	middle := read(&c, t, at, longest-g.size, longest, 0)
	hit := false
	for _, k := range cr.kinds {
		for from := max(0, middle+g.size-k.run); from <= middle && from+k.run <= c.n; from++ {
			end := from + k.run
			f.looks++
			known := cr.find(&c, from, end, k)
			if known == nil {
				continue
			}
			hit = true
			start, stop := widen(t, c.place(from), c.place(end-1)+1, k.lead, k.tail)
			if f.addFamily(start, stop, known.by) {
				return true
			}
		}
	}
	if !hit && f.first {
		f.addPartial(c.place(0), c.place(c.n-1)+1)
	}
	return false
}

// find is the run of a kind in a context.
func (c *crowd) find(in *context, from, end int, k runKind) *shared {
	s := k.suffix()
	if s == 0 {
		return c.runs[string(in.bytes[from:end])]
	}
	next := in.bytes[end]
	in.bytes[end] = s
	known := c.runs[string(in.bytes[from:end+1])]
	in.bytes[end] = next
	return known
}

// compare compares the needle of a site with the text around it.
func compare[T text](x *index, g *grams, t T, at int, site uint64, f *found) bool {
	n := &x.needles[site>>offsetBits&maxID]
	offset := int(site & maxOffset)
	if f.last.needle == n && at-offset == f.last.delta && at < f.last.end {
		return false // within what was compared as a whole
	}
	f.looks++
	start, end, first, last := extend(t, at, n.text, offset)
	run := last - first
	if run < n.run {
		if f.first && run >= g.size {
			f.addPartial(start, end)
		}
		return false
	}
	if end-start == run { // without gaps, so that all of it has the same distance
		f.last = compared{needle: n, delta: at - offset, end: end}
	}
	start, end = widen(t, start, end, n.lead && first == 0, n.tail && last == len(n.text))
	return f.add(start, end, n.owner)
}

// widen takes in the characters of base64 beside a range that carry bits of the value, too.
func widen[T text](t T, start, end int, lead, tail bool) (from, to int) {
	if lead && start > 0 && isBase64(t[start-1]) {
		start--
	}
	if tail && end < len(t) && isBase64(t[end]) {
		end++
	}
	return start, end
}
