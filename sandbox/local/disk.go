package local

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

const (
	// lookEvery is how often the file system is looked at while something may fill a workspace.
	lookEvery = 100 * time.Millisecond
	// restAfter is how many files are measured for each look that is left out after it, so that a workspace of very many
	// takes no more than about half of a processor.
	restAfter = 40_000
	// inodeSize is what a file takes besides its blocks. Without it files that are empty would take nothing, and there
	// could be so many that the file system has no room for another.
	inodeSize = 1024
)

// watchOfWorkspace is the mechanism that holds the limit of disk for a workspace.
const watchOfWorkspace = "watch of the workspace"

// errDisk ends what fills a workspace over its limit.
var errDisk = errors.New("local: the workspace is over the limit of disk")

// A ledger is what is known of the space that a workspace takes. To know it exactly means to walk through all of it, which
// is done only when the file system as a whole has grown by so much that the workspace may be over its limit. The nil
// ledger is that of a workspace without a limit.
type ledger struct {
	limit int64
	// inUse is what the file system has in use.
	inUse func() (int64, error)
	// measure is what the workspace takes, or more than enough if it takes more than that, and how many files were
	// looked at.
	measure func(ctx context.Context, enough int64) (size int64, files int, err error)
	turn    chan struct{} // held by who measures

	mu      sync.Mutex
	watches int // that there are now
	begun   bool
	last    int64 // what was in use when that was looked at last
	grown   int64 // by how much since the last measurement began: all steps up, since others may free space meanwhile
	due     int64 // by how much it may until the next one
	known   bool  // whether there was one
	size    int64 // what it said
	most    int64 // the limit, or what the workspace had of old when it was over that, and the slack
	highest int64 // what that may become by one command after the other, 0 while the workspace is within its limit
	accept  bool  // what the next one says becomes that
	blind   bool  // the last one failed
	unseen  int64 // by how much the file system had grown since one that did not, when the last command began
}

func newLedger(limit int64, inUse func() (int64, error), measure func(context.Context, int64) (int64, int, error)) *ledger {
	l := &ledger{limit: limit, inUse: inUse, measure: measure, turn: make(chan struct{}, 1), most: limit}
	l.due = l.slack()
	return l
}

// slack is how much the file system may grow in any case before a workspace is measured. It keeps what is next to its
// limit from being measured all the time while others write, and is how much it may be over that unnoticed.
func (l *ledger) slack() int64 { return l.limit / 64 }

// look looks at the file system, which takes one system call.
func (l *ledger) look() {
	used, err := l.inUse()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		return
	}
	if l.begun {
		l.grown += max(0, used-l.last)
	}
	l.begun, l.last = true, used
}

// enter begins a watch. With old, and if there is no other, a workspace that is over its limit may be as large as it is,
// so that a command can remove something. Only such a workspace is measured before the command starts.
func (l *ledger) enter(ctx context.Context, old bool) {
	l.look()
	l.mu.Lock()
	if old && l.watches == 0 {
		l.accept = l.accept || max(l.size, l.most) > l.limit
		if l.blind {
			l.unseen += l.grown
			l.grown, l.due = 0, l.slack()
		}
	}
	l.watches++
	accept := l.accept
	l.mu.Unlock()
	if accept {
		l.update(ctx, 0)
	}
}

// leave ends a watch.
func (l *ledger) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches--
}

// isDue reports whether the workspace may be over its limit with so much more.
func (l *ledger) isDue(more int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accept || l.grown+more > l.due
}

// update measures the workspace if it may be over its limit with so much more, and returns how many files it has looked at.
func (l *ledger) update(ctx context.Context, more int64) (files int) {
	if !l.isDue(more) {
		return 0
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return 0
	}
	if !l.isDue(more) { // somebody else has measured it meanwhile
		return 0
	}
	l.mu.Lock()
	before, enough := l.grown, l.most
	if l.accept || !l.known {
		enough = math.MaxInt64
	}
	l.mu.Unlock()
	size, files, err := l.measure(ctx, enough)
	l.look() // what came meanwhile may have been seen
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.take(size, before)
	case ctx.Err() == nil:
		l.blind, l.due = true, l.grown+l.slack()
	}
	return files
}

