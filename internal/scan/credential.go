package scan

import "time"

// maxRuns bounds the runs that are named of one credential.
const maxRuns = 10

// A credential is what the scan knows of one.
type credential struct {
	kind        string
	value       string
	count       int
	first, last time.Time
	places      map[Place]int
	runs        int
	running     int
	schedules   int
	activities  int
	documents   int
	samples     []sample
}

// A sample is a run, schedule or document that holds the credential.
type sample struct {
	kind     subject
	workflow Workflow
	source   string
	running  bool
}

// merge adds what was found in a run.
func (c *credential) merge(r *run, h *hit) {
	if c.value == "" {
		*c = credential{kind: h.kind, value: h.value, places: map[Place]int{}}
	}
	c.kind = clearer(c.kind, h.kind)
	c.count += h.count
	c.first = earlier(c.first, h.first)
	c.last = later(c.last, h.last)
	for at, n := range h.places {
		if _, known := c.places[at]; known || len(c.places) < maxPlaces {
			c.places[at] += n
		}
	}
	switch r.kind {
	case subjectRun:
		c.runs++
		if r.running {
			c.running++
		}
	case subjectSchedule:
		c.schedules++
	case subjectActivity:
		c.activities++
		if r.running {
			c.running++
		}
	case subjectDocument:
		c.documents++
	}
	// Running ones are named first: they are what has to be seen to.
	s := sample{kind: r.kind, workflow: r.workflow, source: r.source, running: r.running && (r.kind == subjectRun || r.kind == subjectActivity)}
	if len(c.samples) < maxRuns {
		c.samples = append(c.samples, s)
	} else if s.running {
		for i, old := range c.samples {
			if !old.running {
				c.samples[i] = s
				break
			}
		}
	}
}
