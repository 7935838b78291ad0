package main

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// A period is a flag such as "14d", "2w" or "36h".
type period struct {
	time.Duration
	set bool
}

// Set implements flag.Value.
func (p *period) Set(s string) error {
	const day = 24 * time.Hour
	unit := map[string]time.Duration{"d": day, "w": 7 * day}[s[max(0, len(s)-1):]]
	d, err := time.ParseDuration(s)
	if unit > 0 {
		var n int
		n, err = strconv.Atoi(strings.TrimRight(s, "dw"))
		d = time.Duration(n) * unit
	}
	const longest = 100 * 365 * day
	if err != nil || d < 0 || d > longest {
		return errors.New(`must be a time such as "14d", "2w" or "36h"`)
	}
	p.Duration, p.set = d, true
	return nil
}

// String implements flag.Value.
func (p *period) String() string {
	if p == nil || !p.set {
		return ""
	}
	return p.Duration.String()
}

// A day is a flag such as "2027-03-31", midnight UTC at its beginning.
type day struct{ time.Time }

// Set implements flag.Value.
func (d *day) Set(s string) error {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return errors.New("must be a day such as 2027-03-31")
	}
	d.Time = t
	return nil
}

// String implements flag.Value.
func (d *day) String() string {
	if d == nil || d.IsZero() {
		return ""
	}
	return d.Format(time.DateOnly)
}

// or returns the day, or now when none was given.
func (d *day) or(now time.Time) time.Time {
	if d.IsZero() {
		return now
	}
	return d.Time
}
