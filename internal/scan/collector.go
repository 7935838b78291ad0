package scan

import "fmt"

// A Collector takes what belongs to one run of a workflow, one schedule or one
// standalone activity, piece by piece, so that it counts as one. It is not safe for concurrent use; several may
// be used at a time.
type Collector struct {
	scan *Scan
	w    *walker
}

// Run returns a Collector for a run.
func (s *Scan) Run(workflow Workflow) *Collector { return s.collector(subjectRun, workflow) }

// Schedule returns a Collector for a schedule.
func (s *Scan) Schedule(id string) *Collector {
	return s.collector(subjectSchedule, Workflow{ID: id})
}

// Activity returns a Collector for an activity without a workflow; w has its id, run
// and type.
func (s *Scan) Activity(w Workflow) *Collector { return s.collector(subjectActivity, w) }

func (s *Scan) collector(kind subject, workflow Workflow) *Collector {
	r := s.newRun(kind, "")
	r.workflow, r.fixed = workflow, true
	return &Collector{scan: s, w: newWalker(s, r)}
}

// Add looks at a document: a part of the history, in order, or a description. The
// error wraps [ErrDocument].
func (c *Collector) Add(doc []byte) error {
	c.scan.mu.Lock()
	c.scan.totals.Documents++
	c.scan.totals.Bytes += int64(len(doc))
	c.scan.mu.Unlock()
	if err := c.w.document(string(doc)); err != nil {
		return fmt.Errorf("%w: it %w", ErrDocument, err)
	}
	return nil
}

// End adds what was found to the scan. The Collector must not be used after it.
func (c *Collector) End() { c.scan.end(c.w.run) }
