package redact

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadersGoOn redacts at the very moment at which a table was made anew and is not in use yet: readers do not
// wait for that, and find what they found before.
func TestReadersGoOn(t *testing.T) {
	const values = 400
	value := func(i int) string { return fmt.Sprintf("value-%d-of-many-%d", i*i, 7*i) }
	s := NewSet()
	if err := s.Add("first", "value-that-stays"); err != nil {
		t.Fatal(err)
	}
	rebuilt, at := 0, ""
	s.x.rebuilt = func() {
		rebuilt++
		if !s.mu.TryRLock() {
			t.Errorf("%s: readers have to wait while a table is made", at)
			return
		}
		s.mu.RUnlock()
		var out strings.Builder
		w := s.NewWriter(&out)
		if _, err := w.Write([]byte("a value-that-stays, and b")); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil || out.String() != "a [redacted:first], and b" {
			t.Errorf("%s: a stream became %q, %v", at, out.String(), err)
		}
	}
	for i := range values {
		at = fmt.Sprint("adding ", i)
		if err := s.Add("v", value(i)); err != nil {
			t.Fatal(err)
		}
	}
	if rebuilt < 3 {
		t.Errorf("%d tables were made for %d values: too few to see anything", rebuilt, values)
	}
	grown := rebuilt
	for i := range values {
		if !s.ContainsString(value(i)) {
			t.Errorf("value %d is not found", i)
		}
		at = fmt.Sprint("removing ", i)
		s.Remove("v", value(i))
		if s.ContainsString(value(i)) {
			t.Errorf("value %d is found after its end", i)
		}
	}
	if rebuilt == grown {
		t.Error("nothing was made anew for values that are gone")
	}
}

// TestNoSecretsInWorkingMemory checks that what was added is not kept longer than it is in the set.
func TestNoSecretsInWorkingMemory(t *testing.T) {
	s := NewSet()
	if err := s.Add("v", "value-that-goes-away"); err != nil {
		t.Fatal(err)
	}
	s.Remove("v", "value-that-goes-away")
	a := &s.x.addition
	for _, n := range a.list[:cap(a.list)] {
		if n.text != "" {
			t.Fatal("a needle of a value that is gone is kept")
		}
	}
	if a.entry != nil || a.needles != nil {
		t.Error("an entry that is gone is kept")
	}
	if err := s.AddShort("keeps the tables", "1234"); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(name, value string){func(name, value string) { _ = s.Add(name, value) }, s.Remove} {
		for i := range 2 * manySites {
			change("v", fmt.Sprintf("value-that-goes-away-like-%d-others", i))
			if fs := &s.x.families; len(fs.moved) > 0 || fs.joined.with != nil || fs.left.with != nil || fs.to != nil {
				t.Fatal("an entry is kept by what was made for a change")
			}
		}
	}
	for _, c := range s.x.long.windows.crowds.list {
		if c != nil {
			t.Fatal("what values that are gone had in common is kept")
		}
	}
}
