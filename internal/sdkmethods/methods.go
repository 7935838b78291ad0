// Package sdkmethods knows the methods of the SDK's interceptors that this version
// of the guard has looked at.
package sdkmethods

import (
	"reflect"
	"slices"

	sdkinterceptor "go.temporal.io/sdk/interceptor"
)

// looked are the methods of each SDK interface that this version of the guard has looked at
// and either guards or knows to carry nothing. Embedding the SDK's base types
// hides methods that a newer SDK adds, so that a new way into history would pass
// unseen: comparing names at construction is what makes the guard refuse to start
// instead.
var looked = map[reflect.Type][]string{
	reflect.TypeFor[sdkinterceptor.WorkflowOutboundInterceptor](): {
		"Await", "AwaitWithOptions", "AwaitWithTimeout", "ExecuteActivity", "ExecuteChildWorkflow",
		"ExecuteLocalActivity", "ExecuteNexusOperation", "GetCurrentUpdateInfo", "GetInfo", "GetLastCompletionResult",
		"GetLastError", "GetLogger", "GetMetricsHandler", "GetSignalChannel", "GetSignalChannelWithOptions",
		"GetTypedSearchAttributes", "GetVersion", "Go", "HasLastCompletionResult", "IsReplaying", "MutableSideEffect",
		"MutableSideEffectWithOptions", "NewContinueAsNewError", "NewContinueAsNewErrorWithOptions", "NewTimer",
		"NewTimerWithOptions", "Now", "RequestCancelExternalWorkflow", "RequestCancelNexusOperation",
		"SetQueryHandler", "SetQueryHandlerWithOptions", "SetUpdateHandler", "SideEffect", "SideEffectWithOptions",
		"SignalChildWorkflow", "SignalExternalWorkflow", "Sleep", "UpsertMemo", "UpsertSearchAttributes",
		"UpsertTypedSearchAttributes",
	},
	reflect.TypeFor[sdkinterceptor.WorkflowInboundInterceptor](): {
		"ExecuteUpdate", "ExecuteWorkflow", "HandleQuery", "HandleSignal", "Init", "ValidateUpdate",
	},
	reflect.TypeFor[sdkinterceptor.ActivityInboundInterceptor](): {"ExecuteActivity", "Init"},
	reflect.TypeFor[sdkinterceptor.ActivityOutboundInterceptor](): {
		"GetClient", "GetHeartbeatDetails", "GetInfo", "GetLogger", "GetMetricsHandler", "GetWorkerStopChannel",
		"HasHeartbeatDetails", "RecordHeartbeat",
	},
	reflect.TypeFor[sdkinterceptor.ClientOutboundInterceptor](): {
		"CancelActivity", "CancelNexusOperation", "CancelWorkflow", "CreateSchedule", "DescribeActivity",
		"DescribeNexusOperation", "DescribeWorkflow", "ExecuteActivity", "ExecuteNexusOperation", "ExecuteWorkflow",
		"GetActivityHandle", "GetNexusOperationHandle", "PauseActivity", "PollActivityResult",
		"PollNexusOperationResult", "PollWorkflowUpdate", "QueryWorkflow", "SignalWithStartWorkflow",
		"SignalWorkflow", "TerminateActivity", "TerminateNexusOperation", "TerminateWorkflow", "UnpauseActivity",
		"UpdateActivityOptions", "UpdateWithStartWorkflow", "UpdateWorkflow",
	},
}

// Unknown returns the methods of the linked SDK that are neither known nor accepted,
// sorted. On a supported version there is none.
func Unknown(accepted []string) []string {
	var unknown []string
	for t, known := range looked {
		for i := range t.NumMethod() {
			name := t.Method(i).Name
			if !t.Method(i).IsExported() || slices.Contains(known, name) || slices.Contains(accepted, name) {
				continue
			}
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}
