package interceptor

import (
	"fmt"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestJobsForgetWhatIsWorthNothing: a workflow that runs for months holds neither
// its former leases nor the values that were rotated out long ago.
func TestJobsForgetWhatIsWorthNothing(t *testing.T) {
	start := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	var j jobs
	j.note("job", given{told: told{"static", "s"}}, start)
	j.note("job", given{told: told{"leased", "l"}, ends: start.Add(time.Hour)}, start)
	names := func(now time.Time) (out []string) {
		for _, g := range j.of("job", now) {
			out = append(out, g.name)
		}
		return out
	}
	for _, tc := range []struct {
		after time.Duration
		want  string
	}{
		{time.Hour + redact.LeaseRetention, "[static leased]"},
		{time.Hour + redact.LeaseRetention + time.Second, "[static]"},
		{redact.Retention, "[static]"},
		{redact.Retention + time.Second, "[]"},
	} {
		if got := fmt.Sprint(names(start.Add(tc.after))); got != tc.want {
			t.Errorf("after %v: %s, want %s", tc.after, got, tc.want)
		}
	}
	for i := range 2 * maxGiven {
		j.note("job", given{told: told{"n", fmt.Sprint(i)}}, start)
	}
	if got := j.of("job", start); len(got) != maxGiven || got[len(got)-1].value != fmt.Sprint(2*maxGiven-1) {
		t.Errorf("%d values are remembered, want the newest %d", len(got), maxGiven)
	}
	// What is given again is new again, and stands once.
	oldest := j.of("job", start)[0]
	j.note("job", oldest, start.Add(time.Minute))
	if got := j.of("job", start); len(got) != maxGiven || got[len(got)-1].value != oldest.value || !got[len(got)-1].at.After(start) {
		t.Errorf("given again: %d values, the newest is not the one", len(got))
	}
}
