package validation

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// value is a node of the policy file that the table accepted. The compiler reads
// values only: what it cannot find was either absent or is already a problem.
type value struct {
	at     place
	path   string
	keys   []string          // of a mapping, in the file's order
	fields map[string]*value // of a mapping
	keyAt  map[string]place  // of a mapping: where each key stands
	pairs  int               // of a mapping: how many there are, refused ones too
	items  []*value          // of a sequence; a refused element is nil
	text   string            // of every scalar
	number int64             // of an integer, of a size in bytes, of a duration in nanoseconds
	real   float64           // of a decimal
	truth  bool              // of a bool
	day    time.Time         // of a date
}

// get returns the value under name, nil when it is absent or was refused. It may
// be called on nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.fields[name]
}

// has reports whether the file has the key at all, accepted or not.
func (v *value) has(name string) bool {
	if v == nil {
		return false
	}
	_, ok := v.keyAt[name]
	return ok
}

// refused reports whether the file has the key with a value that was refused.
func (v *value) refused(name string) bool { return v.has(name) && v.get(name) == nil }

// isEmpty reports whether v is absent or a mapping without keys.
func (v *value) isEmpty() bool { return v == nil || v.pairs == 0 }

// str returns the text under name, "" when there is none.
func (v *value) str(name string) string {
	if f := v.get(name); f != nil {
		return f.text
	}
	return ""
}

// list returns the accepted elements under name.
func (v *value) list(name string) []*value {
	f := v.get(name)
	if f == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.items), func(i *value) bool { return i == nil })
}

// walker holds a document against the table.
type walker struct {
	problems *problems
}

// walk returns what it accepts of n, nil when n itself is of the wrong kind.
func (w *walker) walk(n *yaml.Node, s *shape, path string) *value {
	switch s.kind {
	case kindObject, kindMap:
		return w.mapping(n, s, path)
	case kindList:
		return w.sequence(n, s, path)
	case kindString, kindInteger, kindDecimal, kindBool, kindEnum, kindDate, kindDuration, kindSize, kindVersion:
		return w.scalar(n, s, path)
	}
	return nil
}

func (w *walker) mapping(n *yaml.Node, s *shape, path string) *value {
	at := placeOf(n)
	if n.Kind != yaml.MappingNode {
		w.problems.add(at, path, "must be a mapping, not %s", describe(n))
		return nil
	}
	v := &value{at: at, path: path, fields: map[string]*value{}, keyAt: map[string]place{}, pairs: len(n.Content) / 2}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		keyPath := join(path, showKey(key.Value, i/2))
		if !isStringNode(key) {
			w.problems.add(placeOf(key), keyPath, "the key must be a string, not %s", describe(key)+inQuotes(key))
			continue
		}
		if first, dup := v.keyAt[key.Value]; dup {
			w.problems.add(placeOf(key), keyPath, "stands here a second time, first in line %d", first.line)
			continue
		}
		v.keyAt[key.Value] = placeOf(key)
		childShape := w.keyShape(key, s, keyPath)
		if childShape == nil {
			continue
		}
		if accepted := w.walk(child, childShape, keyPath); accepted != nil {
			v.keys = append(v.keys, key.Value)
			v.fields[key.Value] = accepted
		}
	}
	for _, f := range s.fields {
		if f.required && !v.has(f.name) {
			w.problems.add(at, path, "must have the key %q", f.name)
		}
	}
	return v
}

// keyShape returns what the value under key must be, nil when the key itself is
// refused.
func (w *walker) keyShape(key *yaml.Node, s *shape, keyPath string) *shape {
	if s.kind == kindMap {
		if holdsCredential(key.Value) {
			w.problems.add(placeOf(key), keyPath, "the key must not hold a credential: write the name of the secret, and rotate this one")
			return nil
		}
		if !s.key.accepts(key.Value) {
			w.problems.add(placeOf(key), keyPath, "the key must be %s", s.key.text)
			return nil
		}
		return s.item
	}
	f, ok := s.field(key.Value)
	if !ok {
		w.problems.add(placeOf(key), keyPath, "is not a known key; %s", hint(key.Value, s.names()))
		return nil
	}
	if f.later != "" {
		w.problems.add(placeOf(key), keyPath, "is not in this version: it comes with %s", f.later)
	}
	return f.shape
}

func (w *walker) sequence(n *yaml.Node, s *shape, path string) *value {
	if n.Kind != yaml.SequenceNode {
		w.problems.add(placeOf(n), path, "must be a list, not %s: begin each element with a dash, or put them in brackets", describe(n))
		return nil
	}
	v := &value{at: placeOf(n), path: path, items: []*value{}}
	seen := map[string]int{}
	for i, child := range n.Content {
		itemPath := path + "[" + strconv.Itoa(i) + "]"
		item := w.walk(child, s.item, itemPath)
		if item != nil && item.text != "" {
			if first, dup := seen[item.text]; dup {
				w.problems.add(item.at, itemPath, "repeats element %d", first)
			}
			seen[item.text] = i
		}
		v.items = append(v.items, item)
	}
	return v
}

func (w *walker) scalar(n *yaml.Node, s *shape, path string) *value {
	v := &value{at: placeOf(n), path: path, text: n.Value}
	var ok bool
	want := ""
	switch s.kind {
	case kindString:
		want = "a string: " + s.format.text
		if ok = isStringNode(n); ok {
			want = s.format.text
			ok = s.format.accepts(n.Value)
		}
	case kindEnum:
		want = oneOf(s.words)
		ok = isStringNode(n) && slices.Contains(s.words, n.Value)
	case kindDate:
		want = "a calendar day such as 2027-03-31"
		v.day, ok = parseDay(n)
	case kindDuration:
		want = s.quantity()
		v.number, ok = parseDuration(n, s.max)
	case kindSize:
		want = s.quantity()
		v.number, ok = parseSize(n, s.max)
	case kindBool:
		want = "true or false"
		v.truth, ok = n.Value == "true", isPlain(n) && (n.Value == "true" || n.Value == "false")
	case kindInteger:
		want = "a whole number from " + strconv.FormatInt(s.min, 10) + " to " + strconv.FormatInt(s.max, 10)
		v.number, ok = parseWhole(n, s.max)
		ok = ok && v.number >= s.min
	case kindDecimal:
		want = s.quantity()
		v.real, ok = parseDecimal(n, s.max)
	case kindVersion:
		want = "the number 1"
		v.number, ok = parseWhole(n, 1)
		ok = ok && v.number == 1
	case kindObject, kindMap, kindList:
	}
	if s.kind == kindString && n.Kind == yaml.ScalarNode && holdsCredential(n.Value) {
		w.problems.add(v.at, path, "must not hold a credential: a policy file names secrets, it never holds one; write the name, and rotate this one")
		return nil
	}
	if !ok {
		w.problems.add(v.at, path, "must be %s%s", want, cmp.Or(butNot(n, want), s.format.advice(n.Value)))
		return nil
	}
	return v
}

// parseDay reads a day, quoted or not. YAML 1.2 has no timestamps, so a plain day
// is text as well.
func parseDay(n *yaml.Node) (time.Time, bool) {
	if n.Kind != yaml.ScalarNode {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, n.Value)
	return day, err == nil && day.Year() >= 2000
}
