package scan

import (
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/validation"
)

// Place says where in a history or description a credential stands. The zero
// Place is the whole of a document of unknown form. Nothing in it is a value.
type Place struct {
	// Event is the type of the event, such as ActivityTaskScheduled, or "describe",
	// "pending activity", "activity" for one without a workflow, "schedule" or
	// "document".
	Event string `json:"event"`
	// Name is what the event is about: the type of the activity or workflow, the
	// name of the signal or update. Empty where there is none.
	Name string `json:"name,omitempty"`
	// Queue is the task queue that an activity was scheduled on, in a workflow or
	// without one.
	Queue string `json:"queue,omitempty"`
	// Field is the field of the event: input, result, failure, memo.
	Field string `json:"field,omitempty"`
	// Path is the JSON pointer from there on. For inputs its first segment is the
	// index of the argument, as in the policy file. "(text)" stands where a text
	// holds more JSON, "(key)" for the key of a map itself, and a word such as
	// "(base64)", "(hex)", "(percent)", "(escape)", "(colour)", "(utf-16)" or "(gzip)"
	// where it was decoded.
	Path string `json:"path,omitempty"`
}

// String returns the place in one line.
func (p Place) String() string {
	var parts []string
	for _, s := range []string{p.Event, p.Name, p.Field + p.Path} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// A step leads from an object to a member, or from an array to an element.
type step struct {
	key   string
	index int // of the element, or of the member among its siblings as they stand
	array bool
	// word is true of what the scan says itself, such as "(text)".
	word bool
	// hidden is true of a key that holds a credential in some form.
	hidden bool
}

// String returns the step as a report may show it: a key only when nothing in it may
// be a secret, else its index.
func (s step) String() string {
	switch {
	case s.word:
		return s.key
	case s.array, s.hidden, isRandom(s.key):
		return strconv.Itoa(s.index)
	}
	return validation.SafeSegment(s.key, s.index)
}

// isRandom reports whether a name looks as if it was made by a generator, so that it
// would pass for a secret under the name of one.
func isRandom(name string) bool { return validation.DetectNamed("secret", name) != nil }

// placeOf makes the place of a path within what the context speaks of.
func placeOf(context Place, path []step) Place {
	p := context
	var b strings.Builder
	for _, s := range path {
		if p.Field == "" {
			p.Field = s.String()
			continue
		}
		b.WriteString("/" + s.String())
	}
	p.Path = b.String()
	return p
}

// maxName is how much of a name is shown.
const maxName = 200

// shown returns a name as a report may show it: without what cannot be printed,
// and not at all when something in it has the form of a credential.
func shown(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if len(validation.DetectCredentials(name)) > 0 {
		return masked
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}

// shownEncoding returns the name of an encoding as a report may show it. They read like
// the type of a document, and anybody may make one up.
func shownEncoding(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if (step{key: part, index: -1}).String() != part {
			return masked
		}
	}
	return name
}

// masked stands for a name that holds a credential.
const masked = "(hidden)"
