package samples

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

type importReport struct {
	Imported int    `json:"imported"`
	Attempts int32  `json:"attempts"`
	Fatal    string `json:"fatal"`
	Details  []any  `json:"details"`
}

// importAll has an activity that goes on where its last attempt stopped, and
// one whose failure is not worth another attempt.
func importAll(ctx workflow.Context, rows int) (importReport, error) {
	var report importReport
	ctx = quick(ctx)
	if err := workflow.ExecuteActivity(ctx, importRows, rows).Get(ctx, &report); err != nil {
		return report, err
	}
	err := workflow.ExecuteActivity(ctx, corrupt).Get(ctx, nil)
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return report, fmt.Errorf("import of the corrupt file: %w", err)
	}
	report.Fatal = failed.Type()
	var line int
	var context map[string]any
	if err := failed.Details(&line, &context); err != nil {
		return report, err
	}
	report.Details = []any{line, context}
	return report, nil
}

// importRows fails after every second row and keeps its place in a heartbeat.
func importRows(ctx context.Context, rows int) (importReport, error) {
	done := 0
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &done); err != nil {
			return importReport{}, err
		}
	}
	for done < rows {
		done++
		activity.RecordHeartbeat(ctx, done)
		if done%2 == 0 && done < rows {
			return importReport{}, fmt.Errorf("connection lost after row %d", done)
		}
	}
	return importReport{Imported: done, Attempts: activity.GetInfo(ctx).Attempt}, nil
}

func corrupt(context.Context) error {
	cause := temporal.NewApplicationError("unexpected end of file", "Read")
	return temporal.NewNonRetryableApplicationError("file is corrupt", "Corrupt", cause, 17, map[string]any{"file": "orders.csv"})
}

func retries() Sample {
	return Sample{
		Name:       "retries",
		Workflows:  workflows(importAll),
		Activities: activities(importRows, corrupt),
		Drive:      simple[importReport](importAll, 5),
		Want:       `{"imported":5,"attempts":3,"fatal":"Corrupt","details":[17,{"file":"orders.csv"}]}`,
	}
}
