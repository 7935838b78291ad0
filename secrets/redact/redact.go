package redact

import (
	"bytes"
	"slices"
)

// Bytes returns in with a marker in each place where a registered value stands, and the number of these
// places. If there is none, out is in itself; in is never changed. If redacting fails, out is [Withheld].
func (s *Set) Bytes(in []byte) (out []byte, hits int) {
	out, n := s.edit(nil, in, Withheld, (*pass).replace)
	return out, n.hits()
}

// String returns in with a marker in each place where a registered value stands, and the number of these
// places. Valid UTF-8 stays valid. If redacting fails, out is [Withheld].
func (s *Set) String(in string) (out string, hits int) {
	out, n := s.editString(nil, in)
	return out, n.hits()
}

// Contains reports whether b holds a registered value, that is whether [Set.Bytes] would change it. It does
// if searching it fails.
//
// It is not inlined: a caller of another package would lose what is known of the
// generic function below, and have to allocate what it looks at.
//
//go:noinline
func (s *Set) Contains(b []byte) bool { return contains(s, b) }

// ContainsString reports whether str holds a registered value, as [Set.Contains] does.
//
//go:noinline
func (s *Set) ContainsString(str string) bool { return contains(s, str) }

// ContainsAny reports whether one of the texts may hold a registered value: where it says no, [Set.String] would
// change none of them. It takes less time than asking for each of many short texts, and does not look at markers
// as [Set.ContainsString] does.
//
//go:noinline
func (s *Set) ContainsAny(texts []string) (yes bool) {
	defer s.recovered(func() { yes = true })
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.x == nil {
		return false
	}
	for _, t := range texts {
		if len(t) >= s.x.shortest && holds(s.x, t) {
			return true
		}
	}
	return false
}

func contains[T text](s *Set, t T) (yes bool) {
	if s.tooShort(len(t)) {
		return false
	}
	defer s.recovered(func() { yes = true })
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.x == nil || !holds(s.x, t) {
		return false
	}
	if !hasMarker(t) {
		return true
	}
	p := s.pass(nil)
	defer p.release()
	p.find([]byte(string(t))) // a copy, so that the caller's bytes may stay on its stack
	return len(p.f.spans) > 0
}

// Names lists the names of all values that str holds, sorted, each once and as they were registered. It
// is nil if there are none. A name may itself be what someone mistook for a name: it is not redacted.
func (s *Set) Names(str string) (names []string) {
	defer s.recovered(func() { names = nil })
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.x == nil || !holds(s.x, str) {
		return nil
	}
	p := s.pass(nil)
	defer p.release()
	p.f.all = make(map[*entry]bool)
	p.find([]byte(str))
	for e := range p.f.all {
		for name := range e.names {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// counts says how many places a text was redacted in.
type counts struct{ own, foreign int }

func (c counts) hits() int { return c.own + c.foreign }

// edit redacts in as the holder sees it, or as the set does if that is nil.
func (s *Set) edit(h *Holder, in []byte, withheld string, replace func(p *pass, text []byte) []byte) (out []byte, n counts) {
	if s.tooShort(len(in)) {
		return in, counts{}
	}
	defer s.recovered(func() { out, n = []byte(withheld), counts{own: 1} })
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.x == nil || !holds(s.x, in) {
		return in, counts{}
	}
	p := s.pass(h)
	defer p.release()
	p.find(in)
	if len(p.f.spans) == 0 {
		return in, counts{}
	}
	return replace(p, in), p.count()
}

// editString is edit for strings: clean ones are not copied.
func (s *Set) editString(h *Holder, in string) (out string, n counts) {
	if s.tooShort(len(in)) || !s.suspects(in) {
		return in, counts{}
	}
	edited, n := s.edit(h, []byte(in), Withheld, (*pass).replace)
	if n.hits() == 0 {
		return in, n
	}
	return string(edited), n
}

// suspects reports whether a text has to be looked at more closely, as it does if looking at it fails.
func (s *Set) suspects(in string) (yes bool) {
	defer s.recovered(func() { yes = true })
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.x != nil && holds(s.x, in)
}

// pass is the work on one text. It lives as long as the lock of the set is held.
type pass struct {
	set *Set
	sc  *scratch
	f   found
}

func (s *Set) pass(h *Holder) *pass {
	sc := newScratch(&s.scratches)
	return &pass{set: s, sc: sc, f: found{spans: sc.spans[:0], holder: h}}
}

func (p *pass) release() {
	p.sc.spans = p.f.spans
	p.sc.release(&p.set.scratches)
}

func (p *pass) find(text []byte) {
	p.sc.collect(p.set.x, text, behind(0), &p.f)
}

func (p *pass) count() (n counts) {
	for _, s := range p.f.spans {
		if p.f.holder.given(s.owner) {
			n.own++
		} else {
			n.foreign++
		}
	}
	return n
}

// marker is what takes the place of a value.
func (p *pass) marker(e *entry) string {
	l := e.first
	if p.f.holder != nil {
		if l = p.f.holder.label(e); l == nil {
			return foreignMarker
		}
	}
	return l.marker(p.set.x)
}

// replace returns a copy of text with a marker for each span.
func (p *pass) replace(text []byte) []byte {
	size := len(text)
	for _, s := range p.f.spans {
		size += len(p.marker(s.owner)) - (s.end - s.start)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, s := range p.f.spans {
		out = append(out, text[at:s.start]...)
		out = append(out, p.marker(s.owner)...)
		at = s.end
	}
	return append(out, text[at:]...)
}

// hasMarker reports whether something like a marker stands in t.
func hasMarker[T text](t T) bool {
	for at := 0; ; at++ {
		i := indexByte(t[at:], markerOpen[0])
		if i < 0 {
			return false
		}
		if at += i; hasAt(t, at, markerOpen) {
			return true
		}
	}
}

// edit replaces text[start:end].
type edit struct {
	start, end int
	text       string
}

// apply returns a copy of text with the edits made, which are sorted and do not overlap.
func apply(text []byte, edits []edit) []byte {
	size := len(text)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(text[at:])
	return out.Bytes()
}
