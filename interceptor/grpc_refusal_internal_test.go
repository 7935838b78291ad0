package interceptor

import (
	"testing"

	"go.temporal.io/api/workflowservice/v1"
)

// TestConnectionRefusesNoWorker asks, of every method that a server has, whether it
// may be refused: those of workers, those that end something and those that read
// may not.
func TestConnectionRefusesNoWorker(t *testing.T) {
	refusable := map[string]bool{}
	for _, name := range []string{
		"RegisterNamespace", "UpdateNamespace", "StartWorkflowExecution", "ExecuteMultiOperation", "SignalWorkflowExecution",
		"SignalWithStartWorkflowExecution", "ResetWorkflowExecution", "QueryWorkflow", "CreateSchedule", "UpdateSchedule", "PatchSchedule",
		"UpdateWorkerBuildIdCompatibility", "UpdateWorkerVersioningRules", "SetCurrentDeployment", "SetWorkerDeploymentCurrentVersion",
		"SetWorkerDeploymentRampingVersion", "CreateWorkerDeployment", "CreateWorkerDeploymentVersion",
		"UpdateWorkerDeploymentVersionComputeConfig", "UpdateWorkerDeploymentVersionMetadata", "SetWorkerDeploymentManager",
		"UpdateWorkflowExecution", "StartBatchOperation", "UpdateActivityOptions", "UpdateWorkflowExecutionOptions", "PauseActivity",
		"UnpauseActivity", "ResetActivity", "CreateWorkflowRule", "TriggerWorkflowRule", "UpdateTaskQueueConfig", "UpdateWorkerConfig",
		"PauseWorkflowExecution", "UnpauseWorkflowExecution", "StartActivityExecution", "StartNexusOperationExecution",
		"PauseActivityExecution", "ResetActivityExecution", "UnpauseActivityExecution", "UpdateActivityExecutionOptions",
	} {
		refusable[name] = true
	}
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().Get(0).Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if got := !mustGo("/service/" + name); got != refusable[name] {
			t.Errorf("%s: may be refused %v, want %v", name, got, refusable[name])
		}
		delete(refusable, name)
	}
	for name := range refusable {
		t.Errorf("there is no method %s", name)
	}
}
