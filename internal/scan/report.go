package scan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// Report is what a scan found. It holds no value, and its JSON form is a contract:
// fields are added and never change their meaning.
type Report struct {
	// Version is the version of the form, 1.
	Version int `json:"version"`
	// Complete is false when something could not be read or not be looked into.
	Complete bool `json:"complete"`
	// Scanned counts what was read.
	Scanned Totals `json:"scanned"`
	// Credentials are the findings, those that running workflows hold first.
	Credentials []Credential `json:"credentials"`
	// NotScanned counts what could not be looked into, by reason.
	NotScanned []NotScanned `json:"not_scanned"`
	// Problems says in words what could not be read, up to 50 of them.
	Problems []string `json:"problems"`
}

// Totals counts what a scan has read.
type Totals struct {
	Documents int `json:"documents"`
	Runs      int `json:"runs"`
	Running   int `json:"running"` // of Runs and Activities, those that had not ended
	Schedules int `json:"schedules"`
	// Activities are those without a workflow.
	Activities int   `json:"activities"`
	Events     int   `json:"events"`
	Payloads   int   `json:"payloads"`
	Bytes      int64 `json:"bytes"` // of JSON
	// OtherFiles are files in directories that were left out by their names.
	OtherFiles int `json:"other_files"`
}

// Credential is one finding.
type Credential struct {
	// Fingerprint tells it apart from others in this report. It is made under a key
	// that is dropped with the scan: another scan gives the same value another one.
	Fingerprint string `json:"fingerprint"`
	// Rule is the kind as an id, Kind in words: "github-token", "GitHub token".
	Rule string `json:"rule"`
	Kind string `json:"kind"`
	// Count is how often it occurs.
	Count int `json:"count"`
	// FirstSeen and LastSeen are times of events, zero when no event holds it.
	FirstSeen time.Time `json:"first_seen,omitzero"`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	// Runs, Schedules, Activities and Documents count what holds it, Running the runs
	// and activities that had not ended. A run that was given twice counts twice.
	Runs       int `json:"runs"`
	Running    int `json:"running"`
	Schedules  int `json:"schedules"`
	Activities int `json:"activities"` // without a workflow
	Documents  int `json:"documents"`  // of another form
	// Samples name up to ten of them, running ones first.
	Samples []Sample `json:"samples"`
	// Places are up to 20, the most frequent first; MorePlaces counts the others, of
	// at most 100 that are told apart.
	Places     []Counted `json:"places"`
	MorePlaces int       `json:"more_places"`
	// Next says what to do, in this order.
	Next []Advice `json:"next"`
}

// Sample names something that holds a credential.
type Sample struct {
	WorkflowID string `json:"workflow_id,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	Type       string `json:"type,omitempty"`
	ScheduleID string `json:"schedule_id,omitempty"`
	ActivityID string `json:"activity_id,omitempty"` // of one without a workflow
	Source     string `json:"source,omitempty"`      // the file
	Running    bool   `json:"running"`
}

// Counted is a place and how often the credential occurs there.
type Counted struct {
	Place
	Count int `json:"count"`
}

// NotScanned counts what could not be looked into.
type NotScanned struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// shownPlaces is how many places a report names of one credential.
const shownPlaces = 20

// Report returns what was found up to now. A run that is being read is not part of
// it. The Scan can be used further.
func (s *Scan) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Report{
		Version: 1, Complete: s.troubled == 0 && len(s.skipped) == 0 && s.omitted == 0, Scanned: s.totals,
		Credentials: []Credential{}, NotScanned: []NotScanned{}, Problems: []string{},
	}
	names := s.masker()
	for mark, c := range s.credentials {
		r.Credentials = append(r.Credentials, c.report(mark, names))
	}
	slices.SortFunc(r.Credentials, func(a, b Credential) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(b.Runs, a.Runs), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Rule, b.Rule), a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	for _, reason := range slices.Sorted(maps.Keys(s.skipped)) {
		r.NotScanned = append(r.NotScanned, NotScanned{names(reason), s.skipped[reason]})
	}
	for _, p := range s.problems {
		r.Problems = append(r.Problems, names(p))
	}
	if more := s.troubled - len(s.problems); more > 0 {
		r.Problems = append(r.Problems, fmt.Sprintf("and %d more problems", more))
	}
	if s.omitted > 0 {
		r.Problems = append(r.Problems, fmt.Sprintf("more than %d different credentials: %d further occurrences are not listed", maxCredentials, s.omitted))
	}
	return r
}

// masker returns a function that hides every value that was found in a name. A
// name may hold one that has no form of its own, and was known by the field that
// it stood in elsewhere.
func (s *Scan) masker() func(string) string {
	hidden := redact.NewSet()
	for mark, c := range s.credentials {
		if hidden.Add(mark.String(), c.value) != nil {
			_ = hidden.AddShort(mark.String(), c.value) // what names are full of stays in them
		}
	}
	return func(name string) string {
		out, hits := hidden.String(shown(name))
		if hits > 0 {
			return masked
		}
		return out
	}
}

// report makes the report of a credential.
func (c *credential) report(mark fingerprint, names func(string) string) Credential {
	out := Credential{
		Fingerprint: mark.String(), Rule: RuleID(c.kind), Kind: c.kind, Count: c.count, FirstSeen: c.first, LastSeen: c.last,
		Runs: c.runs, Running: c.running, Schedules: c.schedules, Activities: c.activities, Documents: c.documents, Samples: []Sample{},
	}
	merged := map[Place]int{}
	for at, n := range c.places {
		at.Event, at.Name, at.Queue, at.Field, at.Path = names(at.Event), names(at.Name), names(at.Queue), names(at.Field), maskedPath(at.Path, names)
		merged[at] += n
	}
	for at, n := range merged {
		out.Places = append(out.Places, Counted{at, n})
	}
	slices.SortFunc(out.Places, func(a, b Counted) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.String(), b.String()), strings.Compare(a.Queue, b.Queue))
	})
	out.Next = c.advice(out.Places)
	if len(out.Places) > shownPlaces {
		out.MorePlaces = len(out.Places) - shownPlaces
		out.Places = out.Places[:shownPlaces]
	}
	for _, s := range c.samples {
		shown := Sample{RunID: names(s.workflow.RunID), Type: names(s.workflow.Type), Source: names(s.source), Running: s.running}
		switch id := names(s.workflow.ID); s.kind {
		case subjectSchedule:
			shown.ScheduleID = id
		case subjectActivity:
			shown.ActivityID = id
		case subjectRun, subjectDocument:
			shown.WorkflowID = id
		}
		out.Samples = append(out.Samples, shown)
	}
	slices.SortStableFunc(out.Samples, func(a, b Sample) int {
		return cmp.Or(-compareBool(a.Running, b.Running), strings.Compare(a.WorkflowID, b.WorkflowID), strings.Compare(a.RunID, b.RunID),
			strings.Compare(a.ScheduleID, b.ScheduleID), strings.Compare(a.ActivityID, b.ActivityID), strings.Compare(a.Source, b.Source))
	})
	return out
}

// maskedPath masks the segments of a path that hold a value.
func maskedPath(path string, names func(string) string) string {
	segments := strings.Split(path, "/")
	for i, seg := range segments {
		segments[i] = names(seg)
	}
	if path = strings.Join(segments, "/"); names(path) == masked {
		return "/" + masked
	}
	return path
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// RuleID returns the id of a kind of credential: "github-token" for "GitHub token".
func RuleID(kind string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(kind), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
