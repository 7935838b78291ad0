package zapguard

import (
	"context"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// auditMessage is the message of every audit record in a log.
const auditMessage = "sandboxguard audit"

// NewSink returns a sink that writes each record to logger as one entry: the message is always
// "sandboxguard audit", the time is that of the record, or now, the fields have the names of the record's JSON
// members, and the name and the fields of logger are added. Refusals, failures and taints are warnings, the
// rest is information.
//
// An audit must not depend on how chatty a log is set to be: records are handed to the logger's core whatever
// its level, and past any sampling. Write fails with [audit.ErrWrite] if the core does, and with
// [audit.ErrNoSink] if logger is nil. With [zap.NewNop] all records are lost without an error.
//
// The sink may be used by several goroutines, as far as the core may.
func NewSink(logger *zap.Logger) audit.Sink {
	if logger == nil {
		return audit.Multi()
	}
	core, name := logger.Core(), logger.Name()
	return audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		if r.Time.IsZero() {
			r.Time = time.Now()
		}
		entry := zapcore.Entry{Level: level(r), Time: r.Time, LoggerName: name, Message: auditMessage}
		if err := core.Write(entry, fields(r)); err != nil {
			return &audit.Error{Kind: audit.ErrWrite} // what the core says may quote anything
		}
		return nil
	})
}

// level is how loud a record is.
func level(r audit.Record) zapcore.Level {
	if r.Outcome == audit.OutcomeRefused || r.Outcome == audit.OutcomeFailed || r.Action == audit.ActionTaint {
		return zapcore.WarnLevel
	}
	return zapcore.InfoLevel
}

// fields are the parts of a record that are set. The time is the entry's.
func fields(r audit.Record) []zapcore.Field {
	out := make([]zapcore.Field, 0, 16)
	for _, f := range [...]struct{ key, value string }{
		{"action", string(r.Action)},
		{"outcome", string(r.Outcome)},
		{"mode", r.Mode},
		{"namespace", r.Namespace},
		{"task_queue", r.Queue},
		{"workflow_type", r.Workflow},
		{"workflow_id", r.WorkflowID},
		{"run_id", r.RunID},
		{"activity_type", r.Activity},
		{"activity_id", r.ActivityID},
		{"ref", r.Ref},
		{"secret", r.Secret},
		{"owner", r.Owner},
		{"destination", r.Destination},
		{"rule", r.Rule},
		{"path", r.Path},
		{"policy_digest", r.PolicyDigest},
		{"version", r.Version},
		{"key", r.Key},
		{"detail", r.Detail},
	} {
		if f.value != "" {
			out = append(out, zap.String(f.key, f.value))
		}
	}
	if r.Attempt != 0 {
		out = append(out, zap.Int32("attempt", r.Attempt))
	}
	if r.Count != 0 {
		out = append(out, zap.Int("count", r.Count))
	}
	return out
}
