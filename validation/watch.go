package validation

import (
	"bytes"
	"context"
	"path/filepath"
	"time"
)

// defaultWatchInterval is the time between two looks at a policy file.
const defaultWatchInterval = 5 * time.Second

// WatchOptions says how [Watch] follows a policy file. The zero value is usable.
// The functions are called by one goroutine, one at a time.
type WatchOptions struct {
	// Interval is the time between two looks at the file. Zero and less mean 5
	// seconds.
	Interval time.Duration
	// Tick replaces the timer when it is not nil: the file is looked at whenever
	// it delivers, and no longer followed once it is closed.
	Tick <-chan time.Time
	// OnReload is told the new digest after a change took effect. A change of
	// comments or layout has none. Optional.
	OnReload func(digest string)
	// OnError is told why a changed file was not taken, once for each change. The
	// last good one stays in force. Optional.
	OnError func(err error)
}

// Watch loads the policy file at path, like [LoadPolicies], and follows its
// changes until ctx ends. The returned Policies answer from the last good state;
// a change replaces the whole of it at once. When the first load fails there is
// no Policies and nothing is followed.
//
// The file is read at every look, through symbolic links, so that a Kubernetes
// volume that swaps a directory is followed as well as an editor that replaces
// the file. A change is taken when two looks in a row find the same content: a
// file that is half written is not mistaken for a shorter policy.
func Watch(ctx context.Context, path string, opts WatchOptions) (*Policies, error) {
	w, err := newWatcher(path, opts)
	if err != nil {
		return nil, err
	}
	go w.run(ctx)
	return w.policies, nil
}

// watcher follows one file. Its fields belong to its goroutine.
type watcher struct {
	path     string
	name     string
	policies *Policies
	opts     WatchOptions
	seen     []byte // content at the last look, nil when it could not be read
	judged   []byte // content that is in force or was refused
	failed   string // text of the last read error that was reported
}

func newWatcher(path string, opts WatchOptions) (*watcher, error) {
	src, err := readPolicyFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	policies, err := ParsePolicies(name, src)
	if err != nil {
		return nil, err
	}
	return &watcher{path: path, name: name, policies: policies, opts: opts, seen: src, judged: src}, nil
}

func (w *watcher) run(ctx context.Context) {
	tick := w.opts.Tick
	if tick == nil {
		interval := w.opts.Interval
		if interval <= 0 {
			interval = defaultWatchInterval
		}
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-tick:
			if !open {
				return
			}
			if ctx.Err() == nil {
				w.look()
			}
		}
	}
}

// look reads the file once.
func (w *watcher) look() {
	src, err := readPolicyFile(w.path)
	if err != nil {
		w.seen = nil
		if text := err.Error(); text != w.failed {
			w.failed = text
			w.fail(err)
		}
		return
	}
	w.failed = ""
	settled := bytes.Equal(src, w.seen)
	w.seen = src
	if !settled || bytes.Equal(src, w.judged) {
		return
	}
	w.judged = src
	file, err := parseFile(w.name, src)
	if err != nil {
		w.fail(err)
		return
	}
	old := w.policies.current.Swap(file)
	if w.opts.OnReload != nil && old.digest != file.digest {
		w.opts.OnReload(file.digest)
	}
}

func (w *watcher) fail(err error) {
	if w.opts.OnError != nil {
		w.opts.OnError(err)
	}
}
