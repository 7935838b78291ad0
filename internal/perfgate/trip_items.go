package main

import (
	"context"

	"go.temporal.io/sdk/activity"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// tripItems are whole activities in the SDK's test environment, which decodes the
// arguments, calls interceptors and activity, and encodes the result.
func tripItems(r *report) error {
	if !r.wants("P10") {
		return nil
	}
	shapes := shapes()
	megabyte := shapes[4].result.(blob).Data[:1<<20]
	for _, item := range []struct {
		of     shape
		name   string
		result any
		bar    float64
	}{
		{shapes[0], "small", shapes[0].result, 1.20},
		{shapes[1], "man50, 10 KB", shapes[1].result, 1.06},
		{shapes[0], "1 MB", blob{"page", megabyte}, 1.06},
	} {
		set, err := known(item.of.secrets)
		if err != nil {
			return err
		}
		for _, literals := range []string{"off", "enforce"} {
			with := setting{policy: policy(item.of.refs, literals), hidden: set, values: values(item.of.secrets)}
			w, err := with.guarded()
			if err != nil {
				return err
			}
			plain, err := trip(nil, item.of.args[0], item.result)
			if err != nil {
				return err
			}
			guarded, err := trip(w, item.of.args[0], item.result)
			if err != nil {
				return err
			}
			p := pair{id: "P10", name: item.name + ", literals " + literals, candidate: guarded, yardstick: plain, weight: 2}
			if literals == "off" {
				p.bar = item.bar
			}
			r.measure(p)
		}
	}
	return nil
}

// trip returns one activity from the encoding of its arguments to that of its
// result.
func trip(w sdkinterceptor.WorkerInterceptor, arg, result any) (func(), error) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestActivityEnvironment()
	if w != nil {
		env.SetWorkerOptions(worker.Options{Interceptors: []sdkinterceptor.WorkerInterceptor{w}})
	}
	env.RegisterActivityWithOptions(func(context.Context, sandbox.Manifest) (any, error) { return result, nil }, activity.RegisterOptions{Name: "StartJob"})
	do := func() error {
		_, err := env.ExecuteActivity("StartJob", arg)
		return err
	}
	if err := do(); err != nil {
		return nil, err
	}
	return func() {
		if err := do(); err != nil {
			panic(err) // it has worked before
		}
	}, nil
}

// silent is a logger that writes nothing, as the yardstick logs nothing.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
