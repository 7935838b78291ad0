package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	historypb "go.temporal.io/api/history/v1"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
)

// sampleDir holds what the samples left behind when they ran without the guard.
var sampleDir = filepath.Join("testdata", "histories", "samples")

// recordedSample loads a sample's histories, none for a sample without any.
func recordedSample(t *testing.T, s samples.Sample) []*historypb.History {
	t.Helper()
	if s.Workflows == nil {
		return nil
	}
	recorded, err := harness.LoadRuns(sampleDir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

// TestSamplesRunTheSame runs every sample on the server under every setup. It
// must come to its result, write the events that it wrote without the guard,
// and replay both with and without what it ran under.
func TestSamplesRunTheSame(t *testing.T) {
	t.Parallel()
	for _, u := range setups() {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			ran := runSamples(t, u)
			for i, s := range samples.All() {
				t.Run(s.Name, func(t *testing.T) {
					if ran[i].err != nil {
						t.Fatal(ran[i].err)
					}
					compareSample(t, s, ran[i].runs, u)
				})
			}
		})
	}
}

type ran struct {
	runs []harness.Run
	err  error
}

// runSamples runs all samples, several at a time: most of them wait most of
// the time, so the processors are no measure.
func runSamples(t *testing.T, u setup) []ran {
	t.Helper()
	ctx := limited(t)
	all := samples.All()
	results := make([]ran, len(all))
	slots := make(chan struct{}, 8)
	var running sync.WaitGroup
	for i, s := range all {
		queue := harness.ID(harness.Queue(t) + "-" + s.Name)
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i].runs, results[i].err = s.Run(ctx, server, samples.RunOptions{
				TaskQueue: queue, WorkflowID: queue,
				Configure: u.configure,
			})
		})
	}
	running.Wait()
	return results
}

// compareSample holds what a sample left behind against its recordings.
func compareSample(t *testing.T, s samples.Sample, runs []harness.Run, u setup) {
	t.Helper()
	recorded := recordedSample(t, s)
	if len(runs) != len(recorded) {
		t.Fatalf("%d workflow runs, want %d", len(runs), len(recorded))
	}
	for i, run := range runs {
		if failed := harness.FailedTasks(run.History); failed != nil {
			t.Errorf("run %d: failed workflow tasks: %q", i+1, failed)
		}
		now, then := harness.CountSteady(run.History, s.Racing...), harness.CountSteady(recorded[i], s.Racing...)
		if diff := cmp.Diff(then, now); diff != "" {
			t.Errorf("run %d: other events than when it was recorded (-recorded +now):\n%s", i+1, diff)
		}
		replaySample(t, s, run.History, unguarded())
		replaySample(t, s, run.History, u)
	}
}

// TestSamplesReplay replays every recorded history under every setup.
func TestSamplesReplay(t *testing.T) {
	t.Parallel()
	for _, u := range setups() {
		for _, s := range samples.All() {
			t.Run(u.name+"/"+s.Name, func(t *testing.T) {
				t.Parallel()
				for _, h := range recordedSample(t, s) {
					replaySample(t, s, h, u)
				}
			})
		}
	}
}

func replaySample(t *testing.T, s samples.Sample, h *historypb.History, u setup) {
	t.Helper()
	if s.Unreplayable != "" {
		return
	}
	options := harness.ReplayOptions{Replayer: s.Replayer()}
	if err := u.replayer(&options.Replayer); err != nil {
		t.Fatal(err)
	}
	if err := harness.Replay(h, options, s.Workflows); err != nil {
		t.Errorf("replay %s: %v", u.name, err)
	}
}

// TestSamplesAreRecorded finds recordings that belong to no sample, and
// recordings that were written by something other than the recorder.
func TestSamplesAreRecorded(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range samples.All() {
		if names[s.Name] {
			t.Errorf("two samples are called %s", s.Name)
		}
		names[s.Name] = true
		for i, h := range recordedSample(t, s) {
			for _, e := range h.GetEvents() {
				task := e.GetWorkflowTaskCompletedEventAttributes()
				if task != nil && task.GetIdentity() != "recorder" {
					t.Errorf("%s, run %d: event %d comes from worker %q", s.Name, i+1, e.GetEventId(), task.GetIdentity())
				}
			}
		}
	}
	if len(names) < 20 {
		t.Errorf("%d samples, want 20 or more", len(names))
	}
	files, err := os.ReadDir(sampleDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, _, _ := strings.Cut(f.Name(), "."); !names[name] {
			t.Errorf("%s belongs to no sample", f.Name())
		}
	}
}
