package validation

// detector knows at which four bytes a credential may show.
type detector struct {
	bitmap  [1 << 18 / 64]uint64 // over the hashes of the grams
	slots   [1 << 12]uint16      // hash table with linear probing, of indices into entries; 0 is empty
	entries []gramEntry          // the first one is not used
	inner   *detector            // of what may stand within a password or token
}

// gramEntry lists the rules to try where a gram stands.
type gramEntry struct {
	gram   uint32
	tokens []*tokenRule
	rules  []anchoredRule
}

// anchoredRule tries to match at a place in s where its anchor stands. The result is empty if there is no
// credential.
type anchoredRule func(s string, at int, found []Finding) []Finding

// credentials is the detector of all kinds. It never changes.
var credentials = newDetector()

func newDetector() *detector {
	known := &detector{entries: make([]gramEntry, 1)}
	known.addKnown()
	all := &detector{entries: make([]gramEntry, 1), inner: known}
	all.addKnown()
	all.addHeaders()
	all.addAssignments()
	return all
}

// addKnown adds what is known by its own form to the detector.
func (d *detector) addKnown() {
	for i := range tokenRules {
		r := &tokenRules[i]
		d.at(r.prefix, r.body, func(e *gramEntry) { e.tokens = append(e.tokens, r) })
	}
	d.addShapes()
}

// add has try called wherever text stands.
func (d *detector) add(text string, next alphabet, try anchoredRule) {
	d.at(text, next, func(e *gramEntry) { e.rules = append(e.rules, try) })
}

// at calls change with the entry of the gram that text begins with. A text of less than four bytes is made
// longer by each character of next.
func (d *detector) at(text string, next alphabet, change func(*gramEntry)) {
	if len(text) >= 4 {
		change(d.entry(gramAt(text, 0)))
		return
	}
	for c := range byte(0x80) {
		if next.has(c) {
			d.at(text+string(rune(c)), next, change)
		}
	}
}

func (d *detector) entry(gram uint32) *gramEntry {
	h := hashGram(gram)
	d.bitmap[h>>6] |= 1 << (h & 63)
	slot := d.slot(gram)
	if *slot == 0 {
		*slot = uint16(len(d.entries)) //nolint:gosec // there are fewer entries than slots
		d.entries = append(d.entries, gramEntry{gram: gram})
	}
	return &d.entries[*slot]
}

// patience is how often a rule is tried in vain within one stretch of characters. Text that somebody else
// chose may hold a prefix at every fifth byte, and each try reads on for as long as a token may be.
const patience = 4

// cheap is the stretch in bytes that may be read again and again.
const cheap = 128

// trials counts the tries in vain of the rules that were tried last.
type trials struct {
	recent [4]struct {
		rule  *tokenRule
		end   int // of the stretch that was read
		tries int
	}
	next int
}

// match tries r at a place, unless it was tried in vain too often before.
func (t *trials) match(r *tokenRule, s string, at int) (end int) {
	for i := range t.recent {
		tried := &t.recent[i]
		if tried.rule != r || at >= tried.end {
			continue
		}
		if tried.tries >= patience {
			return 0
		}
		if end, _ = r.match(s, at); end == 0 {
			tried.tries++
		}
		return end
	}
	end, read := r.match(s, at)
	if end == 0 && read > cheap {
		tried := &t.recent[t.next%len(t.recent)]
		tried.rule, tried.end, tried.tries = r, at+read, 1
		t.next++
	}
	return end
}

// slot is where the index of a gram is, or an empty one where it belongs.
func (d *detector) slot(gram uint32) *uint16 {
	for at := hashGram(gram); ; at++ {
		if s := &d.slots[at%uint32(len(d.slots))]; *s == 0 || d.entries[*s].gram == gram {
			return s
		}
	}
}

func gramAt(s string, at int) uint32 {
	_ = s[at+3]
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// hashGram maps a gram to one of the 262144 bits of the bitmap.
func hashGram(gram uint32) uint32 { return gram * 0x9e3779b1 >> 14 }

// detect appends the credentials in s, in order and without overlaps.
func (d *detector) detect(s string, found []Finding) []Finding {
	var tried trials
	for at := d.next(s, 0); at >= 0; at = d.next(s, at+1) {
		entry := &d.entries[*d.slot(gramAt(s, at))]
		known := len(found)
		for _, r := range entry.tokens {
			if end := tried.match(r, s, at); end > 0 {
				if found = add(found, Finding{Kind: r.kind, Start: at, End: end}); len(found) > known {
					at = max(at, end-1)
				}
				break
			}
		}
		if len(found) > known {
			continue
		}
		for _, try := range entry.rules {
			found = try(s, at, found)
			if len(found) > known {
				at = max(at, found[len(found)-1].End-1)
				break
			}
		}
	}
	return found
}

// next is the first place in s from at on where a gram may stand, or -1. Almost all
// of the time of a detection is spent here: eight bytes hold five grams.
func (d *detector) next(s string, at int) int {
	for ; at+8 <= len(s); at += 5 {
		w := s[at : at+8]
		eight := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		switch {
		case d.may(uint32(eight)): //nolint:gosec // the lower half is meant
			return at
		case d.may(uint32(eight >> 8)): //nolint:gosec // as above
			return at + 1
		case d.may(uint32(eight >> 16)): //nolint:gosec // as above
			return at + 2
		case d.may(uint32(eight >> 24)): //nolint:gosec // as above
			return at + 3
		case d.may(uint32(eight >> 32)):
			return at + 4
		}
	}
	for ; at+4 <= len(s); at++ {
		if d.may(gramAt(s, at)) {
			return at
		}
	}
	return -1
}

// may reports whether the gram may be one of the detector's.
func (d *detector) may(gram uint32) bool {
	h := hashGram(gram)
	return d.bitmap[h>>6]&(1<<(h&63)) != 0
}

// add appends a finding, unless it overlaps the last one.
func add(found []Finding, f Finding) []Finding {
	if n := len(found); n > 0 && f.Start < found[n-1].End {
		return found
	}
	return append(found, f)
}

// addWithin appends what is found in s[start:end], or all of it as kind if that is nothing: a token in a
// header or a URL is better known by what it is.
func (d *detector) addWithin(found []Finding, s string, start, end int, kind string) []Finding {
	inner := matchWhole(s[start:end])
	if inner == nil {
		inner = d.inner.detect(s[start:end], nil)
	}
	if inner == nil {
		return add(found, Finding{Kind: kind, Start: start, End: end})
	}
	for _, f := range inner {
		found = add(found, Finding{Kind: f.Kind, Start: start + f.Start, End: start + f.End})
	}
	return found
}
