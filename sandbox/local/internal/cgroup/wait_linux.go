package cgroup

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// How long processes that were killed may take to end, and how often is looked where nothing tells.
const (
	endWait  = 10 * time.Second
	lookWait = 2 * time.Millisecond
)

// wait is for changes in a group, until a deadline.
type wait struct {
	deadline *time.Timer
	tick     *time.Ticker
	events   int // -1 in version 1, which has none
}

func newWait(hi *hierarchy, dir string) *wait {
	w := &wait{deadline: time.NewTimer(endWait), tick: time.NewTicker(lookWait), events: -1}
	if hi.v2 {
		if fd, err := unix.Open(filepath.Join(dir, "cgroup.events"), unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			w.events = fd
		}
	}
	return w
}

// next returns when it is time to look again; false once the deadline is over.
func (w *wait) next() bool {
	select {
	case <-w.deadline.C:
		return false
	case <-w.tick.C:
	}
	if w.events >= 0 {
		w.poll()
	}
	return true
}

// poll returns when the kernel says that the group's processes changed from some to none, or after a moment.
func (w *wait) poll() {
	const most = 50 // milliseconds
	var buf [64]byte
	// Reading is what makes the next change news.
	n, err := unix.Pread(w.events, buf[:], 0)
	if populated, ok := keyed(string(buf[:max(n, 0)]), "populated"); err != nil || !ok || populated == 0 {
		return
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(w.events), Events: unix.POLLPRI}}, most) //nolint:gosec // a descriptor
}

func (w *wait) stop() {
	w.deadline.Stop()
	w.tick.Stop()
	if w.events >= 0 {
		_ = unix.Close(w.events)
	}
}
