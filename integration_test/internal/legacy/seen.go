package legacy

import (
	"slices"
	"sync"
)

// Seen keeps what activities found in their inputs, outside of every history.
// The zero value is ready. It is safe for concurrent use.
type Seen struct {
	mu     sync.Mutex
	tokens map[string][]string
}

// Add keeps what an activity found.
func (s *Seen) Add(activity, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string][]string{}
	}
	s.tokens[activity] = append(s.tokens[activity], token)
}

// Tokens returns what the activity of that name found, in order of its runs.
func (s *Seen) Tokens(activity string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens[activity])
}
