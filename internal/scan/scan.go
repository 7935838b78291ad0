package scan

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"go.temporal.io/sdk/converter"
)

// maxCredentials bounds the credentials that one scan tells apart. Further ones
// make it incomplete.
const maxCredentials = 1000

// maxProblems bounds the problems that one scan remembers.
const maxProblems = 50

// Scan collects findings. Make one with [New]. Its methods may be called by several
// goroutines at once. What it holds grows with the number of credentials and not
// with what it has read.
type Scan struct {
	key   key
	codec converter.PayloadCodec // nil is none

	mu          sync.Mutex
	totals      Totals
	credentials map[fingerprint]*credential
	omitted     int // occurrences beyond maxCredentials
	skipped     map[string]int
	problems    []string
	troubled    int
}

// New returns a Scan with a key of its own.
func New() *Scan {
	return &Scan{key: newKey(), credentials: map[fingerprint]*credential{}, skipped: map[string]int{}}
}

// Documents reads JSON documents from r until it ends: histories, single events,
// descriptions of workflows and schedules, and lists of them. The source is the
// name of the file, "" when there is none.
//
// The error is that of r, or one that wraps [ErrDocument] for what is no JSON; what
// came before it counts. It is also recorded as a problem of the scan.
func (s *Scan) Documents(source string, r io.Reader) error {
	counted := &counter{r: r}
	docs := documents{src: counted}
	w := newWalker(s, s.newRun(subjectDocument, source))
	defer func() {
		s.end(w.run)
		s.mu.Lock()
		s.totals.Bytes += counted.n
		s.mu.Unlock()
	}()
	for number := 1; ; number++ {
		doc, err := docs.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = w.document(string(doc))
		}
		if err != nil {
			if errors.Is(err, errSyntax) {
				err = fmt.Errorf("%w: document %d %w", ErrDocument, number, err)
			}
			s.Problem(source, err)
			return err
		}
		s.mu.Lock()
		s.totals.Documents++
		s.mu.Unlock()
	}
}

// document walks one document.
func (w *walker) document(doc string) error {
	w.context, w.seen, w.path, w.outer = Place{Event: "document"}, "", w.path[:0], true
	w.room = maxUnpacked
	c := cursor{s: doc}
	return w.value(&c, "")
}

// newRun returns a run to collect in.
func (s *Scan) newRun(kind subject, source string) *run {
	return &run{kind: kind, source: source, prints: s.key.fingerprinter()}
}

// begin ends what the walker was at and goes on with something else, unless
// everything that comes belongs together.
func (s *Scan) begin(w *walker, kind subject) {
	if w.run.fixed {
		return
	}
	s.end(w.run)
	w.run = s.newRun(kind, w.run.source)
}

// end adds what was found in a run to the scan.
func (s *Scan) end(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totals.Events += r.events
	s.totals.Payloads += r.payloads
	switch r.kind {
	case subjectRun:
		s.totals.Runs++
		if r.running {
			s.totals.Running++
		}
	case subjectSchedule:
		s.totals.Schedules++
	case subjectActivity:
		s.totals.Activities++
		if r.running {
			s.totals.Running++
		}
	case subjectDocument:
	}
	for reason, n := range r.skipped {
		if _, known := s.skipped[reason]; !known && len(s.skipped) >= maxProblems {
			reason = "other encodings"
		}
		s.skipped[reason] += n
	}
	for mark, h := range r.hits {
		c := s.credentials[mark]
		if c == nil {
			if len(s.credentials) >= maxCredentials {
				s.omitted += h.count
				continue
			}
			c = &credential{}
			s.credentials[mark] = c
		}
		c.merge(r, h)
	}
}

// Problem records that something could not be read, which makes the scan
// incomplete.
func (s *Scan) Problem(source string, err error) {
	text := shown(err.Error())
	if source != "" {
		text = shown(source) + ": " + text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubled++
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, text)
	}
}

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
