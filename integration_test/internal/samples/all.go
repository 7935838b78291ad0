package samples

import (
	"cmp"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
)

// All returns every sample, ordered by name.
func All() []Sample {
	all := []Sample{
		activityPanic(), agentLoop(), asyncCompletion(), cancellation(), childCancellation(), children(), contextPropagation(),
		continueAsNew(), dynamicActivity(), dynamicWorkflow(), eagerStart(), encryptionCodec(), externalSignals(),
		failedWorkflow(), fanOut(), interceptors(), localActivities(), memo(), protobuf(), queries(),
		rawValues(), reset(), retries(), saga(), schedule(), searchAttributes(), selectors(), sessions(),
		sideEffects(), signalWithStart(), signals(), standaloneActivity(), timeouts(), timers(), updateWithStart(),
		updates(), versioning(), workerInterceptors(), workflowPanic(), workflowRetry(),
	}
	slices.SortFunc(all, func(a, b Sample) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// SearchAttributes are what the samples need the server to know.
func SearchAttributes() map[string]enumspb.IndexedValueType {
	return map[string]enumspb.IndexedValueType{
		stageKey.GetName(): stageKey.GetValueType(),
		countKey.GetName(): countKey.GetValueType(),
	}
}
