package interceptor_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// Arguments of calls that the SDK has no struct for.
type (
	nexusCall struct {
		Endpoint, Service, Operation string
		Input                        any
		Options                      workflow.NexusOperationOptions
	}
	signalCall struct {
		WorkflowID, RunID, Name string
		Arg                     any
	}
	cancelCall struct{ WorkflowID, RunID string }
	memoCall   struct{ Memo map[string]any }
)

// TestEveryTextOfTheWorkflowsOptions: each string that the SDK lets workflow code
// send is refused or cleaned when it holds a value. A field that a newer SDK adds
// fails here until somebody has looked at it.
func TestEveryTextOfTheWorkflowsOptions(t *testing.T) {
	const soon = time.Second
	for _, tc := range []struct {
		options any
		cleaned string // the suffix of the texts that are cleaned
		send    func(ctx workflow.Context, options any) error
	}{
		{workflow.ActivityOptions{}, "", func(ctx workflow.Context, options any) error {
			o := options.(*workflow.ActivityOptions)
			o.StartToCloseTimeout = soon
			return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, *o), "Push").Get(ctx, nil)
		}},
		{workflow.LocalActivityOptions{}, "", func(ctx workflow.Context, options any) error {
			o := options.(*workflow.LocalActivityOptions)
			o.StartToCloseTimeout = soon
			return workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, *o), "Push").Get(ctx, nil)
		}},
		{workflow.ChildWorkflowOptions{}, "", func(ctx workflow.Context, options any) error {
			return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, *options.(*workflow.ChildWorkflowOptions)), "Child").Get(ctx, nil)
		}},
		{nexusCall{}, "", func(ctx workflow.Context, options any) error {
			c := options.(*nexusCall)
			return workflow.NewNexusClient(c.Endpoint, c.Service).ExecuteOperation(ctx, c.Operation, c.Input, c.Options).Get(ctx, nil)
		}},
		{signalCall{}, "", func(ctx workflow.Context, options any) error {
			c := options.(*signalCall)
			return workflow.SignalExternalWorkflow(ctx, c.WorkflowID, c.RunID, c.Name, c.Arg).Get(ctx, nil)
		}},
		{cancelCall{}, "", func(ctx workflow.Context, options any) error {
			c := options.(*cancelCall)
			return workflow.RequestCancelExternalWorkflow(ctx, c.WorkflowID, c.RunID).Get(ctx, nil)
		}},
		{memoCall{}, "", func(ctx workflow.Context, options any) error {
			return workflow.UpsertMemo(ctx, options.(*memoCall).Memo)
		}},
		{workflow.ContinueAsNewErrorOptions{}, "", func(ctx workflow.Context, options any) error {
			return workflow.NewContinueAsNewErrorWithOptions(ctx, *options.(*workflow.ContinueAsNewErrorOptions), "Next")
		}},
		{workflow.TimerOptions{}, ".Summary", func(ctx workflow.Context, options any) error {
			return workflow.NewTimerWithOptions(ctx, soon, *options.(*workflow.TimerOptions)).Get(ctx, nil)
		}},
		{workflow.AwaitOptions{}, ".TimerOptions.Summary", func(ctx workflow.Context, options any) error {
			o := options.(*workflow.AwaitOptions)
			o.Timeout = soon
			_, err := workflow.AwaitWithOptions(ctx, *o, func() bool { return true })
			return err
		}},
		{workflow.SideEffectOptions{}, ".Summary", func(ctx workflow.Context, options any) error {
			workflow.SideEffectWithOptions(ctx, *options.(*workflow.SideEffectOptions), func(workflow.Context) any { return 1 })
			return nil
		}},
		{workflow.MutableSideEffectOptions{}, ".Summary", func(ctx workflow.Context, options any) error {
			workflow.MutableSideEffectWithOptions(ctx, "id", *options.(*workflow.MutableSideEffectOptions), func(workflow.Context) any { return 1 }, func(a, b any) bool { return a == b })
			return nil
		}},
		{workflow.SignalChannelOptions{}, ".Description", func(ctx workflow.Context, options any) error {
			workflow.GetSignalChannelWithOptions(ctx, "greet", *options.(*workflow.SignalChannelOptions))
			return nil
		}},
		{workflow.QueryHandlerOptions{}, ".Description", func(ctx workflow.Context, options any) error {
			return workflow.SetQueryHandlerWithOptions(ctx, "state", func() (string, error) { return "", nil }, *options.(*workflow.QueryHandlerOptions))
		}},
		{workflow.UpdateHandlerOptions{}, ".Description", func(ctx workflow.Context, options any) error {
			o := options.(*workflow.UpdateHandlerOptions)
			o.Validator = func() error { return nil }
			return workflow.SetUpdateHandlerWithOptions(ctx, "change", func(workflow.Context) error { return nil }, *o)
		}},
	} {
		of := reflect.TypeOf(tc.options)
		t.Run(of.Name(), func(t *testing.T) {
			inputs, odd := planted(of, canary)
			if len(inputs) == 0 || len(odd) > 0 {
				t.Errorf("%d texts, and nobody has looked at %v", len(inputs), odd)
			}
			delete(inputs, ".Validator") // a function, which is not sent
			for at, in := range inputs {
				opts := options(t, "")
				opts.Policies = policies(t, "default: {mode: enforce}\n")
				opts.Hidden = knowing(t, canary)
				s := &spy{}
				env := environment(t, opts, s)
				env.RegisterActivityWithOptions(func(context.Context) error { return nil }, named("Push"))
				err := run(t, env, func(ctx workflow.Context) error { return tc.send(ctx, in.Interface()) })
				if tc.cleaned != "" && strings.HasSuffix(at, tc.cleaned) {
					if err != nil || len(s.sent) == 0 || holdsSent(s.sent) {
						t.Errorf("%s: %v, sent %v", at, err, s.sent)
					}
					continue
				}
				if !guard.IsRefused(err) && !stopped(err) || holdsText(err, canary) || holdsSent(s.sent) {
					t.Errorf("%s: %v, sent %v", at, err, s.sent)
				}
			}
		})
	}
}

