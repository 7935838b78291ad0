package redact_test

import (
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestRetentionOfMixedKinds: a value that anybody was given as a static one stays as
// long as a static one, whoever leased it besides, and in whatever order.
func TestRetentionOfMixedKinds(t *testing.T) {
	const value = "value-of-two-kinds-0b7d1c5e"
	start := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	lease := start.Add(time.Hour)
	for name, give := range map[string]func(t *testing.T, a, b *redact.Holder){
		"leased, then static, by one": func(t *testing.T, a, _ *redact.Holder) {
			t.Helper()
			must(t, a.AddLeased("v", value, lease), a.Add("v", value))
		},
		"static, then leased, by one": func(t *testing.T, a, _ *redact.Holder) {
			t.Helper()
			must(t, a.Add("v", value), a.AddLeased("v", value, lease))
		},
		"static by one that ends first": func(t *testing.T, a, b *redact.Holder) {
			t.Helper()
			must(t, a.Add("v", value), b.AddLeased("v", value, lease))
		},
		"static by one that ends last": func(t *testing.T, a, b *redact.Holder) {
			t.Helper()
			must(t, b.Add("v", value), a.AddLeased("v", value, lease))
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := start
			set := redact.NewSet()
			set.Now = func() time.Time { return now }
			a, b := set.NewHolder(), set.NewHolder()
			give(t, a, b)
			a.End()
			b.End()
			now = start.Add(redact.Retention - time.Second)
			if set.Sweep(); !set.ContainsString(value) {
				t.Error("it was forgotten with the lease")
			}
			now = start.Add(redact.Retention + time.Second)
			if set.Sweep(); set.ContainsString(value) {
				t.Error("it is kept for ever")
			}
			if _, dropped := set.Retained(); dropped != 0 {
				t.Errorf("%d were dropped early", dropped)
			}
		})
	}
}

// TestNameOfTheHolder: a value given under two names is shown under the first.
func TestNameOfTheHolder(t *testing.T) {
	set := redact.NewSet()
	h := set.NewHolder()
	must(t, h.Add("second", "value-with-two-names-7f"), h.Add("first", "value-with-two-names-7f"))
	if got, _ := h.String("has value-with-two-names-7f"); got != "has [redacted:second]" {
		t.Errorf("got %q", got)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
