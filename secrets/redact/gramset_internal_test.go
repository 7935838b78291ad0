package redact

import (
	"math/rand/v2"
	"testing"
)

// TestGramSet adds and removes grams, some of them more often than is counted, and compares with a map.
func TestGramSet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	grams := make([]uint64, 400)
	for i := range grams {
		grams[i] = rnd.Uint64() & (1<<48 - 1)
	}
	var s gramSet
	s.reset(len(grams))
	counts, stays := make(map[uint64]int), make(map[uint64]bool)
	for range 200_000 {
		i := rnd.IntN(len(grams))
		gram := grams[i]
		switch more := i < 10; { // of these, more and more
		case rnd.IntN(3) < 1 && counts[gram] > 0:
			s.remove(hash(gram))
			counts[gram]--
		case more || counts[gram] < 3:
			s.add(hash(gram))
			counts[gram]++
			stays[gram] = stays[gram] || counts[gram] >= maxCount
		}
	}
	live := 0
	for _, gram := range grams {
		want := counts[gram] > 0 || stays[gram]
		if got := s.has(hash(gram)); got != want {
			t.Errorf("%x is in it: %v, want %v, %d times", gram, got, want, counts[gram])
		}
		if want {
			live++
		}
	}
	if s.live != live || s.used > len(grams) || len(stays) == 0 {
		t.Errorf("%d of %d are live, want %d", s.live, s.used, live)
	}
}
