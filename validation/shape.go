package validation

import (
	"regexp"
	"time"
)

// kind is what a value of the policy file must be.
type kind int

const (
	kindObject   kind = iota // a mapping with the keys of fields
	kindMap                  // a mapping with free keys, each value an item
	kindList                 // a sequence, each element an item
	kindString               // a string that format accepts
	kindInteger              // a whole number from min to max
	kindDecimal              // a number from 0.01 to max with at most two decimals
	kindBool                 // true or false
	kindEnum                 // one of words
	kindDate                 // a calendar day
	kindDuration             // "15m", up to max nanoseconds
	kindSize                 // "2GiB", up to max bytes
	kindVersion              // the number 1
)

// shape describes one value of the policy file. The loader, the JSON Schema and
// the key table of docs/policy.md are all made from the one tree of shapes that
// fileShape returns.
type shape struct {
	kind   kind
	fields []field // of an object
	item   *shape  // of a map or a list
	key    *format // of a map's keys
	format *format // of a string
	words  []string
	min    int64 // of an integer
	max    int64 // of a number, a duration or a size; a duration may be without one, which is 0
}

// field is a key of an object.
type field struct {
	name     string
	doc      string // one sentence for the reference and the schema
	shape    *shape
	required bool
	later    string // when set, the key is refused as not in this version, and this names what would need it
}

// format is what a string must look like. Its text completes "must be ".
type format struct {
	text    string
	pattern string // may be empty
	re      *regexp.Regexp
	check   func(string) bool
}

// field returns the field called name.
func (s *shape) field(name string) (field, bool) {
	for _, f := range s.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// names returns the keys of an object in the table's order.
func (s *shape) names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}

func object(fields ...field) *shape         { return &shape{kind: kindObject, fields: fields} }
func listOf(item *shape) *shape             { return &shape{kind: kindList, item: item} }
func mapOf(key *format, item *shape) *shape { return &shape{kind: kindMap, key: key, item: item} }
func text(f *format) *shape                 { return &shape{kind: kindString, format: f} }
func enum(words ...string) *shape           { return &shape{kind: kindEnum, words: words} }
func integer(least, most int) *shape {
	return &shape{kind: kindInteger, min: int64(least), max: int64(most)}
}
func decimal(most float64) *shape        { return &shape{kind: kindDecimal, max: int64(most)} }
func duration(most time.Duration) *shape { return &shape{kind: kindDuration, max: int64(most)} }
func size(most int64) *shape             { return &shape{kind: kindSize, max: most} }
func plain(k kind) *shape                { return &shape{kind: k} }
