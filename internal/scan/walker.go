package scan

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

// maxDepth bounds how deep values are followed. Readers of JSON end at 10,000.
const maxDepth = 1000

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
	// outer is true outside of events and descriptions, where an object may be one.
	outer bool
	// inside is true within the data of a payload and within texts, where names are
	// the user's.
	inside bool
}

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
	index := 0
	for more := c.enter(); more; index++ {
		w.enter(step{index: index, array: true})
		err := w.value(c, key)
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
	"workflowTaskToken": true, "conflictToken": true,
}

func (w *walker) object(c *cursor, key string) error {
	if w.outer {
		if done, err := w.known(c); done || err != nil {
			return err
		}
	}
	if done, err := w.payload(c, key); done || err != nil {
		return err
	}
	index, label := 0, ""
	for more := c.enter(); more; index++ {
		name, err := c.key()
		if err != nil {
			return err
		}
		steps := 1
		if !w.inside && wrappers[name] && len(w.path) > 0 {
			steps = 0
		} else {
			w.enter(step{key: name, index: index})
		}
		if len(name) >= minEncoded {
			w.name(name)
		}
		under := name
		switch {
		case !w.inside && handles[name]:
			under = ""
		case label != "" && isValueKey(name): // {"name": "API_TOKEN", "value": "…"}
			under = label
		}
		if isNameKey(name) && c.peek() == '"' {
			look := *c
			label, _ = look.str()
		}
		err = w.value(c, under)
		w.leave(steps)
		if err == nil {
			more, err = c.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isNameKey(name string) bool {
	return strings.EqualFold(name, "name") || strings.EqualFold(name, "key")
}
func isValueKey(name string) bool { return strings.EqualFold(name, "value") }

// name looks at the key of a map.
func (w *walker) name(s string) {
	for _, f := range validation.DetectCredentials(s) {
		w.found(f.Kind, s[f.Start:f.End])
	}
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
