package redact_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// dictionary checks what comes out of a job that prints candidates, one a line, as it is written: each stays as it
// is, but for those of others, which all become the same, and the job's own, which shows its name.
type dictionary struct {
	next   func() string // the line that has to come
	rest   []byte        // of a line that is not complete yet
	lines  int
	differ string // the first that came out otherwise
}

func (d *dictionary) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	done := 0
	for {
		size := bytes.IndexByte(d.rest[done:], '\n')
		if size < 0 {
			break
		}
		line := d.rest[done : done+size]
		if want := d.next(); string(line) != want && d.differ == "" {
			d.differ = fmt.Sprintf("line %d is %q, want %q", d.lines, line, want)
		}
		d.lines++
		done += size + 1
	}
	d.rest = append(d.rest[:0], d.rest[done:]...)
	return len(p), nil
}

// candidates are lines that a job prints to learn what others have: made-up values, among them at random a few that
// others have and its own. They are the same for each seed, so that what is expected need not be kept.
type candidates struct {
	rnd    *rand.Rand
	others []string
	own    string
	line   []byte
	// What the last one is.
	foreign, mine bool
}

const (
	candidateSize  = 12
	candidateChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
)

func newCandidates(others []string, own string) *candidates {
	return &candidates{rnd: rand.New(rand.NewPCG(21, 22)), others: others, own: own, line: make([]byte, candidateSize)}
}

func (c *candidates) next() []byte {
	bits := c.rnd.Uint64()
	c.foreign, c.mine = bits%10_007 == 0, bits%100_003 == 1
	switch {
	case c.foreign:
		return []byte(c.others[c.rnd.IntN(len(c.others))])
	case c.mine:
		return []byte(c.own)
	}
	for i := range c.line {
		c.line[i] = candidateChars[bits>>(5*i)&31]
	}
	return c.line
}

// TestTenMillionCandidates prints a dictionary through the writer of a job. What comes out tells that some of it are
// values of others, and nothing of which job, under which name or how long, also by how a line differs from others;
// and the job's holder has counted each.
func TestTenMillionCandidates(t *testing.T) {
	total := 10_000_000
	if raceDetector {
		total = 300_000 // one goroutine writes all of it
	}
	set, _ := clocked()
	mine := set.NewHolder()
	const own = "value-of-this-job-1"
	give(t, mine, "env:MINE", own)
	var others []string
	for i := range 200 {
		other, value := set.NewHolder(), randomText(8+i%60, uint64(700+i))
		give(t, other, fmt.Sprint("env:THEIRS_", i), value)
		others = append(others, value)
		if i%3 == 0 {
			other.End() // a job that is done has left its values
		}
	}
	var ownHits, foreignHits uint64
	expected := newCandidates(others, own)
	out := &dictionary{next: func() string {
		line := expected.next()
		switch {
		case expected.foreign:
			foreignHits++
			return "[redacted]"
		case expected.mine:
			ownHits++
			return "[redacted:env:MINE]"
		}
		return string(line)
	}}
	w := mine.NewWriter(out)
	printed, buf := newCandidates(others, own), make([]byte, 0, 64<<10)
	for i := range total {
		buf = append(append(buf, printed.next()...), '\n')
		if len(buf) > 60<<10 || i == total-1 {
			if _, err := w.Write(buf); err != nil {
				t.Fatal(err)
			}
			buf = buf[:0]
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.differ != "" || out.lines != total || len(out.rest) > 0 {
		t.Errorf("%d lines of %d came out: %s", out.lines, total, out.differ)
	}
	if foreignHits < 20 || ownHits == 0 {
		t.Errorf("%d values of others and %d of its own were printed: too few", foreignHits, ownHits)
	}
	if own, foreign := mine.Hits(); own != ownHits || foreign != foreignHits {
		t.Errorf("Hits() = %d, %d, want %d, %d", own, foreign, ownHits, foreignHits)
	}
	t.Logf("%d candidates: %d values of others, %d of its own", total, foreignHits, ownHits)
}
