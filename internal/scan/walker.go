package scan

import "strings"

const (
	// maxDepth bounds how deep values are followed. Readers of JSON end at 10,000.
	maxDepth = 1000
	// maxOuter bounds how deep events and descriptions are looked for: to know one
	// all of it is looked at, which deeper down would cost the depth times the size.
	maxOuter = 16
)

// wrappers are levels that protobuf puts between a field and what it holds.
var wrappers = map[string]bool{"payloads": true, "fields": true, "indexedFields": true}

// A walker goes through one document.
type walker struct {
	scan    *Scan
	run     *run
	context Place  // what is being looked at
	seen    string // when that was written, as it stands there
	path    []step // within it
	nested  int    // texts within texts
	depth   int
	room    int64 // what compressed data may still become, in bytes
	// clean are keys of objects that were looked at and hold nothing.
	clean map[string]bool
	// outer is true outside of events and descriptions, where an object may be one.
	outer bool
	// inside is true within the data of a payload and within texts, where names are
	// the user's.
	inside bool
}

func newWalker(s *Scan, r *run) *walker { return &walker{scan: s, run: r, clean: map[string]bool{}} }

func (w *walker) enter(steps ...step) { w.path = append(w.path, steps...) }
func (w *walker) leave(n int)         { w.path = w.path[:len(w.path)-n] }

// value looks at the value at the cursor, which stands under key.
func (w *walker) value(c *cursor, key string) error {
	switch c.peek() {
	case '{':
		return w.deeper(c, key, w.object)
	case '[':
		return w.deeper(c, key, w.array)
	case '"':
		s, err := c.str()
		if err == nil {
			w.text(key, s)
		}
		return err
	case 0:
		return errSyntax
	}
	return c.scalar()
}

func (w *walker) deeper(c *cursor, key string, walk func(*cursor, string) error) error {
	if w.depth >= maxDepth {
		w.run.skip(reasonDepth)
		_, err := c.skip()
		return err
	}
	w.depth++
	err := walk(c, key)
	w.depth--
	return err
}

func (w *walker) array(c *cursor, key string) error {
	index, before := 0, ""
	for more := c.enter(); more; index++ {
		w.enter(step{index: index, array: true})
		under := argumentKey(key, before)
		before = ""
		if c.peek() == '"' {
			look := *c
			before, _ = look.str()
		}
		err := w.value(c, under)
		w.leave(1)
		if err == nil {
			more, err = c.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// handles are fields of the server's own whose names sound like credentials.
// They are handles that it makes and takes back.
var handles = map[string]bool{
	"operationToken": true, "taskToken": true, "nextPageToken": true, "temporal-callback-token": true,
	"workflowTaskToken": true, "conflictToken": true, "longPollToken": true,
}

func (w *walker) object(c *cursor, key string) error {
	if w.outer && w.depth <= maxOuter {
		if done, err := w.known(c); done || err != nil {
			return err
		}
	}
	var o waiting
	for more := c.enter(); more; o.next++ {
		name, err := c.key()
		if err != nil {
			return err
		}
		holds := w.name(name, o.next)
		if isNameKey(name) && c.peek() == '"' {
			look := *c
			o.label, _ = look.str()
		}
		if !o.hold(c, name) { // the names that are held hold nothing
			err = w.member(c, &o, member{name: name, index: o.next, secret: holds})
		}
		if err == nil {
			more, err = c.next()
		}
		if err != nil {
			return err
		}
	}
	w.payload(&o, key)
	for _, m := range o.held[:o.count] {
		look := cursor{s: m.raw}
		if err := w.member(&look, &o, m); err != nil {
			return err
		}
	}
	return nil
}

// member looks at a member of an object, whose value is at the cursor.
func (w *walker) member(c *cursor, o *waiting, m member) error {
	under := w.nameOf(m.name)
	if o.label != "" && isValueKey(m.name) { // {"name": "API_TOKEN", "value": "…"}
		under = o.label
	}
	if !w.inside && wrappers[m.name] && len(w.path) > 0 {
		return w.value(c, under)
	}
	w.enter(step{key: m.name, index: m.index, hidden: m.secret})
	err := w.value(c, under)
	w.leave(1)
	return err
}

// nameOf is the name that the value of a member stands under.
func (w *walker) nameOf(member string) string {
	if !w.inside && handles[member] {
		return ""
	}
	return member
}

// maxClean bounds the keys that are remembered.
const maxClean = 1000

// name looks at the key of a map, the index-th one, as at any other text, and reports
// whether it holds a credential. Most keys come again and again.
func (w *walker) name(s string, index int) (holds bool) {
	if len(s) < minText || len(s) < minEncoded && isArgumentName(s) || w.clean[s] {
		return false
	}
	before := w.run.found
	w.enter(step{index: index, hidden: true}, step{key: "(key)", word: true})
	w.within(func() { w.text("", s) })
	w.leave(2)
	if w.run.found > before {
		return true
	}
	if len(w.clean) < maxClean && len(s) <= maxName {
		w.clean[strings.Clone(s)] = true
	}
	return false
}

// found records a credential where the walker is.
func (w *walker) found(kind, value string) {
	w.run.add(kind, value, placeOf(w.context, w.path), w.seen)
}

// within walks as one does in the user's own data.
func (w *walker) within(walk func()) {
	before := w.inside
	w.inside = true
	walk()
	w.inside = before
}
