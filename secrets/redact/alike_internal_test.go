package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneByOne redacts a text without escapes by comparing each needle of the set with each place of it.
func oneByOne(s *Set, h *Holder, text string) (out string, names []string) {
	p := s.pass(h)
	defer p.release()
	p.f.all = make(map[*entry]bool)
	var places []int
	for i := range len(text) {
		if !isGap(text[i]) {
			places = append(places, i)
		}
	}
	canonical := canonical(text)
	for _, n := range s.x.needles {
		for delta := -len(n.text); delta < len(canonical); delta++ {
			run := 0
			for at := max(0, delta); at <= len(canonical) && at-delta <= len(n.text); at++ {
				if at < len(canonical) && at-delta < len(n.text) && canonical[at] == n.text[at-delta] {
					run++
					continue
				}
				if run > 0 && run >= n.run {
					start, end := widen(text, places[at-run], places[at-1]+1, n.lead && at-delta == run, n.tail && at-delta == len(n.text))
					p.f.add(start, end, n.owner)
				}
				run = 0
			}
		}
	}
	p.f.tidy()
	for e := range p.f.all {
		names = slices.AppendSeq(names, maps.Keys(e.names))
	}
	slices.Sort(names)
	return string(p.replace([]byte(text))), slices.Compact(names)
}

// letters is a text of a few letters.
func letters(rnd *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abz"[rnd.IntN(3)]
	}
	return string(b)
}

// TestShared adds and removes values that have beginnings, middles and ends in common, and compares with the search
// for one needle after the other.
func TestShared(t *testing.T) {
	const rounds = 25
	rnd := rand.New(rand.NewPCG(21, 22))
	emit := []func(string) string{
		func(s string) string { return s }, strings.ToUpper,
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s)) },
		func(s string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
		},
		func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return hex.EncodeToString([]byte(s)) },
		func(s string) string { // with gaps
			var b strings.Builder
			for i := range len(s) {
				b.WriteString(s[i : i+1])
				b.WriteString(strings.Repeat(" ", max(0, rnd.IntN(8)-5)))
			}
			return b.String()
		},
	}
	hits, crowds := 0, 0
	for round := range rounds {
		begin, middle, end := letters(rnd, rnd.IntN(81)), letters(rnd, rnd.IntN(81)), letters(rnd, rnd.IntN(81))
		var values []string
		for range 8 + rnd.IntN(12) {
			value := begin + letters(rnd, 4+rnd.IntN(20))
			if rnd.IntN(2) == 0 { // so that more values have the end in common than what is before it
				value += middle
			}
			values = append(values, value+letters(rnd, rnd.IntN(2)*rnd.IntN(20))+end)
		}
		s := NewSet()
		h := s.NewHolder()
		in := make(map[int]bool)
		for range 3 {
			for _, i := range rnd.Perm(len(values)) {
				name := fmt.Sprint("v", i)
				switch {
				case len(values[i]) < MinLength:
				case in[i] && rnd.IntN(2) == 0:
					s.Remove(name, values[i])
					delete(in, i)
				case !in[i]:
					if err := s.Add(name, values[i]); err != nil {
						t.Fatal(err)
					}
					in[i] = true
				}
			}
			for range 1 + rnd.IntN(5) {
				i := rnd.IntN(len(values))
				if len(values[i]) < MinLength {
					continue
				}
				if err := h.Add(fmt.Sprint("h", i), values[i]); err != nil {
					t.Fatal(err)
				}
			}
			if s.x == nil {
				continue
			}
			crowds += len(s.x.long.windows.crowds.list) - len(s.x.long.windows.crowds.free)
			for range 3 {
				var b strings.Builder
				for range 1 + rnd.IntN(4) {
					value := values[rnd.IntN(len(values))]
					from := rnd.IntN(2) * rnd.IntN(len(value))
					to := len(value) - rnd.IntN(2)*rnd.IntN(len(value)-from)
					b.WriteString(emit[rnd.IntN(len(emit))](value[from:to]))
					b.WriteString(strings.Repeat(".", rnd.IntN(2)))
				}
				hits += checkShared(t, s, h, b.String())
				if t.Failed() {
					t.Fatalf("round %d, with %q", round, values)
				}
			}
		}
	}
	if hits < 5*rounds || crowds < 100*rounds {
		t.Errorf("%d hits, %d crowds: too few to compare", hits, crowds)
	}
}

// checkShared redacts a text in all ways.
func checkShared(t *testing.T, s *Set, h *Holder, text string) (hits int) {
	t.Helper()
	want, names := oneByOne(s, nil, text)
	got, hits := s.String(text)
	if got != want {
		t.Errorf("%q became\n%q, want\n%q", text, got, want)
	}
	if diff := cmp.Diff(names, s.Names(text)); diff != "" {
		t.Errorf("Names(%q) (-want +got):\n%s", text, diff)
	}
	mine, _ := oneByOne(s, h, text)
	if got, _ := h.String(text); got != mine {
		t.Errorf("for a holder, %q became\n%q, want\n%q", text, got, mine)
	}
	for _, size := range []int{1, 7, 64} {
		var set, holder strings.Builder
		for _, w := range []struct {
			*Writer
			out  *strings.Builder
			want string
		}{{s.NewWriter(&set), &set, want}, {h.NewWriter(&holder), &holder, mine}} {
			for piece := range slices.Chunk([]byte(text), size) {
				if _, err := w.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil || w.out.String() != w.want {
				t.Errorf("in pieces of %d, %q became\n%q, %v, want\n%q", size, text, w.out, err, w.want)
			}
		}
	}
	return hits
}

// TestWorkIsOfTheText counts what is compared with a text that many values begin with: that grows with the text, and
// not with the values.
func TestWorkIsOfTheText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[rnd.IntN(36)]
		}
		return string(b)
	}
	prefix := random(47)
	double := func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}
	texts := map[string]string{
		"plain": prefix, "hex": hex.EncodeToString([]byte(prefix)), "base32": base32.StdEncoding.EncodeToString([]byte(prefix)),
		"base64": base64.StdEncoding.EncodeToString([]byte(prefix)), "base64 twice": double(prefix),
		"its end": prefix[31:], "its end in hex": hex.EncodeToString([]byte(prefix[25:])), "wrapped": prefix[:20] + "\n" + prefix[20:],
	}
	for name := range texts {
		texts[name] = strings.Repeat(texts[name]+"\x7f", 100)
	}
	few, many := make(map[string]int), make(map[string]int)
	s := NewSet()
	for i := range 1000 {
		if err := s.Add("v", prefix+random(16+i%9)); err != nil {
			t.Fatal(err)
		}
		work := few
		if i == 999 {
			work = many
		} else if i != 9 {
			continue
		}
		for name, text := range texts {
			f := found{}
			scan(s.x, text, edges{}, 0, &f)
			if len(f.spans) < 100 {
				t.Errorf("%s: %d hits", name, len(f.spans))
			}
			work[name] = f.looks
		}
	}
	for name, text := range texts {
		if most := 2*few[name] + len(text)/4; many[name] > most {
			t.Errorf("%s of %d bytes: %d looks for 1,000 values, %d for 10", name, len(text), many[name], few[name])
		}
	}
}
