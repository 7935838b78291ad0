package local

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

var allHeld = []backend.Limit{{Name: "open_files", Mechanism: "A"}, {Name: "memory", Mechanism: "B"}, {Name: "processes", Mechanism: "C"}}

func namesOf(limits []backend.Limit) (names []string) {
	for _, l := range limits {
		names = append(names, l.Name)
	}
	return names
}

// TestSaid checks which limits are heard of, however what is said is cut into writes, and that all of it is handed on.
func TestSaid(t *testing.T) {
	for words, want := range map[string][]string{
		"":                                      nil,
		"paste: x: Too many open files\n":       {"open_files"},
		"TOO MANY OPEN FILES":                   {"open_files"},
		"too many open file handles":            nil,
		"ttoo many open files":                  {"open_files"},
		"too many too many open files":          {"open_files"},
		"cannot allocate memory":                {"memory"},
		"cannot cannot fork":                    {"processes"},
		"cannot allocannot fork":                {"processes"},
		"MemoryError\nException":                {"memory"},
		"java.lang.OutOfMemoryError":            {"memory"},
		"fatal error: runtime: out of memory":   {"memory"},
		"std::bad_alloc, Cannot fork":           {"memory", "processes"},
		"sh: 1: Can't fork":                     {"processes"},
		"\x00\xff resource temporarily\x00":     nil,
		"Resource temporarily unavailable\n":    {"processes"},
		"Resource temporarily\nunavailable\n":   nil,
		"No file descriptors available":         {"open_files"},
		"out of memory" + tail(lastWords-1):     {"memory"},
		"out of memory" + tail(lastWords):       nil,
		"out of memory" + tail(99999) + "bad_x": nil,
	} {
		for _, size := range []int{1, 2, 7, 1 << 20} {
			s := new(said)
			var out bytes.Buffer
			if _, err := io.CopyBuffer(onlyWriter{s.listener(&out)}, io.LimitReader(strings.NewReader(words), int64(len(words))), make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if got := namesOf(s.limits(allHeld)); !slices.Equal(got, want) || out.String() != words {
				t.Errorf("%.40q in writes of %d: %q, want %q", words, size, got, want)
			}
		}
	}
}

func tail(n int) string { return strings.Repeat(".", n) }

type onlyWriter struct{ io.Writer }

// TestSaidWords checks that the automaton finds each of the words at any place, as a plain search does.
func TestSaidWords(t *testing.T) {
	for _, a := range telling {
		if a.words != strings.ToLower(a.words) {
			t.Errorf("%q is not in lower case", a.words)
		}
		for _, b := range telling {
			if a.words != b.words && strings.Contains(a.words, b.words) {
				t.Errorf("%q is within %q", b.words, a.words)
			}
			for i := range len(a.words) {
				words := a.words[:i] + strings.ToUpper(b.words) + a.words[i:]
				s := new(said)
				s.hear([]byte(words))
				if got := namesOf(s.limits(allHeld)); !slices.Contains(got, b.limit) {
					t.Fatalf("%q: %q, want %q", words, got, b.limit)
				}
			}
		}
	}
}

// TestSaidHeld checks that only what is held is named, with what holds it.
func TestSaidHeld(t *testing.T) {
	s := new(said)
	s.hear([]byte("too many open files, cannot fork, out of memory"))
	want := []backend.Limit{{Name: "memory", Value: "1GiB", Mechanism: "RLIMIT_AS, as its output says"}}
	if diff := cmp.Diff(want, s.limits([]backend.Limit{{Name: "memory", Value: "1GiB", Mechanism: "RLIMIT_AS"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := testing.AllocsPerRun(100, func() { s.hear([]byte("too many open files, and more")) }); n > 0 {
		t.Errorf("listening takes %v allocations", n)
	}
}