// stopped says that the guard stopped workflow code where the SDK takes no error.
func stopped(err error) bool {
	var p *temporal.PanicError
	return errors.As(err, &p) && strings.HasPrefix(p.Error(), guard.ErrorTypePolicyViolation)
}

// TestTextsOfARawContinueAsNew: workflow code may write into the error that it made.
func TestTextsOfARawContinueAsNew(t *testing.T) {
	for name, write := range map[string]func(*workflow.ContinueAsNewError){
		"type":  func(e *workflow.ContinueAsNewError) { e.WorkflowType.Name = canary },
		"queue": func(e *workflow.ContinueAsNewError) { e.TaskQueueName = canary },
		"errors": func(e *workflow.ContinueAsNewError) {
			e.RetryPolicy = &temporal.RetryPolicy{NonRetryableErrorTypes: []string{canary}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = knowing(t, canary)
			err := run(t, environment(t, opts), func(ctx workflow.Context) error {
				next := workflow.NewContinueAsNewError(ctx, "Next").(*workflow.ContinueAsNewError) //nolint:errorlint // the SDK's own, just made
				write(next)
				return next
			})
			if !guard.IsRefused(err) || holdsText(err, canary) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func holdsSent(calls []sent) bool {
	for _, c := range calls {
		if c.name == canary || holds(c.args, canary) {
			return true
		}
	}
	return false
}

// TestEveryTextOfTheProcess: strings that a worker and a client send of themselves.
func TestEveryTextOfTheProcess(t *testing.T) {
	const (
		checked = "TestNamesOfClientsAndWorkers"
		address = "says where to send, or how"
		sdk     = "the SDK sets it"
	)
	for _, tc := range []struct {
		of    reflect.Type
		known map[string]string
	}{
		{reflect.TypeFor[worker.Options](), map[string]string{
			".Identity": checked, ".BuildID": checked,
			".DeploymentOptions.Version.DeploymentName": checked, ".DeploymentOptions.Version.BuildID": checked,
		}},
		{reflect.TypeFor[client.Options](), map[string]string{
			".HostPort": address, ".ConnectionOptions.Authority": address, ".Namespace": checked, ".Identity": checked,
			".SdkName": sdk, ".SdkVersion": sdk,
		}},
	} {
		got := map[string]string{}
		texts(tc.of, "", func(at string) { got[at] = tc.known[at] })
		for at, where := range got {
			if where == "" {
				t.Errorf("%v%s: nobody has looked at it", tc.of, at)
			}
		}
		for at := range tc.known {
			if _, there := got[at]; !there {
				t.Errorf("%v%s is not there any more", tc.of, at)
			}
		}
	}
}

// texts calls found for each string in a struct of the SDK's.
func texts(of reflect.Type, at string, found func(at string)) {
	switch of.Kind() {
	case reflect.String:
		found(at)
	case reflect.Struct:
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() && (f.Type.Kind() != reflect.Struct || strings.HasPrefix(f.Type.PkgPath(), "go.temporal.io/")) {
				texts(f.Type, at+"."+f.Name, found)
			}
		}
	case reflect.Slice, reflect.Array, reflect.Map:
		texts(of.Elem(), at+"[]", found)
	}
}
