package sandboxhost

import (
	"errors"
	"reflect"
	"sync"

	"github.com/sandboxguard/sandboxguard/internal/dirlock"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// A tenure is how long a host has its directory and its backend to itself: until it ends, and nothing that it began
// goes on in them.
type tenure struct {
	over func() // what ends it, once

	mu      sync.Mutex
	holders int // the host, and each operation and removal; 0 after the end
}

var (
	errInUse   = errors.New("sandboxhost: Options.Dir is in use: end the host that has it, or give each host a directory of its own")
	errBackend = errors.New("sandboxhost: the backend has a host already, which would take the sandboxes of another one for left over: make one backend for each provider")
)

// begin takes a directory and a backend, unless another host has one of them.
func begin(dir string, b backend.Backend) (*tenure, error) {
	release, err := dirlock.Take(dir)
	switch {
	case errors.Is(err, dirlock.ErrHeld):
		return nil, errInUse
	case err != nil:
		return nil, storeError("locked", err)
	}
	if !backends.take(b) {
		return nil, errors.Join(errBackend, release())
	}
	return &tenure{holders: 1, over: sync.OnceFunc(func() {
		backends.give(b)
		_ = release() // which the end of the process does, too
	})}, nil
}

// hold keeps the tenure from ending until done is called. It is false if it is over.
func (t *tenure) hold() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holders == 0 {
		return false
	}
	t.holders++
	return true
}

// done is called by each who held, and once by the host.
func (t *tenure) done() {
	t.mu.Lock()
	t.holders--
	last := t.holders == 0
	t.mu.Unlock()
	if last {
		t.over()
	}
}

// taken are the backends of the hosts of this process. Others cannot have them: a backend that outlives processes keeps
// them out itself.
type taken struct {
	mu  sync.Mutex
	all map[backend.Backend]struct{}
}

var backends = taken{all: map[backend.Backend]struct{}{}}

// take is false if another host has the backend. Those that cannot be compared are nobody's.
func (t *taken) take(b backend.Backend) bool {
	if !reflect.ValueOf(b).Comparable() {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, held := t.all[b]; held {
		return false
	}
	t.all[b] = struct{}{}
	return true
}

func (t *taken) give(b backend.Backend) {
	if !reflect.ValueOf(b).Comparable() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, b)
}
