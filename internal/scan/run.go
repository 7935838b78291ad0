package scan

import (
	"strings"
	"time"
)

// Workflow names a run. Its fields are as they came and may hold anything.
type Workflow struct {
	ID    string
	RunID string
	Type  string
}

// A subject is what a credential belongs to.
type subject int

const (
	subjectDocument subject = iota // of unknown form
	subjectRun
	subjectSchedule
	subjectActivity // without a workflow
)

// A run collects what is found in one run of a workflow, a schedule, a standalone
// activity or another document, so that the whole scan need not remember which runs it has seen.
type run struct {
	kind     subject
	workflow Workflow
	source   string // the file that it came from
	running  bool
	fixed    bool // what comes belongs to this run, whatever it says
	events   int
	payloads int
	found    int
	// names are what scheduled events are about, for the events that refer to them.
	names   map[string]Place
	hits    map[fingerprint]*hit
	skipped map[string]int
	prints  fingerprinter
}

// A hit is a credential in a run.
type hit struct {
	kind        string
	value       string
	count       int
	first, last time.Time
	places      map[Place]int
}

// maxPlaces bounds the places that are remembered of one credential.
const maxPlaces = 100

// add records a credential.
func (r *run) add(kind, value string, at Place, seen string) {
	r.found++
	value = strings.TrimSpace(value)
	mark := r.prints.of(value)
	h := r.hits[mark]
	if h == nil {
		if r.hits == nil {
			r.hits = map[fingerprint]*hit{}
		}
		h = &hit{kind: kind, value: strings.Clone(value), places: map[Place]int{}}
		r.hits[mark] = h
	}
	h.kind = clearer(h.kind, kind)
	h.count++
	if when, err := time.Parse(time.RFC3339, seen); err == nil {
		h.first, h.last = earlier(h.first, when), later(h.last, when)
	}
	if _, known := h.places[at]; known || len(h.places) < maxPlaces {
		h.places[at]++
	}
}

// unclear is the kind of a value that is known by nothing but its name.
const unclear = "random secret"

// clearer returns the kind that says more.
func clearer(a, b string) string {
	if a == unclear {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// skip counts something that was not scanned.
func (r *run) skip(reason string) {
	if r.skipped == nil {
		r.skipped = map[string]int{}
	}
	r.skipped[reason]++
}

// place makes the place of an event, and remembers what later events refer to.
func (r *run) place(id, typ string, attributes map[string]string) Place {
	at := Place{Event: typ}
	switch typ {
	case "WorkflowExecutionStarted":
		r.workflow = Workflow{
			ID:    first(r.workflow.ID, unquoted(attributes["workflowId"])),
			RunID: first(r.workflow.RunID, unquoted(attributes["originalExecutionRunId"]), unquoted(attributes["firstExecutionRunId"])),
			Type:  first(r.workflow.Type, unquoted(fieldOf(attributes["workflowType"], "name"))),
		}
		at.Name = shown(r.workflow.Type)
		return at
	case "ActivityTaskScheduled":
		at.Queue = shown(unquoted(fieldOf(attributes["taskQueue"], "name")))
	}
	at.Name = shown(first(
		unquoted(fieldOf(attributes["activityType"], "name")), unquoted(fieldOf(attributes["workflowType"], "name")),
		unquoted(attributes["signalName"]), unquoted(attributes["markerName"]), unquoted(attributes["operation"]),
	))
	if at.Name != "" {
		if r.names == nil {
			r.names = map[string]Place{}
		}
		r.names[id] = at
		return at
	}
	if about, ok := r.names[unquoted(first(attributes["scheduledEventId"], attributes["initiatedEventId"]))]; ok {
		at.Name = about.Name
	} else if strings.HasPrefix(typ, "WorkflowExecution") {
		at.Name = shown(r.workflow.Type)
	}
	return at
}
