package interceptor_test

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// Begin in report mode: nothing is refused, and within minutes the log says which
// activities carry credentials, each once, and which line of policy would bind the
// field.
func Example_reportMode() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
default: {mode: report}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	logger := zap.New(printing{zapcore.InfoLevel}) // your own; this one prints the fields that matter here
	g, err := guard.New(guard.Options{Policies: policies, Audit: quiet, Logger: logger, Unguarded: newerSDK})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := newEnvironment(g)
	pushed := 0
	env.RegisterActivityWithOptions(func(context.Context, PushTagInput) error { pushed++; return nil }, activity.RegisterOptions{Name: "PushTag"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		in := PushTagInput{Repo: "app", Token: "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"}
		for range 3 {
			if err := workflow.ExecuteActivity(ctx, "PushTag", in).Get(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Println("pushed:", pushed, "error:", env.GetWorkflowError())
	// Output:
	// warn found, would be refused under mode enforce PushTag /0/token literal-credential
	// pushed: 3 error: <nil>
}

// printing prints the fields that matter in the example.
type printing struct{ zapcore.LevelEnabler }

func (s printing) With([]zapcore.Field) zapcore.Core { return s }
func (s printing) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return ce.AddCore(e, s)
}
func (printing) Sync() error { return nil }
func (printing) Write(e zapcore.Entry, fields []zapcore.Field) error {
	enc := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(enc)
	}
	fmt.Println(e.Level, e.Message, enc.Fields["name"], enc.Fields["path"], enc.Fields["rule"])
	return nil
}
