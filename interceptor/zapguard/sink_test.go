package zapguard_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// TestSinkFields checks that each part of a record is written under the name that it has in JSON, and that
// parts which are not set are left out.
func TestSinkFields(t *testing.T) {
	var full audit.Record
	want := map[string]any{"base": "field"}
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch f := v.Field(i); {
		case name == "time":
		case f.Kind() == reflect.String:
			f.SetString("value of " + name)
			want[name] = "value of " + name
		case f.CanInt():
			f.SetInt(int64(i + 1))
			want[name] = int64(i + 1)
			if f.Kind() == reflect.Int32 {
				want[name] = int32(i + 1)
			}
		default:
			t.Fatalf("a field of a kind that is new: %s", name)
		}
	}
	full.Time = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	core, logs := observer.New(zapcore.DebugLevel)
	sink := zapguard.NewSink(zap.New(core).Named("guard").With(zap.String("base", "field")))
	if err := sink.Write(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	got := logs.TakeAll()[0]
	if diff := cmp.Diff(want, got.ContextMap()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if !got.Time.Equal(full.Time) || got.LoggerName != "guard" || got.Message != "sandboxguard audit" {
		t.Errorf("entry = %+v", got.Entry)
	}

	if err := sink.Write(t.Context(), audit.Record{Action: audit.ActionStart}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"base": "field", "action": "start"}, logs.TakeAll()[0].ContextMap()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestSinkLevels(t *testing.T) {
	tests := []struct {
		name   string
		record audit.Record
		want   zapcore.Level
	}{
		{"allowed", audit.Record{Action: audit.ActionAllow, Outcome: audit.OutcomeOK}, zapcore.InfoLevel},
		{"reported", audit.Record{Action: audit.ActionDeny, Outcome: audit.OutcomeReported}, zapcore.InfoLevel},
		{"refused", audit.Record{Action: audit.ActionDeny, Outcome: audit.OutcomeRefused}, zapcore.WarnLevel},
		{"failed", audit.Record{Action: audit.ActionResolve, Outcome: audit.OutcomeFailed}, zapcore.WarnLevel},
		{"tainted", audit.Record{Action: audit.ActionTaint, Outcome: audit.OutcomeOK}, zapcore.WarnLevel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The logger is set to errors only and keeps one entry of each kind: records are kept all the same.
			core, logs := observer.New(zapcore.ErrorLevel)
			sampled := zapcore.NewSamplerWithOptions(core, time.Hour, 1, 0)
			sink := zapguard.NewSink(zap.New(sampled))
			for range 3 {
				if err := sink.Write(t.Context(), tt.record); err != nil {
					t.Fatal(err)
				}
			}
			got := logs.TakeAll()
			if len(got) != 3 || got[0].Level != tt.want {
				t.Errorf("%d entries, want 3 at %v: %v", len(got), tt.want, got)
			}
		})
	}
}

func TestSinkErrors(t *testing.T) {
	broken := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), failingWriter{}, zapcore.DebugLevel)
	err := zapguard.NewSink(zap.New(broken)).Write(t.Context(), audit.Record{Action: audit.ActionStart})
	if !errors.Is(err, audit.ErrWrite) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Write = %v, want an audit.ErrWrite that quotes nothing", err)
	}
	if err := zapguard.NewSink(nil).Write(t.Context(), audit.Record{}); !errors.Is(err, audit.ErrNoSink) {
		t.Errorf("Write = %v, want an audit.ErrNoSink", err)
	}
}

// failingWriter fails with an error that quotes something.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) {
	return 0, errors.New("post to https://u:hunter2@logs failed")
}
func (failingWriter) Sync() error { return nil }
