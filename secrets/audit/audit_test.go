package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// full is a record with every field set.
var full = audit.Record{
	Time: time.Date(2026, 3, 1, 12, 30, 0, 5, time.UTC), Action: audit.ActionInject, Outcome: audit.OutcomeOK,
	Mode: "enforce", Namespace: "default", Queue: "deploys",
	Workflow: "Release", WorkflowID: "release-7", RunID: "r", Activity: "PushTag", ActivityID: "5", Attempt: 2,
	Ref: "env:DEPLOY_TOKEN", Secret: "github-deploy", Owner: "release-eng", Destination: "input:/0/token",
	Rule: "secret-not-granted", Path: "/0/token", PolicyDigest: "3f9c1a77", Version: "4", Key: "r/activity/1", Detail: "a <b> & c", Count: 3,
}

// The member names are part of the format.
func TestRecordFormat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		record audit.Record
		want   string
	}{
		"full": {full, `{"time":"2026-03-01T12:30:00.000000005Z","action":"inject","outcome":"ok","mode":"enforce",` +
			`"namespace":"default","task_queue":"deploys","workflow_type":"Release","workflow_id":"release-7","run_id":"r",` +
			`"activity_type":"PushTag","activity_id":"5","attempt":2,"ref":"env:DEPLOY_TOKEN","secret":"github-deploy",` +
			`"owner":"release-eng","destination":"input:/0/token","rule":"secret-not-granted","path":"/0/token",` +
			`"policy_digest":"3f9c1a77","version":"4","key":"r/activity/1","detail":"a <b> & c","count":3}` + "\n"},
		"least":      {audit.Record{Action: audit.ActionStart}, `{"action":"start"}` + "\n"},
		"line break": {audit.Record{Action: audit.ActionDeny, Path: "/a\nb\u2028\xff"}, `{"action":"deny","path":"/a\nb\u2028` + "\\ufffd" + `"}` + "\n"},
	} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		s := open(t, path)
		if err := s.Write(t.Context(), tc.record); err != nil {
			t.Fatalf("%s: Write: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, read(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the full record has no %s", v.Type().Field(i).Name)
		}
	}
	var back audit.Record
	data, err := json.Marshal(full)
	if err := errors.Join(err, json.Unmarshal(data, &back)); err != nil || back != full {
		t.Errorf("read back (-want +got): %v\n%s", err, cmp.Diff(full, back))
	}
}

// The values of actions and outcomes are part of the format.
func TestNames(t *testing.T) {
	t.Parallel()
	got := []any{
		audit.ActionStart, audit.ActionAllow, audit.ActionDeny, audit.ActionResolve, audit.ActionInject, audit.ActionRedact, audit.ActionTaint,
		audit.OutcomeOK, audit.OutcomeRefused, audit.OutcomeReported, audit.OutcomeFailed,
	}
	want := []any{
		audit.Action("start"), audit.Action("allow"), audit.Action("deny"), audit.Action("resolve"), audit.Action("inject"), audit.Action("redact"), audit.Action("taint"),
		audit.Outcome("ok"), audit.Outcome("refused"), audit.Outcome("reported"), audit.Outcome("failed"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileSinkAppends(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, id := range []string{"a", "b"} { // two processes, one after the other
		s := open(t, path)
		for _, ctx := range []context.Context{t.Context(), cancelled} {
			if err := s.Write(ctx, audit.Record{Action: audit.ActionDeny, RunID: id}); err != nil {
				t.Errorf("Write: %v", err)
			}
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		failed(t, s.Write(t.Context(), full), audit.ErrClosed)
	}
	want := `{"action":"deny","run_id":"a"}
{"action":"deny","run_id":"a"}
{"action":"deny","run_id":"b"}
{"action":"deny","run_id":"b"}
`
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var zero audit.FileSink
	failed(t, zero.Write(t.Context(), full), audit.ErrClosed)
}

func TestFileSinkConcurrently(t *testing.T) {
	t.Parallel()
	const writers, records = 8, 100
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	sinks := []*audit.FileSink{open(t, path), open(t, path)} // as in two processes
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range records {
				r := full
				r.Count = w*records + n + 1
				if err := sinks[w%2].Write(t.Context(), r); err != nil {
					t.Errorf("Write: %v", err)
				}
			}
		})
	}
	wg.Wait()
	seen := make(map[int]bool)
	for line := range strings.Lines(read(t, path)) {
		var r audit.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("a line is torn: %v", err)
		}
		seen[r.Count] = true
		r.Count = full.Count
		if r != full {
			t.Errorf("a record is changed:\n%s", cmp.Diff(full, r))
		}
	}
	if len(seen) != writers*records {
		t.Errorf("there are %d records, want %d", len(seen), writers*records)
	}
}

func TestNewFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, path := range map[string]string{
		"directory": dir, "missing directory": filepath.Join(dir, "missing", "audit.jsonl"), "no name": "", "NUL": "a\x00b",
	} {
		s, err := audit.NewFile(path)
		failed(t, err, audit.ErrOpen)
		if s != nil {
			t.Errorf("%s: there is a sink besides the error", name)
		}
		if err != nil && strings.Contains(err.Error(), filepath.Base(dir)) {
			t.Errorf("%s: the error names the path: %v", name, err)
		}
	}
	s := open(t, filepath.Join(dir, "audit.jsonl"))
	late := full
	late.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	failed(t, s.Write(t.Context(), late), audit.ErrWrite)
}

func TestMulti(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	var got []string
	sink := func(name string, err error) audit.Sink {
		return audit.SinkFunc(func(_ context.Context, r audit.Record) error {
			got = append(got, name+" "+r.RunID)
			return err
		})
	}
	sinks := []audit.Sink{sink("a", first), sink("b", nil), sink("c", second)}
	m := audit.Multi(sinks...)
	sinks[1] = nil // too late
	if err := m.Write(t.Context(), audit.Record{RunID: "1"}); !errors.Is(err, first) || !errors.Is(err, second) {
		t.Errorf("Write: %v, want both errors", err)
	}
	if diff := cmp.Diff([]string{"a 1", "b 1", "c 1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := audit.Multi(sink("d", nil), audit.Discard()).Write(t.Context(), full); err != nil {
		t.Errorf("Write: %v", err)
	}
	failed(t, audit.Multi().Write(t.Context(), full), audit.ErrNoSink)
	failed(t, audit.Multi(audit.Discard(), nil).Write(t.Context(), full), audit.ErrNoSink)
}

func open(t *testing.T, path string) *audit.FileSink {
	t.Helper()
	s, err := audit.NewFile(path)
	if err != nil {
		t.Fatalf("NewFile: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// failed checks that err is of this kind and typed, and quotes nothing.
func failed(t *testing.T, err, kind error) {
	t.Helper()
	own := new(audit.Error)
	if !errors.As(err, &own) || !errors.Is(err, kind) {
		t.Errorf("the error is %v, want %v", err, kind)
		return
	}
	if !strings.HasPrefix(err.Error(), kind.Error()) || strings.Contains(err.Error(), "DEPLOY_TOKEN") {
		t.Errorf("the text is %q", err)
	}
}
