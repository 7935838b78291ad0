package local

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// disk is a file system with one workspace on it.
type disk struct {
	own, others int64
	enough      []int64 // of each measurement
	broken      error
	during      func() // called by a measurement, when it has looked
}

func (d *disk) ledger() *ledger {
	return newLedger(6400,
		func() (int64, error) { return d.own + d.others, nil },
		func(_ context.Context, enough int64) (int64, int, error) {
			d.enough = append(d.enough, enough)
			own := d.own
			if d.during != nil {
				d.during()
			}
			return own, 1, d.broken
		})
}

// TestLedger leads a workspace with a limit of 6400, so with a slack of 100, through commands. Each step says what is on
// the disk at the next look, or begins another command, and then whether the command is ended and the workspace measured.
func TestLedger(t *testing.T) {
	type step struct {
		own, others int64
		broken      bool
		begin       bool // another command, when the one before is over
		over        bool
		measured    int
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"no growth, no measurement", []step{{own: 9000, begin: true}, {own: 9000}, {own: 10}, {own: 10, begin: true}}},
		{"a little growth", []step{{begin: true}, {own: 60}, {own: 100}, {own: 101, measured: 1}}},
		{"what was there before the first command is not its", []step{
			{own: 9000, begin: true}, {own: 9099}, {own: 9101, measured: 1}, {own: 9201}, {own: 9202, measured: 1, over: true},
		}},
		{"over with the first growth", []step{{own: 6300, begin: true}, {own: 6401, over: true, measured: 1}}},
		{"at the limit", []step{{own: 0, begin: true}, {own: 6400, measured: 1}, {own: 6500}, {own: 6501, over: true, measured: 1}}},
		{"no more often than the room that is left allows", []step{
			{begin: true}, {own: 400, measured: 1}, {own: 6400}, {own: 6401, over: true, measured: 1},
		}},
		{"others grow", []step{
			{begin: true}, {others: 400, measured: 1}, {others: 6800}, {others: 6801, measured: 1}, {own: 6300, others: 6801}, {own: 6300, others: 6902, measured: 1},
		}},
		{"others grow and shrink, and hide nothing", []step{
			{others: 9000, begin: true}, {own: 90, others: 9000}, {own: 90}, {own: 6500, others: 0, over: true, measured: 1},
		}},
		{"a little by many short commands", []step{
			{begin: true}, {own: 90, begin: true}, {own: 180, begin: true, measured: 1}, {own: 6400, begin: true}, {own: 6490, begin: true, over: true, measured: 1},
		}},
		{"a command that removes", []step{
			{begin: true},
			{own: 7000, over: true, measured: 1},
			{own: 7000, begin: true, measured: 1},
			{own: 5000},
			{own: 5000, others: 101, measured: 1},
			{own: 6501, others: 101, over: true, measured: 1},
		}},
		{"a command that adds where there is too much", []step{
			{begin: true}, {own: 7000, over: true, measured: 1}, {own: 7000, begin: true, measured: 1}, {own: 7100}, {own: 7101, over: true, measured: 1},
		}},
		{"a command that adds a little where there is too much, while others grow", []step{
			{begin: true},
			{own: 7000, over: true, measured: 1},
			{own: 7000, others: 200, begin: true, measured: 1},
			{own: 7050, others: 300, measured: 1},
			{own: 7100, others: 500, measured: 1},
			{own: 7101, others: 700, over: true, measured: 1},
		}},
		{"a command that removes a little where there is too much", []step{
			{begin: true},
			{own: 7000, over: true, measured: 1},
			{own: 7000, begin: true, measured: 1},
			{own: 6950, others: 200, measured: 1},
			{own: 7051, others: 400, over: true, measured: 1},
		}},
		{"one command after the other", []step{
			{begin: true},
			{own: 7000, over: true, measured: 1},
			{own: 7000, begin: true, measured: 1},
			{own: 12_800, over: true, measured: 1},
			{own: 12_800, begin: true, measured: 1},
			{own: 12_901, over: true, measured: 1},
			{own: 12_901, begin: true, measured: 1},
			{own: 13_402, over: true, measured: 1},
			{own: 13_402, begin: true, over: true, measured: 1},
			{own: 13_402, begin: true, over: true, measured: 1},
			{own: 6000, begin: true, measured: 1},
			{own: 20_000, over: true, measured: 1},
			{own: 20_000, begin: true, measured: 1},
		}},
		{"what cannot be measured", []step{
			{begin: true},
			{own: 101, broken: true, measured: 1},
			{own: 201, broken: true},
			{own: 202, broken: true, measured: 1},
			{own: 6401, broken: true, over: true, measured: 1},
			{own: 6401, broken: true, begin: true},
			{own: 6502, measured: 1},
			{own: 6603, over: true, measured: 1},
		}},
		{"what cannot be measured, by many commands", []step{
			{begin: true},
			{own: 6401, broken: true, over: true, measured: 1},
			{own: 6401, broken: true, begin: true},
			{own: 6501, broken: true},
			{own: 6502, broken: true, over: true, measured: 1},
			{own: 6502, broken: true, begin: true},
			{own: 6603, broken: true, over: true, measured: 1},
		}},
		{"what cannot be measured any more, being over the limit", []step{
			{begin: true},
			{own: 12800, over: true, measured: 1},
			{own: 12800, begin: true, measured: 1},
			{own: 12901, broken: true, over: true, measured: 1},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := new(disk)
			l := d.ledger()
			for i, s := range c.steps {
				d.own, d.others, d.broken, d.enough = s.own, s.others, nil, nil
				if s.broken {
					d.broken = errors.New("broken")
				}
				if s.begin {
					l.watches = 0
					l.enter(t.Context(), true)
				} else {
					l.look()
				}
				l.update(t.Context(), 0)
				if over := l.isOver(); over != s.over || len(d.enough) != s.measured {
					t.Fatalf("step %d: over %t, measured %d times", i, over, len(d.enough))
				}
			}
		})
	}
}

