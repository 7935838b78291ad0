package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"
)

// Fetch reads the whole history of a run. An empty runID is the latest run.
func Fetch(ctx context.Context, c client.Client, workflowID, runID string) (*historypb.History, error) {
	history := &historypb.History{}
	events := c.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("harness: read history of %s: %w", workflowID, err)
		}
		history.Events = append(history.Events, event)
	}
	return history, nil
}

// AwaitEvent waits for the first event of a run that match accepts. It returns
// an error when the run closes, or ctx ends, without one.
func AwaitEvent(ctx context.Context, c client.Client, workflowID, runID string, match func(*historypb.HistoryEvent) bool) (*historypb.HistoryEvent, error) {
	events := c.GetWorkflowHistory(ctx, workflowID, runID, true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("harness: wait for an event of %s: %w", workflowID, err)
		}
		if match(event) {
			return event, nil
		}
	}
	return nil, fmt.Errorf("harness: %s closed without the event that was waited for", workflowID)
}

// OfType accepts events of one type, for AwaitEvent.
func OfType(t enumspb.EventType) func(*historypb.HistoryEvent) bool {
	return func(e *historypb.HistoryEvent) bool { return e.GetEventType() == t }
}

// Save writes a history as JSON, in the form that the server's own tools
// export and the SDK's replayer reads. Directories are made as needed.
func Save(path string, history *historypb.History) error {
	data, err := protojson.Marshal(history)
	if err != nil {
		return fmt.Errorf("harness: encode history for %s: %w", filepath.Base(path), err)
	}
	// protojson varies its white space on purpose, so that nobody relies on
	// it. A file under version control should not change with it.
	var stable bytes.Buffer
	if err := json.Indent(&stable, data, "", " "); err != nil {
		return fmt.Errorf("harness: encode history for %s: %w", filepath.Base(path), err)
	}
	stable.WriteByte('\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("harness: save history: %w", err)
	}
	if err := os.WriteFile(path, stable.Bytes(), 0o600); err != nil {
		return fmt.Errorf("harness: save history: %w", err)
	}
	return nil
}

// Load reads a history that Save wrote.
func Load(path string) (*historypb.History, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("harness: load history: %w", err)
	}
	history := &historypb.History{}
	if err := protojson.Unmarshal(data, history); err != nil {
		return nil, fmt.Errorf("harness: decode history %s: %w", filepath.Base(path), err)
	}
	return history, nil
}

// Started returns the attributes of a history's first event, or nil when the
// first event starts no workflow. The getters of a nil answer are safe to call.
func Started(h *historypb.History) *historypb.WorkflowExecutionStartedEventAttributes {
	if len(h.GetEvents()) == 0 {
		return nil
	}
	return h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
}

// Prefix returns a history that ends with event lastEventID, as if the worker
// had been stopped there. The events are shared with h.
func Prefix(h *historypb.History, lastEventID int64) *historypb.History {
	prefix := &historypb.History{}
	for _, e := range h.GetEvents() {
		if e.GetEventId() > lastEventID {
			break
		}
		prefix.Events = append(prefix.Events, e)
	}
	return prefix
}

// SaveRuns writes the histories of a program's runs beside each other: the
// first as name.json, the others as name.2.json and so on.
func SaveRuns(dir, name string, runs []Run) error {
	for i, run := range runs {
		if err := Save(runPath(dir, name, i), run.History); err != nil {
			return err
		}
	}
	return nil
}

// LoadRuns reads what SaveRuns wrote. A name without any file is an error.
func LoadRuns(dir, name string) ([]*historypb.History, error) {
	var runs []*historypb.History
	for {
		h, err := Load(runPath(dir, name, len(runs)))
		if errors.Is(err, fs.ErrNotExist) && len(runs) > 0 {
			return runs, nil
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, h)
	}
}

func runPath(dir, name string, i int) string {
	if i == 0 {
		return filepath.Join(dir, name+".json")
	}
	return filepath.Join(dir, fmt.Sprintf("%s.%d.json", name, i+1))
}
