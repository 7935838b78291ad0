package integration_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// programsPatience bounds what one set-up of the census does: a dozen run beside
// each other and beside all other tests.
const programsPatience = 5 * time.Minute

// take runs every program of the census, once for each encoding, and returns when
// nothing more can come.
func (c *census) take(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programsPatience)
	defer cancel()
	c.endpoint(ctx, t)
	w, err := harness.NewWorker(c.client, c.queue, worker.Options{EnableSessionWorker: true})
	if err != nil {
		t.Fatal(err)
	}
	c.registerActivities(w)
	c.registerWorkflows(w)
	c.registerOperations(t, w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, e := range c.encodings {
		p := c.planter(e.name)
		all.Go(func() { c.programs(ctx, t, p, e.name) })
	}
	all.Wait()
	w.Stop() // what an activity logs after its workflow went on is in the log then
}

func (c *census) programs(ctx context.Context, t *testing.T, p planter, encoding string) {
	t.Helper()
	run, err := c.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: p.id("survey"), TaskQueue: c.queue}, "Survey", encoding)
	if err != nil {
		t.Error(err)
		return
	}
	p.starts(ctx, t)
	p.host(ctx, t, encoding)
	p.notes(ctx, t)
	p.raws(ctx, t)
	p.identities(ctx, t)
	p.stores(ctx, t)
	p.schedules(ctx, t)
	p.standalones(ctx, t, encoding)
	p.completions(ctx, t)
	p.stops(ctx, t, encoding)
	p.before(ctx, t, encoding)
	p.builtins(ctx, t, encoding)
	p.mismatches(ctx, t)
	if err := run.Get(ctx, nil); err != nil {
		t.Errorf("the survey ended with %v", err)
	}
}

// found returns where each cell's value is, by the index of the cell. opened also
// looks into what the codec of a set-up has encrypted.
func (c *census) found(t *testing.T, opened bool) map[int][]string {
	t.Helper()
	var codecs []converter.PayloadCodec
	if opened {
		codecs = append(codecs, samples.Sealing())
	}
	f := interceptortest.NewFinder(c.values(), codecs...)
	at := map[int][]string{}
	add := func(where string, places []interceptortest.Place) {
		for _, p := range places {
			at[p.Value] = append(at[p.Value], strings.TrimSpace(where+" "+p.String()))
		}
	}
	add("", c.tap.Find(f))
	add("log", f.Bytes(c.log.Bytes()))
	add("metrics", f.Bytes(c.metrics.Bytes()))
	add("store", f.Message(c.store.all()))
	if c.guarded() {
		add("audit", f.Bytes(c.sink.json(t)))
	}
	return at
}

func (c *census) values() []string {
	values := make([]string, len(c.cells))
	for i, cell := range c.cells {
		values[i] = cell.value
	}
	return values
}

// TestCensus plants a value of its own in every channel, in every encoding, in
// every set-up. With the guard nothing of one arrives anywhere; without it, every
// one does: a channel that shows nothing there would prove nothing.
//
// It is not run beside other tests: some of those have programs with short timeouts.
func TestCensus(t *testing.T) {
	if names := uniqueNames(rows()); names < 220 {
		t.Fatalf("the census has %d channels, want 220", names)
	}
	for _, s := range sealings {
		for _, mode := range []string{"", "enforce", "report"} {
			c := &census{sealing: s, mode: mode, encodings: encodings}
			if mode != "enforce" && s.name != sealings[0].name {
				c.encodings = encodings[:1] // that a channel is seen is no matter of the encoding, nor is the mode
			}
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				c.prepare(t)
				c.take(t)
				c.judge(t)
				c.server(t)
			})
		}
	}
}

func uniqueNames(all []row) int {
	names := map[string]bool{}
	for _, r := range all {
		names[r.name] = true
	}
	return len(names)
}

// judge holds what was found against what the set-up promises.
func (c *census) judge(t *testing.T) {
	t.Helper()
	found, bare := c.found(t, true), c.found(t, false)
	counts := map[string]int{}
	for i, cell := range c.cells {
		name := fmt.Sprintf("%s, %s", cell.row.name, cell.encoding)
		column := "removed"
		switch {
		case cell.row.nowhere && len(found[i]) > 0:
			column = "ARRIVED"
			t.Errorf("%s: ARRIVED in %s", name, found[i][0])
		case c.guarded() && cell.row.refused && !cell.refused.Load():
			column = "not refused"
			t.Errorf("%s: was not refused; it is in %s", name, found[i])
		case !cell.planted.Load() && !cell.refused.Load():
			column = "not planted"
			t.Errorf("%s: was not planted", name)
		case c.guarded() && cell.row.before && len(found[i]) > 0 && len(bare[i]) == 0:
			column = "sealed before"
		case len(found[i]) > 0:
			column = "ARRIVED"
			if c.guarded() {
				t.Errorf("%s: ARRIVED in %s", name, found[i][0])
			}
		case cell.refused.Load():
			column = "refused before send"
		case cell.row.nowhere:
			column = "nowhere"
		case !c.guarded() && cell.row.unseen && c.sealing.converter:
			column = "unseen"
		case !c.guarded():
			t.Errorf("%s: was not found without the guard", name)
		}
		counts[column]++
	}
	var text []string
	for _, column := range slices.Sorted(maps.Keys(counts)) {
		text = append(text, fmt.Sprintf("%s %d", column, counts[column]))
	}
	t.Logf("%s: %d channels, %d cells: %s", c.name(), len(c.cells)/len(c.encodings), len(c.cells), strings.Join(text, ", "))
}
