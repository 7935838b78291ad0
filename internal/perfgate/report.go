package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A report prints what was measured and keeps what missed its bar.
type report struct {
	options
	stage    stage
	out      io.Writer
	headline *outcome
	missed   []string
}

// A stage is one of the rounds that all parts go through.
type stage int

const (
	asserting stage = iota // whether the work is done at all
	counting               // what is exact
	measuring              // what takes time
)

// An outcome is a ratio beside its bar.
type outcome struct {
	id, name  string
	got       ratio
	bar, goal float64 // 0 for what is only reported
}

// missed is true when the bar is below the range: what noise can explain is no fault.
func (o outcome) missed() bool { return o.bar > 0 && o.got.low > o.bar }

func (o outcome) String() string {
	s := fmt.Sprintf("ratio=%.4g range95=[%.4g %.4g]", o.got.median, o.got.low, o.got.high)
	if o.bar == 0 {
		return s + " no bar"
	}
	s += fmt.Sprintf(" bar=%g", o.bar)
	if o.goal > 0 {
		s += fmt.Sprintf(" goal=%g", o.goal)
	}
	if o.missed() {
		return s + " FAIL"
	}
	return s + " PASS"
}

// shares is how many pairs share the budget, about.
const shares = 75

// measure measures a pair and adds it. Before that stage it only calls the candidate, once.
func (r *report) measure(p pair) ratio {
	if r.stage < measuring {
		if r.stage == asserting {
			p.candidate() // it panics if it does not do its work
		}
		return ratio{}
	}
	if r.self {
		p.candidate, p.scale, p.bar, p.goal = p.yardstick, 0, 0, 0
	}
	weight := time.Duration(max(1, p.weight))
	got := p.measure(r.budget * weight / shares)
	r.add(outcome{p.id, p.name, got, p.bar, p.goal})
	return got
}

func (r *report) add(o outcome) {
	if r.stage < measuring {
		return
	}
	if r.verbose {
		_, _ = fmt.Fprintf(r.out, "%-4s %-28s %s\n", o.id, o.name, o)
	}
	if o.missed() {
		r.missed = append(r.missed, o.id+" "+o.name)
	}
}

// lead adds the headline.
func (r *report) lead(o outcome) {
	r.add(o)
	if r.stage == measuring {
		r.headline = &o
	}
}

// count holds an exact figure, such as one of allocations, to its bar.
func (r *report) count(id, name string, of func() float64, bar float64, unit string) {
	if r.stage == counting {
		r.hold(id, name, of(), bar, unit)
	}
}

// clock holds a time to its bar: the median of several turns, each of which returns one.
func (r *report) clock(id, name string, turn func() float64, bar float64, unit string) {
	if r.stage < measuring || r.self {
		return
	}
	const turns = 9
	var each [turns]float64
	for i := range each {
		each[i] = turn()
	}
	r.hold(id, name, median(each[:]), bar, unit)
}

func (r *report) hold(id, name string, got, bar float64, unit string) {
	verdict := "PASS"
	if got > bar {
		verdict = "FAIL"
		r.missed = append(r.missed, id+" "+name)
	}
	if r.verbose {
		_, _ = fmt.Fprintf(r.out, "%-4s %-28s %.5g %s, bar %g %s\n", id, name, got, unit, bar, verdict)
	}
}

// counted names an item by a number.
func counted(name string, n int, what string) string { return fmt.Sprintf("%s, %d %s", name, n, what) }

// end prints the last lines.
func (r *report) end() bool {
	if len(r.missed) > 0 {
		_, _ = fmt.Fprintf(r.out, "missed: %s\n", strings.Join(r.missed, "; "))
	}
	if r.headline != nil {
		_, _ = fmt.Fprintln(r.out, *r.headline)
	}
	return len(r.missed) == 0
}
