//go:build unix

package local_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestOutputLimit checks that both outputs together are kept up to the limit, that the command goes on, and that an
// output which nobody takes still ends it.
func TestOutputLimit(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.Limits = sandbox.Limits{Output: 1024} }), sandbox.Manifest{})
	for script, c := range map[string]struct {
		kept    int
		reached bool
	}{
		"head -c 1024 /dev/zero": {1024, false},
		"head -c 1025 /dev/zero": {1024, true},
		"head -c 1000 /dev/zero; head -c 1000 /dev/zero >&2; head -c 9999999 /dev/zero; exit 3": {1024, true},
	} {
		var mu sync.Mutex
		var out, errOut bytes.Buffer
		result, err := s.Exec(t.Context(), backend.Command{
			Args: []string{"sh", "-c", script}, Stdout: locked{&mu, &out}, Stderr: locked{&mu, &errOut},
		})
		want := backend.Result{Emptied: result.Emptied}
		if c.reached {
			want.Reached = []backend.Limit{{Name: "output", Value: "1KiB", Mechanism: "counted, and the rest dropped"}}
		}
		if script[len(script)-1] == '3' {
			want.ExitCode = 3
		}
		if diff := cmp.Diff(want, result); err != nil || diff != "" || out.Len()+errOut.Len() != c.kept {
			t.Errorf("%s: %v, %d bytes kept, want %d, (-want +got)\n%s", script, err, out.Len()+errOut.Len(), c.kept, diff)
		}
	}
	full := errors.New("full")
	if _, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "while :; do echo x; done"}, Stdout: refusing{full}}); !errors.Is(err, full) {
		t.Errorf("output that is not taken: %v", err)
	}
}

// TestOutputLimitOfTerminals checks the same of what a command prints at a terminal, and of one without.
func TestOutputLimitOfTerminals(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.Limits = sandbox.Limits{Output: 1024} }), sandbox.Manifest{})
	for n, reached := range map[int]bool{1024: false, 1025: true} {
		for _, tty := range []bool{true, false} {
			var mu sync.Mutex
			var out bytes.Buffer
			p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{
				Args: []string{"sh", "-c", fmt.Sprintf("head -c %d /dev/zero", n)}, Stdout: locked{&mu, &out},
			}, tty)
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			result, err := p.Result()
			want := backend.Result{Emptied: result.Emptied}
			if reached {
				want.Reached = []backend.Limit{{Name: "output", Value: "1KiB", Mechanism: "counted, and the rest dropped"}}
			}
			if diff := cmp.Diff(want, result); err != nil || diff != "" || out.Len() != 1024 {
				t.Errorf("%d bytes, terminal %t: %v, %d bytes kept, (-want +got)\n%s", n, tty, err, out.Len(), diff)
			}
		}
	}
}

type locked struct {
	mu  *sync.Mutex
	out *bytes.Buffer
}

func (l locked) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(data)
}

type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }
