package live

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A progress says how far a scan is.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	done  int64
	total int64
	last  time.Time
}

func newProgress(w io.Writer) *progress { return &progress{w: w, last: time.Now()} }

// expect says how many workflows there are.
func (p *progress) expect(total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = total
}

// step counts a workflow, and speaks when the last time was a second ago.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := time.Now(); now.Sub(p.last) >= time.Second {
		p.last = now
		p.say()
	}
}

// end speaks once more.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say()
}

// say writes one line. More workflows than there were may have been read by now.
func (p *progress) say() {
	if p.w != nil {
		_, _ = fmt.Fprintf(p.w, "scanned %d of %d workflows\n", p.done, max(p.done, p.total))
	}
}