// take takes what was measured when the file system had grown by before, or by what it has by now.
func (l *ledger) take(size, before int64) {
	old := !l.known && size-l.grown > l.limit
	if old || l.accept || size < l.most {
		most := l.limit
		if size > l.limit { // what a launcher needs for the command comes to it, and what the file system notes down later
			most = size + l.slack()
		}
		if !old && !l.accept {
			most = min(most, l.most)
		}
		switch {
		case size <= l.limit:
			l.highest = 0
		case l.highest == 0:
			l.highest = size + l.limit
		}
		if l.highest > 0 {
			most = min(most, l.highest)
		}
		l.most = most
	}
	l.known, l.accept, l.blind = true, false, false
	l.size, l.grown, l.due, l.unseen = size, l.grown-before, max(l.most-size, l.slack()), 0
}

// isOver reports whether the workspace is over its limit. One that cannot be measured is when it may have grown by that,
// with all commands since it could be: each would have as much otherwise.
func (l *ledger) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.limit - l.unseen - max(0, l.size-l.limit)
	return !l.accept && l.size > l.most || l.blind && l.grown > max(left, l.slack())
}

// admit refuses to put so much more into the workspace if that would be over its limit.
func (l *ledger) admit(ctx context.Context, more int64) error {
	if l == nil || more <= 0 {
		return nil
	}
	l.look()
	l.update(ctx, more)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if more > l.limit || l.grown+more > l.due && l.size+more > l.limit {
		return overDisk(backend.ArchiveWrite, l.limit, "nothing was written")
	}
	l.grown += more // not left to the next look, since somebody may free as much until then
	return nil
}

func overDisk(code backend.Code, limit int64, what string) error {
	return refuse(code, "the workspace would be over the limit of disk, "+sandbox.FormatSize(limit)+": remove files, or ask for a higher limit: "+what)
}

// watch looks at the file system with every tick until stop is closed, and calls end when the workspace is over its limit.
func (l *ledger) watch(ctx context.Context, ticks <-chan time.Time, stop <-chan struct{}, end func()) {
	for rest := 0; ; rest-- {
		if rest <= 0 {
			rest = 1 + l.update(ctx, 0)/restAfter
			if l.isOver() {
				end()
				return
			}
		}
		select {
		case <-ticks:
			l.look()
		case <-stop:
			return
		}
	}
}

// watchDisk holds the workspace to its limit while something may fill it, which gets the context that is returned: that
// ends with errDisk. It must call the function when it is done, which says whether the limit was reached. With old, what
// a workspace has that is over its limit already does not count. To begin takes one system call if it is not.
func (s *box) watchDisk(ctx context.Context, old bool) (context.Context, func() bool) {
	l := s.disk
	if l == nil {
		return ctx, func() bool { return false }
	}
	l.enter(ctx, old)
	watched, cancel := context.WithCancelCause(ctx)
	ticks, stopTicks := s.backend.options.faults.ticker()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		l.watch(ctx, ticks, stop, func() { cancel(errDisk) })
	}()
	return watched, func() bool {
		defer l.leave()
		defer cancel(nil)
		stopTicks()
		close(stop)
		<-done
		if errors.Is(context.Cause(watched), errDisk) {
			return true
		}
		l.look() // it may have come to it since the last tick
		l.update(ctx, 0)
		return l.isOver()
	}
}

// newDisk returns the ledger of the sandbox.
func (s *box) newDisk() *ledger {
	limit := s.backend.options.Limits.Disk
	if limit == 0 {
		return nil
	}
	return newLedger(limit,
		func() (int64, error) { return s.backend.options.faults.inUseOf(s.dir(workspaceName)) },
		s.occupied)
}

// occupied is what the workspace takes, with the scratch directories of commands that have such.
func (s *box) occupied(ctx context.Context, enough int64) (int64, int, error) {
	root, err := s.workspace()
	if err != nil {
		return 0, 0, err
	}
	defer root.Close()
	size, files, err := measure(ctx, root.Root, enough)
	if err != nil || s.backend.options.Launcher != Landlock {
		return size, files, err
	}
	scratch, err := os.OpenRoot(s.dir(scratchName))
	if errors.Is(err, fs.ErrNotExist) {
		return size, files, nil
	}
	if err != nil {
		return 0, files, unopened(err)
	}
	defer scratch.Close()
	more, others, err := measure(ctx, scratch, max(0, enough-size))
	return size + more, files + others, err
}
