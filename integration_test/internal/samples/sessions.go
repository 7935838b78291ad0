package samples

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// fileJob names a file that only one worker has.
type fileJob struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// process writes a file, reads it and removes it again, in one session, so
// that all three happen on the same worker.
func process(ctx workflow.Context, text string) (string, error) {
	ctx = quick(ctx)
	session, err := workflow.CreateSession(ctx, &workflow.SessionOptions{
		CreationTimeout: 30 * time.Second, ExecutionTimeout: 30 * time.Second,
	})
	if err != nil {
		return "", err
	}
	defer workflow.CompleteSession(session)
	var name string
	if err := workflow.ExecuteActivity(session, download, fileJob{Text: text}).Get(session, &name); err != nil {
		return "", err
	}
	var shouted string
	if err := workflow.ExecuteActivity(session, shout, fileJob{Path: name}).Get(session, &shouted); err != nil {
		return "", err
	}
	return shouted, workflow.ExecuteActivity(session, discard, fileJob{Path: name}).Get(session, nil)
}

// download answers with a name below the worker's temporary directory, so that
// no history holds a path of the machine.
func download(ctx context.Context, j fileJob) (string, error) {
	name := activity.GetInfo(ctx).WorkflowExecution.RunID + ".txt"
	return name, os.WriteFile(local(name), []byte(j.Text), 0o600)
}

func shout(_ context.Context, j fileJob) (string, error) {
	text, err := os.ReadFile(local(j.Path))
	return strings.ToUpper(string(text)), err
}

func discard(_ context.Context, j fileJob) error { return os.Remove(local(j.Path)) }

func local(name string) string { return filepath.Join(os.TempDir(), filepath.Base(name)) }

func sessions() Sample {
	return Sample{
		Name:       "sessions",
		Workflows:  workflows(process),
		Activities: activities(download, shout, discard),
		Worker:     worker.Options{EnableSessionWorker: true},
		Drive:      simple[string](process, "quiet"),
		Want:       `"QUIET"`,
		// The activity that holds a session open may end before or after the
		// workflow that closed it, and a heartbeat may tell it of its end first. The
		// one that closes it has three seconds, and the workflow goes on without it.
		Racing: []enumspb.EventType{
			enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
			enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCELED, enumspb.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
		},
	}
}
