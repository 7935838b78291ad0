package sandboxhost

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// doneProcess is a command of which nothing is known but whether it is over.
type doneProcess chan struct{}

func (doneProcess) Write(context.Context, []byte) error { return nil }
func (p doneProcess) Done() <-chan struct{}             { return p }
func (doneProcess) Result() (backend.Result, error)     { return backend.Result{}, nil }
func (doneProcess) Kill()                               {}

// TestLeastUsed chooses the command that has to go for another one. Each case lists those that are over and those that
// were used again, of 64 that were used in order.
func TestLeastUsed(t *testing.T) {
	for _, c := range []struct {
		name       string
		over, used []int
		want       int
	}{
		{"the first", nil, nil, 0},
		{"the first was used again", nil, []int{0, 1}, 2},
		{"one that is over goes first", []int{40, 30}, nil, 30},
		{"one that is over and was used", []int{0, 20}, []int{0}, 20},
		{"the most recent ones stay, although they are over", []int{56, 57, 63}, nil, 0},
		{"the last that may go", []int{55, 56}, nil, 55},
	} {
		var table ptyTable
		var all []*pty
		for range maxPTYs {
			p := &pty{process: doneProcess(make(chan struct{}))}
			if _, evicted := table.add(p); evicted != nil {
				t.Fatal("evicted before the limit")
			}
			all = append(all, p)
		}
		for _, i := range c.over {
			close(all[i].process.(doneProcess))
		}
		for _, i := range c.used {
			table.get(all[i].id)
		}
		count, evicted := table.add(&pty{process: doneProcess(nil)})
		if evicted != all[c.want] || count != maxPTYs || table.get(evicted.id) == evicted {
			t.Errorf("%s: another one was evicted, or is still there; %d are", c.name, count)
		}
		for id := range table.known {
			if id < 1000 || id > 99999 {
				t.Errorf("%s: the id %d", c.name, id)
			}
		}
	}
}
