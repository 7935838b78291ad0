package redact_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// clock is a time that stands still until a test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func clocked() (*redact.Set, *clock) {
	c := &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	set := redact.NewSet()
	set.Now = c.now
	return set, c
}

func give(tb testing.TB, h *redact.Holder, name, value string) {
	tb.Helper()
	if err := h.Add(name, value); err != nil {
		tb.Fatal(err)
	}
}

// TestDictionary prints what could be the values of another job: no name tells which of them are.
func TestDictionary(t *testing.T) {
	set, _ := clocked()
	mine, other := set.NewHolder(), set.NewHolder()
	give(t, mine, "mine", "value-of-this-job-1")
	give(t, mine, "shared/mine", "value-of-both-jobs-2")
	give(t, other, "theirs", "value-of-the-other-3")
	give(t, other, "shared/theirs", "value-of-both-jobs-2")
	if err := set.Add("nobody's", "value-of-nobody-4444"); err != nil {
		t.Fatal(err)
	}
	const in = "value-of-this-job-1 value-of-both-jobs-2 value-of-the-other-3 value-of-nobody-4444 dmFsdWUtb2YtdGhlLW90aGVyLTM="
	tests := []struct {
		name         string
		text         func(string) (string, int)
		want, reason string
	}{
		{"one", mine.String, "[redacted:mine] [redacted:shared/mine] [redacted] [redacted] [redacted]=", "it was given two of them"},
		{"other", other.String, "[redacted] [redacted:shared/theirs] [redacted:theirs] [redacted] [redacted:theirs]=", "it was given two others"},
		{"set", set.String, "[redacted:mine] [redacted:shared/mine] [redacted:theirs] [redacted:nobody's] [redacted:theirs]=", "a net without a job shows all"},
	}
	for _, tt := range tests {
		tt.want = strings.ReplaceAll(tt.want, "'", "_")
		got, hits := tt.text(in)
		if got != tt.want || hits != 5 {
			t.Errorf("%s: %q, %d, want %q, 5: %s", tt.name, got, hits, tt.want, tt.reason)
		}
		if again, hits := tt.text(got); again != got || hits != 0 {
			t.Errorf("%s: redacted again, %q became %q", tt.name, got, again)
		}
	}
	var out strings.Builder
	w := mine.NewWriter(&out)
	if _, err := w.Write([]byte(in)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || out.String() != tests[0].want {
		t.Errorf("Writer: %q, %v, want %q", out.String(), err, tests[0].want)
	}
	if got, hits := mine.JSON([]byte(`{"k":"value-of-the-other-3","value-of-this-job-1":0}`)); string(got) != `{"k":"[redacted]","[redacted:mine]":0}` || hits != 2 {
		t.Errorf("JSON = %s, %d", got, hits)
	}
	if own, foreign := mine.Hits(); own != 5 || foreign != 7 {
		t.Errorf("Hits() = %d, %d, want 5, 7", own, foreign)
	}
}

// TestForeignOverlap: what a job was given names the marker of an overlap, whatever is longer.
func TestForeignOverlap(t *testing.T) {
	set, _ := clocked()
	mine, other := set.NewHolder(), set.NewHolder()
	give(t, mine, "mine", "11112222")
	give(t, other, "theirs", "222233334444")
	if got, hits := mine.String("1111222233334444"); got != "[redacted:mine]" || hits != 1 {
		t.Errorf("String = %q, %d", got, hits)
	}
	if got, hits := other.String("1111222233334444"); got != "[redacted:theirs]" || hits != 1 {
		t.Errorf("String = %q, %d", got, hits)
	}
}

// TestRetention walks through the ends of holders and leases.
func TestRetention(t *testing.T) {
	const static, leased = "static-value-0001", "leased-value-0002"
	set, c := clocked()
	first, second := set.NewHolder(), set.NewHolder()
	give(t, first, "s", static)
	give(t, second, "s", static)
	if err := second.AddLeased("l", leased, c.at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name           string
		do             func()
		static, leased bool
		retained       int
		reason         string
	}{
		{"given", func() {}, true, true, 0, "two holders have it"},
		{"first ends", first.End, true, true, 0, "the second has both"},
		{"much later", func() { c.at = c.at.Add(48 * time.Hour) }, true, true, 0, "a holder that has not ended keeps them, lease or not"},
		{"second ends", second.End, true, false, 1, "the lease is over, the static value has a day"},
		{"ends again", second.End, true, false, 1, "it did already"},
		{"nearly a day later", func() { c.at = c.at.Add(redact.Retention - time.Second) }, true, false, 1, "one second is left"},
		{"a day later", func() { c.at = c.at.Add(time.Second) }, false, false, 0, "nobody can have it any more"},
	}
	for _, step := range steps {
		step.do()
		set.Sweep()
		if got := set.ContainsString(static); got != step.static {
			t.Errorf("%s: the static value is found: %v: %s", step.name, got, step.reason)
		}
		if got := set.ContainsString(leased); got != step.leased {
			t.Errorf("%s: the leased value is found: %v: %s", step.name, got, step.reason)
		}
		if got, _ := set.Retained(); got != step.retained {
			t.Errorf("%s: %d retained, want %d: %s", step.name, got, step.retained, step.reason)
		}
	}
	if err := second.Add("s", static); !errors.Is(err, redact.ErrEnded) {
		t.Errorf("Add after End = %v, want ErrEnded", err)
	}
	if set.Len() != 0 {
		t.Errorf("Len() = %d, want 0", set.Len())
	}
}

func TestLeaseOutlivesHolder(t *testing.T) {
	const leased = "leased-value-0002"
	set, c := clocked()
	h := set.NewHolder()
	if err := h.AddLeased("l", leased, c.at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	h.End()
	c.at = c.at.Add(time.Hour + redact.LeaseRetention - time.Second)
	set.Sweep()
	if !set.ContainsString(leased) {
		t.Error("forgotten while the lease may still be used")
	}
	c.at = c.at.Add(time.Second)
	set.Sweep()
	if set.ContainsString(leased) {
		t.Error("kept longer than the lease")
	}
}

// TestGivenAgain: a value that is retained and given to another holder is in use again.
func TestGivenAgain(t *testing.T) {
	const value = "static-value-0001"
	set, c := clocked()
	first := set.NewHolder()
	give(t, first, "s", value)
	first.End()
	c.at = c.at.Add(redact.Retention - time.Second)
	second := set.NewHolder()
	give(t, second, "s", value)
	c.at = c.at.Add(time.Hour)
	set.Sweep()
	if got, _ := second.String(value); got != "[redacted:s]" {
		t.Errorf("String = %q: forgotten while a holder has it", got)
	}
	if err := set.Add("s", value); err != nil {
		t.Fatal(err)
	}
	second.End()
	c.at = c.at.Add(redact.Retention)
	set.Sweep()
	if !set.ContainsString(value) {
		t.Error("forgotten though it is registered")
	}
	set.Remove("s", value)
	if set.ContainsString(value) {
		t.Error("kept though nobody may have it any more")
	}
}

// TestRetainedCap: the cap drops what would be forgotten first, and never what a holder has.
func TestRetainedCap(t *testing.T) {
	set, c := clocked()
	set.MaxRetained = 3
	live := set.NewHolder()
	for i := range 10 {
		give(t, live, "live", fmt.Sprint("live-value-of-holder-", i))
	}
	for i := range 5 {
		h := set.NewHolder()
		give(t, h, "done", fmt.Sprint("done-value-of-holder-", i))
		h.End()
		c.at = c.at.Add(time.Minute)
	}
	if now, dropped := set.Retained(); now != 3 || dropped != 2 {
		t.Errorf("Retained() = %d, %d, want 3, 2", now, dropped)
	}
	for i := range 10 {
		if got, _ := live.String(fmt.Sprint("live-value-of-holder-", i)); got != "[redacted:live]" {
			t.Errorf("value %d of a live holder: %q", i, got)
		}
	}
	for i := range 5 {
		if got, want := set.ContainsString(fmt.Sprint("done-value-of-holder-", i)), i >= 2; got != want {
			t.Errorf("value %d of those that ended is found: %v, want %v", i, got, want)
		}
	}
}

func TestHolderRefuses(t *testing.T) {
	set, _ := clocked()
	h := set.NewHolder()
	if err := h.Add("a", "short"); !errors.Is(err, redact.ErrShort) {
		t.Errorf("Add = %v, want ErrShort", err)
	}
	if err := h.AddShort("a", "short"); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.String("a short one, not shorter"); got != "a [redacted:a] one, not shorter" {
		t.Errorf("String = %q", got)
	}
}

// TestView shows the names of what others keep, and keeps nothing itself.
func TestView(t *testing.T) {
	set, at := clocked()
	keeper := set.NewHolder()
	give(t, keeper, "mine", "value-of-mine")
	give(t, keeper, "others", "value-of-others")
	if err := set.Add("public", "value-of-mine"); err != nil {
		t.Fatal(err)
	}
	view := set.View(maps.All(map[string]string{"mine": " value-of-mine\n", "absent": "value-of-nobody", "another": "value-of-others"}))
	const text = "value-of-mine value-of-others"
	if got, hits := view.String(text); got != "[redacted:mine] [redacted]" || hits != 2 {
		t.Errorf("got %q, %d hits", got, hits)
	}
	if own, foreign := view.Hits(); own != 1 || foreign != 1 {
		t.Errorf("%d of its own and %d of others, want 1 and 1", own, foreign)
	}
	if got, _ := set.View(nil).String(text); got != "[redacted] [redacted]" {
		t.Errorf("of nothing: %q", got)
	}
	keeper.End()
	at.at = at.at.Add(redact.Retention)
	set.Sweep()
	if got, _ := view.String(text); got != "[redacted] value-of-others" {
		t.Errorf("after all keepers let go: %q", got)
	}
}
