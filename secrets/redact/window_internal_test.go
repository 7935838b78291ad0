package redact

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// sites is how many windows and grams are indexed.
func (g *grams) sites() int { return g.windows.live + g.listed.live }

// tagged is how many slots the most frequent tag has.
func (g *grams) tagged() (most int) {
	counts := make(map[uint64]int)
	for _, slot := range g.windows.slots {
		if slot > deadSlot {
			counts[slot>>tagShift]++
			most = max(most, counts[slot>>tagShift])
		}
	}
	return most
}

// TestAlike adds and removes values that begin alike: however many they are, no gram of their beginning takes more
// than a few slots, and each value is found as long as it is there.
func TestAlike(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + rnd.IntN('~'-'!'))
		}
		return string(b)
	}
	const many = 300
	alike, values := text(100), make([]string, many)
	for i := range values {
		values[i] = alike + text(60)
	}
	s := NewSet()
	for i, value := range values {
		if err := s.Add(fmt.Sprint("v", i), value); err != nil {
			t.Fatal(err)
		}
	}
	// A tag has 19 bits, so some grams that are not the same share one.
	if got, most := s.x.long.tagged(), many/4; got > most {
		t.Errorf("%d slots have one tag, want at most %d for %d values", got, most, many)
	}
	check := func(there func(i int) bool) {
		t.Helper()
		for i, value := range values {
			want := value[len(alike):]
			if there(i) {
				want = fmt.Sprintf("[redacted:v%d]", i)
			}
			if got, _ := s.String(value[len(alike):]); got != want {
				t.Fatalf("value %d became %q, want %q", i, got, want)
			}
		}
	}
	check(func(int) bool { return true })
	for _, i := range rnd.Perm(many) {
		if i%3 > 0 {
			s.Remove(fmt.Sprint("v", i), values[i])
		}
	}
	check(func(i int) bool { return i%3 == 0 })
	for i := range values {
		if i%3 == 1 { // in the places of those that are gone
			if err := s.Add(fmt.Sprint("v", i), values[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	check(func(i int) bool { return i%3 < 2 })
	if got, hits := s.String("<" + alike[20:60] + ">"); hits != 1 || got[len(got)-1] != '>' {
		t.Errorf("what they have in common became %q", got)
	}
	if err := s.AddShort("keeps the tables", "1234"); err != nil { // they are made anew when nothing is left
		t.Fatal(err)
	}
	for i := range values {
		s.Remove(fmt.Sprint("v", i), values[i])
	}
	g := &s.x.long
	c := &g.windows.crowds
	if g.windows.live != 0 || len(c.free) != len(c.list) {
		t.Errorf("%d windows stay, and %d crowds of %d", g.windows.live, len(c.list)-len(c.free), len(c.list))
	}
}
