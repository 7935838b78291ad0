package interceptor

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestScribe: records reach the sink in their order, and a sink that fails or panics
// fails the record that it was given and no other.
func TestScribe(t *testing.T) {
	var got []string
	s := &scribe{sink: audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		switch got = append(got, r.Key); r.Key {
		case "panic":
			panic("the sink's own text")
		case "error":
			return errors.New("the sink's own text")
		}
		return nil
	})}
	defer s.close()
	for _, key := range []string{"a", "panic", "b", "error", "c"} {
		err := s.write(t.Context(), audit.Record{Key: key})
		if failed := key == "panic" || key == "error"; failed != (err != nil) || failed && !errors.Is(err, errAuditFailed) {
			t.Errorf("%s: got %v", key, err)
		}
	}
	if diff := cmp.Diff([]string{"a", "panic", "b", "error", "c"}, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestScribeSurvivesASinkThatHangs: it is told to end, waited for no longer, and not
// called again.
func TestScribeSurvivesASinkThatHangs(t *testing.T) {
	entered, told, release := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	s := &scribe{sink: audit.SinkFunc(func(ctx context.Context, _ audit.Record) error {
		entered <- struct{}{}
		<-ctx.Done()
		close(told)
		<-release
		return nil
	})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel() // as at the end of an attempt, or of the time for a write
	}()
	for range 2 {
		if err := s.write(ctx, audit.Record{}); !errors.Is(err, errAuditFailed) {
			t.Errorf("got %v", err)
		}
	}
	<-told
	s.close()
	close(release) // the leak check of this package sees that its goroutine ends
	if len(entered) > 0 {
		t.Error("the sink was called again")
	}
}

// TestNoRecordForNobody: who decided to have no audit pays for none.
func TestNoRecordForNobody(t *testing.T) {
	for name, tc := range map[string]struct {
		sink             audit.Sink
		discards, prompt bool
	}{
		"discard": {audit.Discard(), true, false},
		"log":     {logSink{newLateLogger(nil)}, false, true},
		"other":   {audit.SinkFunc(func(context.Context, audit.Record) error { return nil }), false, false},
	} {
		sink := cleanSink{to: tc.sink, hidden: redact.NewSet()}
		if got := isDiscard(sink); got != tc.discards {
			t.Errorf("%s: discards is %v", name, got)
		}
		if got := isPrompt(sink); got != tc.prompt {
			t.Errorf("%s: prompt is %v", name, got)
		}
	}
}
