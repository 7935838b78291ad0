package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// server stands where the SDK's own client would send: it keeps what it is given.
type server struct {
	interceptor.ClientOutboundInterceptorBase
	got []any
}

func (s *server) keep(in any) { s.got = append(s.got, in) }

func (s *server) ExecuteWorkflow(_ context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) SignalWorkflow(_ context.Context, in *interceptor.ClientSignalWorkflowInput) error {
	s.keep(in)
	return nil
}

func (s *server) SignalWithStartWorkflow(_ context.Context, in *interceptor.ClientSignalWithStartWorkflowInput) (client.WorkflowRun, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) UpdateWorkflow(_ context.Context, in *interceptor.ClientUpdateWorkflowInput) (client.WorkflowUpdateHandle, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) UpdateWithStartWorkflow(_ context.Context, in *interceptor.ClientUpdateWithStartWorkflowInput) (client.WorkflowUpdateHandle, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) QueryWorkflow(_ context.Context, in *interceptor.ClientQueryWorkflowInput) (converter.EncodedValue, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) CreateSchedule(_ context.Context, in *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) ExecuteActivity(_ context.Context, in *interceptor.ClientExecuteActivityInput) (client.ActivityHandle, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) ExecuteNexusOperation(_ context.Context, in *interceptor.ClientExecuteNexusOperationInput) (client.NexusOperationHandle, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) CancelWorkflow(_ context.Context, in *interceptor.ClientCancelWorkflowInput) error {
	s.keep(in)
	return nil
}

func (s *server) TerminateWorkflow(_ context.Context, in *interceptor.ClientTerminateWorkflowInput) error {
	s.keep(in)
	return nil
}

func (s *server) CancelActivity(_ context.Context, in *interceptor.ClientCancelActivityInput) error {
	s.keep(in)
	return nil
}

func (s *server) TerminateActivity(_ context.Context, in *interceptor.ClientTerminateActivityInput) error {
	s.keep(in)
	return nil
}

func (s *server) PauseActivity(_ context.Context, in *interceptor.ClientPauseActivityInput) error {
	s.keep(in)
	return nil
}

func (s *server) UnpauseActivity(_ context.Context, in *interceptor.ClientUnpauseActivityInput) error {
	s.keep(in)
	return nil
}

func (s *server) UpdateActivityOptions(_ context.Context, in *interceptor.ClientUpdateActivityOptionsInput) (*interceptor.ClientUpdateActivityOptionsOutput, error) {
	s.keep(in)
	return nil, nil
}

func (s *server) CancelNexusOperation(_ context.Context, in *interceptor.ClientCancelNexusOperationInput) error {
	s.keep(in)
	return nil
}

func (s *server) TerminateNexusOperation(_ context.Context, in *interceptor.ClientTerminateNexusOperationInput) error {
	s.keep(in)
	return nil
}

// clientOf is a guarded client in front of a server.
func clientOf(tb testing.TB, opts guard.Options, s *server) interceptor.ClientOutboundInterceptor {
	tb.Helper()
	i, err := guard.NewClient(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return i.InterceptClient(s)
}