// TestLedgerMeanwhile checks that what is added while the workspace is measured counts at the next measurement.
func TestLedgerMeanwhile(t *testing.T) {
	d := new(disk)
	l := d.ledger()
	l.enter(t.Context(), true)
	d.own, d.during = 6400, func() { d.own = 6800; l.look() }
	l.look()
	l.update(t.Context(), 0)
	if l.isOver() {
		t.Fatal("over by what it did not see")
	}
	d.during = nil
	l.update(t.Context(), 0)
	if !l.isOver() || !cmp.Equal(d.enough, []int64{math.MaxInt64, 6400}) {
		t.Errorf("over %t, measured up to %d", l.isOver(), d.enough)
	}
}

// TestLedgerFirst checks that what a command adds while the workspace is measured for the first time is not taken for what
// was there before.
func TestLedgerFirst(t *testing.T) {
	d := new(disk)
	l := newLedger(6400,
		func() (int64, error) { return d.own, nil },
		func(context.Context, int64) (int64, int, error) { d.own = 20_000; return d.own, 1, nil })
	l.enter(t.Context(), true)
	d.own = 200
	l.look()
	l.update(t.Context(), 0)
	if !l.isOver() {
		t.Error("not over")
	}
}

// TestLedgerSideBySide checks that a command that begins beside another one lets that have no more.
func TestLedgerSideBySide(t *testing.T) {
	d := new(disk)
	l := d.ledger()
	l.enter(t.Context(), true)
	d.own = 6500
	l.look()
	l.update(t.Context(), 0)
	l.enter(t.Context(), true)
	if !l.isOver() {
		t.Error("another command made it right")
	}
	l.leave()
	l.leave()
	l.enter(t.Context(), true)
	if l.isOver() {
		t.Error("no command can begin")
	}
}

// TestAdmit checks what the host itself puts into a workspace, on which there are 6000 of 6400.
func TestAdmit(t *testing.T) {
	for more, want := range map[int64]struct {
		refused  bool
		measured int
	}{-9000: {}, 0: {}, 100: {}, 101: {measured: 1}, 400: {measured: 1}, 401: {true, 1}, 6401: {true, 1}, math.MaxInt64 / 2: {true, 1}} {
		d := &disk{own: 6000}
		l := d.ledger()
		err := l.admit(t.Context(), more)
		if (backend.CodeOf(err) == backend.ArchiveWrite) != want.refused || !want.refused && err != nil || len(d.enough) != want.measured {
			t.Errorf("%d: %v, measured %d times", more, err, len(d.enough))
		}
	}
	d := &disk{own: 6000, others: 1000}
	l := d.ledger()
	if err := errors.Join(l.admit(t.Context(), 300), l.admit(t.Context(), 100)); err != nil || len(d.enough) != 1 {
		t.Errorf("twice what there is room for: %v, measured %d times", err, len(d.enough))
	}
	if d.own, d.others = 6400, 600; l.admit(t.Context(), 101) == nil {
		t.Error("what was admitted before was not seen, since others freed as much")
	}
	if err := (*ledger)(nil).admit(t.Context(), math.MaxInt64); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := (&disk{}).ledger().admit(ctx, 200); !errors.Is(err, stopped) {
		t.Errorf("when it is stopped: %v", err)
	}
}

// TestWatch drives a watch by its ticks: it looks with each, and ends what it watches with the one that shows too much.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(disk)
		l := d.ledger()
		l.enter(t.Context(), true)
		ticks, stop := make(chan time.Time), make(chan struct{})
		ended := make(chan struct{})
		go l.watch(t.Context(), ticks, stop, func() { close(ended) })
		for _, own := range []int64{0, 200, 6400} {
			d.own = own
			ticks <- time.Time{}
			synctest.Wait()
			select {
			case <-ended:
				t.Fatalf("ended at %d", own)
			default:
			}
		}
		d.own = 6600
		ticks <- time.Time{}
		<-ended
		if len(d.enough) != 2 {
			t.Errorf("measured %d times", len(d.enough))
		}
	})
}

// TestWatchRests checks that a watch leaves looks out when it had many files to measure, and stops when it is told to.
func TestWatchRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var used int64
		var at []int64 // what was in use at each measurement
		l := newLedger(6400, func() (int64, error) { return used, nil }, func(context.Context, int64) (int64, int, error) {
			at = append(at, used)
			return 6400, 3*restAfter + 1, nil
		})
		l.enter(t.Context(), true)
		ticks, stop, done := make(chan time.Time), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			l.watch(t.Context(), ticks, stop, func() { t.Error("ended") })
		}()
		for range 9 {
			used += 1000
			ticks <- time.Time{}
			synctest.Wait()
		}
		close(stop)
		<-done
		if want := []int64{1000, 5000, 9000}; !slices.Equal(at, want) {
			t.Errorf("measured at %d, want %d", at, want)
		}
	})
}
