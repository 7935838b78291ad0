package local

import (
	"io"
	"sync"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// telling are the words by which programs tell that the kernel refused them something for a limit that it keeps per process
// or account: what C libraries have for EMFILE, ENOMEM and EAGAIN, and what the runtimes and shells say that have words of
// their own. They are in lower case, and none is within another.
var telling = []struct{ limit, words string }{
	{"open_files", "too many open files"},
	{"open_files", "no file descriptors available"},
	{"memory", "cannot allocate memory"},
	{"memory", "out of memory"},
	{"memory", "memory exhausted"},
	{"memory", "memoryerror"},
	{"memory", "bad_alloc"},
	{"processes", "resource temporarily unavailable"},
	{"processes", "cannot fork"},
	{"processes", "can't fork"},
	{"processes", "can't start new thread"},
}

// lastWords is how much of the end of what a command says is looked at, in bytes.
const lastWords = 64 << 10

// said listens to what a command says, for words that tell of a limit. It keeps nothing of it: from one write to the next
// there is only the state of its automaton.
type said struct {
	mu    sync.Mutex
	state uint16
	at    int64         // how much was said
	heard map[int]int64 // by the index of the words, where they ended last
}

// listener returns a writer that hands on to w what said hears. All of it is heard, also what w does not take.
func (s *said) listener(w io.Writer) io.Writer { return &listener{s, w} }

type listener struct {
	said *said
	to   io.Writer
}

func (l *listener) Write(data []byte) (int, error) {
	l.said.hear(data)
	return l.to.Write(data)
}

func (s *said) hear(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, state := listening(), s.state
	for i, b := range data {
		state = a.next[state][b]
		if words := a.end[state]; words >= 0 {
			if s.heard == nil {
				s.heard = map[int]int64{}
			}
			s.heard[words] = s.at + int64(i) + 1
		}
	}
	s.state = state
	s.at += int64(len(data))
}

// limits are those of held that the last words tell of.
func (s *said) limits(held []backend.Limit) []backend.Limit {
	s.mu.Lock()
	defer s.mu.Unlock()
	var told []backend.Limit
	for _, l := range held {
		for words, end := range s.heard {
			if telling[words].limit == l.Name && s.at-end < lastWords {
				l.Mechanism += ", as its output says"
				told = append(told, l)
				break
			}
		}
	}
	return told
}

// hinted adds to the result of a command the limits that it failed of by its own words. It is a guess: whoever prints
// such words can be wrong or lie, and another process may have been refused than the one that failed.
func (s *box) hinted(r backend.Result, by *said) backend.Result {
	if r.ExitCode == 0 {
		return r
	}
	for _, l := range by.limits(s.backend.launcher.untold()) {
		if !reached(r, l.Name) {
			r.Reached = append(r.Reached, l)
		}
	}
	return r
}

// listening finds the words of telling, in any case of letters. It is made when a command needs it: the first process of
// each sandbox is this program, too.
var listening = sync.OnceValue(newAutomaton)

// An automaton reads byte by byte. It has a state for each beginning of the words: the longest one that what was read
// ends with. State 0 is the empty one.
type automaton struct {
	next [][256]uint16
	end  []int // the index of the words that end in a state, -1 for none
}

func newAutomaton() *automaton {
	a := new(automaton)
	root := a.add()
	for i, t := range telling {
		at := root
		for _, b := range []byte(t.words) {
			if a.next[at][b] == root {
				a.next[at][b] = a.add()
			}
			at = a.next[at][b]
		}
		a.end[at] = i
	}
	// Where the words do not go on, the longest other beginning does that what was read ends with. Short ones come first.
	back := make([]uint16, len(a.next))
	for states := []uint16{root}; len(states) > 0; states = states[1:] {
		at := states[0]
		for b := range a.next[at] {
			other := root
			if at != root {
				other = a.next[back[at]][b]
			}
			to := &a.next[at][b]
			if *to == root {
				*to = other
				continue
			}
			back[*to] = other
			states = append(states, *to)
		}
	}
	for at := range a.next {
		copy(a.next[at]['A':'Z'+1], a.next[at]['a':'z'+1])
	}
	return a
}

func (a *automaton) add() (state uint16) {
	a.next, a.end = append(a.next, [256]uint16{}), append(a.end, -1)
	return uint16(len(a.next) - 1) //nolint:gosec // there are few words
}
