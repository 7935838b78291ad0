package legacy

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// DeadToken is the credential that the recorded histories hold. It has the form
// of a real one and opens nothing.
const DeadToken = "ghp_" + "D3adL1teralThat0pensNothingAtAll0042"

// ReleaseType is the workflow type of a release, whatever its code looks like.
const ReleaseType = "Release"

// GoOn is the signal that a release with Wait set waits for half-way.
const GoOn = "go-on"

// Token is the type of a token field: text as it was, or a reference to a
// secret as it became.
type Token interface{ string | secrets.Value }

// Order starts a release.
type Order[T Token] struct {
	Tag   string `json:"tag"`
	Token T      `json:"token"`
	// Wait makes the release wait for the signal GoOn half-way.
	Wait bool `json:"wait,omitempty"`
	// Mirror makes the release start a child with the same token.
	Mirror bool `json:"mirror,omitempty"`
	// Rounds is how often the release continues as new before it ends.
	Rounds int `json:"rounds,omitempty"`
}

// Tag is the input of PushTag, and by pointer that of Announce.
type Tag[T Token] struct {
	Name  string         `json:"name"`
	Token T              `json:"token"`
	Notes map[string]any `json:"notes,omitempty"`
}

// release pushes a tag, announces it by a local activity, and pushes again.
func release[T Token](ctx workflow.Context, o Order[T]) (string, error) {
	ctx = options(ctx)
	tag := &Tag[T]{Name: o.Tag, Token: o.Token, Notes: map[string]any{"lines": 3, "draft": false}}
	var pushed, announced string
	if err := workflow.ExecuteActivity(ctx, "PushTag", *tag).Get(ctx, &pushed); err != nil {
		return "", err
	}
	near := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 10 * time.Second})
	if err := workflow.ExecuteLocalActivity(near, "Announce", tag).Get(ctx, &announced); err != nil {
		return "", err
	}
	if o.Wait {
		workflow.GetSignalChannel(ctx, GoOn).Receive(ctx, nil)
	}
	// The very object that the local activity was given.
	if err := workflow.ExecuteActivity(ctx, "PushTag", tag).Get(ctx, &pushed); err != nil {
		return "", err
	}
	if o.Mirror {
		if err := workflow.ExecuteChildWorkflow(ctx, "Mirror", o.Token).Get(ctx, nil); err != nil {
			return "", err
		}
	}
	if o.Rounds > 0 {
		o.Rounds--
		return "", workflow.NewContinueAsNewError(ctx, ReleaseType, o)
	}
	return pushed + ", " + announced, nil
}

// mirror is the child of a release.
func mirror[T Token](ctx workflow.Context, token T) error {
	ctx = options(ctx)
	return workflow.ExecuteActivity(ctx, "PushTag", Tag[T]{Name: "mirror", Token: token}).Get(ctx, nil)
}

func options(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 3},
	})
}

// RegisterWorkflows registers the release with a token of type T.
func RegisterWorkflows[T Token](r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(release[T], workflow.RegisterOptions{Name: ReleaseType})
	r.RegisterWorkflowWithOptions(mirror[T], workflow.RegisterOptions{Name: "Mirror"})
}

// RegisterActivities registers the release's activities with a token of type T.
func RegisterActivities[T Token](r worker.ActivityRegistry, seen *Seen) {
	RegisterActivitiesAs[T](r, "", seen)
}

// RegisterActivitiesAs is RegisterActivities with a prefix to their names.
func RegisterActivitiesAs[T Token](r worker.ActivityRegistry, prefix string, seen *Seen) {
	note := func(activity string, token T) error {
		text, err := reveal(token)
		if err == nil {
			seen.Add(activity, text)
		}
		return err
	}
	r.RegisterActivityWithOptions(func(_ context.Context, t Tag[T]) (string, error) {
		return "pushed " + t.Name, note(prefix+"PushTag", t.Token)
	}, activity.RegisterOptions{Name: prefix + "PushTag"})
	r.RegisterActivityWithOptions(func(_ context.Context, t *Tag[T]) (string, error) {
		return "announced " + t.Name, note(prefix+"Announce", t.Token)
	}, activity.RegisterOptions{Name: prefix + "Announce"})
}

func reveal[T Token](token T) (string, error) {
	switch t := any(token).(type) {
	case string:
		return t, nil
	case secrets.Value:
		return t.Reveal()
	}
	return "", nil
}
