package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// textPlaces and textSamples are how many places and runs the text names. JSON has
// more.
const (
	textPlaces  = 8
	textSamples = 5
)

// writeText writes a report for people, most pressing finding first.
func writeText(w io.Writer, r scan.Report) error {
	b := &strings.Builder{}
	fmt.Fprintln(b, headline(r))
	for i, c := range r.Credentials {
		fmt.Fprintf(b, "\n%d. %s  %s\n", i+1, c.Kind, c.Fingerprint)
		row(b, "seen", seen(c))
		for j, p := range c.Places[:min(len(c.Places), textPlaces)] {
			row(b, label("places", j), place(p))
		}
		if more := len(c.Places) + c.MorePlaces - textPlaces; more > 0 {
			row(b, "", fmt.Sprintf("and %d more", more))
		}
		held := c.Samples[:min(len(c.Samples), textSamples)]
		for j, s := range held {
			row(b, label("held by", j), sample(s))
		}
		if more := c.Runs + c.Schedules + c.Activities + c.Documents - len(held); more > 0 {
			row(b, "", fmt.Sprintf("and %d more", more))
		}
		for j, a := range c.Next {
			row(b, label("next", j), fmt.Sprintf("%d. %s", j+1, a.Text))
			for line := range strings.Lines(a.Policy) {
				row(b, "", "     "+strings.TrimRight(line, "\n"))
			}
		}
	}
	if len(r.NotScanned)+len(r.Problems) > 0 {
		fmt.Fprintln(b, "\nThis is not all:")
	}
	for _, n := range r.NotScanned {
		fmt.Fprintf(b, "  not looked into: %s, %s\n", n.Reason, times(n.Count))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(b, "  %s\n", p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row writes one line of a finding.
func row(b *strings.Builder, name, text string) {
	fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("   %-9s%s", name, text), " "))
}

// label names the first row of several.
func label(name string, row int) string {
	if row > 0 {
		return ""
	}
	return name
}

func headline(r scan.Report) string {
	found := "No credential found"
	if n := len(r.Credentials); n > 0 {
		found = count(n, "credential")
	}
	s := found + " in " + count(r.Scanned.Runs, "workflow run") + fmt.Sprintf(" (%d running)", r.Scanned.Running)
	if r.Scanned.Activities > 0 {
		s = found + " in " + count(r.Scanned.Runs, "workflow run") + " and " + activities(r.Scanned.Activities) + fmt.Sprintf(" (%d running)", r.Scanned.Running)
	}
	if r.Scanned.Schedules > 0 {
		s += " and " + count(r.Scanned.Schedules, "schedule")
	}
	s += ": " + count(r.Scanned.Events, "event") + ", " + count(r.Scanned.Payloads, "payload")
	if r.Scanned.Runs+r.Scanned.Schedules+r.Scanned.Activities == 0 {
		s += ", " + count(r.Scanned.Documents, "document")
	}
	if r.Scanned.OtherFiles > 0 {
		s += "; " + count(r.Scanned.OtherFiles, "file") + " left out, named neither .json nor .jsonl"
	}
	return s
}

func seen(c scan.Credential) string {
	s := times(c.Count)
	var held []string
	if c.Runs > 0 {
		held = append(held, count(c.Runs, "run"))
	}
	if c.Activities > 0 {
		held = append(held, activities(c.Activities))
	}
	if len(held) > 0 {
		s += " in " + strings.Join(held, " and ") + fmt.Sprintf(", %d of them running", c.Running)
	}
	if c.Schedules > 0 {
		s += ", in " + count(c.Schedules, "schedule")
	}
	if c.Documents > 0 {
		s += ", in " + count(c.Documents, "other document")
	}
	if !c.FirstSeen.IsZero() {
		s += ", first " + c.FirstSeen.UTC().Format(time.RFC3339) + ", last " + c.LastSeen.UTC().Format(time.RFC3339)
	}
	return s
}

func place(p scan.Counted) string {
	s := p.String()
	if p.Queue != "" {
		s += " on " + p.Queue
	}
	return s + ", " + times(p.Count)
}

func sample(s scan.Sample) string {
	var parts []string
	switch {
	case s.ScheduleID != "":
		parts = append(parts, "schedule "+s.ScheduleID)
	case s.ActivityID != "":
		parts = append(parts, "activity "+strings.TrimSpace(s.Type+" "+s.ActivityID))
	case s.WorkflowID != "":
		parts = append(parts, strings.TrimSpace(s.Type+" "+s.WorkflowID))
	}
	if s.RunID != "" {
		parts = append(parts, "run "+s.RunID)
	}
	if s.Source != "" {
		parts = append(parts, s.Source)
	}
	if s.Running {
		parts = append(parts, "running")
	}
	if len(parts) == 0 {
		return "a document"
	}
	return strings.Join(parts, ", ")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func activities(n int) string {
	if n == 1 {
		return "1 standalone activity"
	}
	return fmt.Sprintf("%d standalone activities", n)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
