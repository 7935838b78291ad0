package integration_test

import "slices"

// A row is one way out of the process.
type row struct {
	// name is unique and says who plants it.
	name string
	// channel is the entry of the list of channels that it belongs to.
	channel string
	// asked is true where an activity asks for the value, which the guard resolves
	// for it. All other values are in the guard's set from the beginning.
	asked bool
	// before is true for what stands in history already, put there by somebody
	// without the guard. What a codec has encrypted there stays as it is.
	before bool
	// unseen is true where a codec of the converter hides the value from people
	// too: there is nothing to find in such a set-up.
	unseen bool
	// nowhere is true for what never leaves the process, guarded or not. What is
	// planted there is seen to have been there.
	nowhere bool
	// refused is true for what the guard has to refuse, since nothing can be hidden
	// there.
	refused bool
}

// rows lists every channel.
func rows() []row {
	var all []row
	of := func(channel string, names ...string) {
		for _, n := range names {
			all = append(all, row{name: n, channel: channel})
		}
	}
	asked := func(channel string, names ...string) {
		for _, n := range names {
			all = append(all, row{name: n, channel: channel, asked: true})
		}
	}
	nowhere := func(channel string, names ...string) {
		for _, n := range names {
			all = append(all, row{name: n, channel: channel, nowhere: true})
		}
	}
	refused := func(channel string, names ...string) {
		for _, n := range names {
			all = append(all, row{name: n, channel: channel, refused: true})
		}
	}
	of("start-workflow args", "start args", "start args, nested", "start args, bytes", "start args, payload", "signal-with-start args")
	of("update-with-start start args", "update-with-start start args", "update-with-start memo")
	of("memo, SA, StaticSummary/Details at start", "start memo", "start memo key", "start search attribute", "start search attribute, untyped",
		"start summary", "start details", "signal-with-start memo")
	for _, w := range writers {
		for _, call := range slices.Concat(labelledCalls, []string{"activity", "child", "signal", "continue-as-new"}) {
			of("headers", call+w.row)
		}
		nowhere("headers", "local activity"+w.row)
	}
	of("search attribute keys", "start search attribute key", "standalone search attribute key", "schedule search attribute key",
		"child search attribute key", "upserted search attribute key")
	of("fairness keys", "start fairness key", "signal-with-start fairness key", "standalone fairness key", "schedule fairness key",
		"activity fairness key", "child fairness key")
	refused("retry policies", "start retry policy", "signal-with-start retry policy", "update-with-start retry policy", "standalone retry policy",
		"schedule retry policy")
	refused("retry policies", "activity retry policy", "child retry policy", "continue-as-new retry policy")
	nowhere("retry policies", "local activity retry policy")
	of("workflow ID, child ID, activity ID, update ID, signal name, task queue, types", "workflow id", "workflow type", "start task queue",
		"activity type", "activity task queue", "child type", "child task queue", "external workflow id", "signal name", "client signal name",
		"query name", "update name", "schedule id", "schedule workflow id", "query handler name", "update handler name")
	of("activity args", "activity args", "activity args, map key", "activity args, bytes", "activity args past the converter")
	of("activity summary, ID, TQ, retry", "activity summary", "activity id")
	asked("activity result", "result text", "result struct", "result map key", "result bytes", "result list", "result protobuf", "result payload",
		"result JSON", "result with a marshaler")
	asked("activity error: message, type, cause chain, details, stack", "error message", "error type", "error details", "error cause", "error wrapped", "error joined")
	asked("activity panic value", "panic text", "panic error")
	asked("heartbeat details", "heartbeat", "heartbeat of a failed attempt")
	of("async completion CompleteActivity*", "completion result", "completion error", "completion by id", "client heartbeat", "client heartbeat by id")
	nowhere("local activity args", "local activity args")
	asked("local activity result / error", "local result", "local error", "local error details", "local panic")
	of("SideEffect / MutableSideEffect value", "side effect", "mutable side effect")
	of("MutableSideEffect id, summaries", "mutable side effect id", "side effect summary", "mutable side effect summary")
	of("GetVersion change ID", "change id")
	of("signal to workflow (client)", "client signal", "signal-with-start signal")
	of("signal external / child", "external signal", "child signal")
	of("query args/result/error", "query args", "query result", "query error", "query panic")
	nowhere("__stack_trace, __open_sessions", "stack trace", "open sessions")
	of("__temporal_workflow_metadata", "current details", "query description", "update description", "signal description")
	of("update args", "update args", "update id", "update-with-start update args")
	of("update result / failure", "update result", "update failure", "update rejection")
	of("child input, memo, SA, static summary/details, ID", "child args", "child memo", "child memo key", "child search attribute", "child summary", "child details", "child id")
	of("continue-as-new input (+ carried memo, SA)", "continue-as-new args", "raw continue-as-new", "continue-as-new type", "continue-as-new task queue")
	all = append(all,
		row{name: "carried memo", channel: "continue-as-new input (+ carried memo, SA)", before: true},
		row{name: "carried search attribute", channel: "continue-as-new input (+ carried memo, SA)", before: true},
		row{name: "non-determinism of an id", channel: "workflow panic, non-determinism text", before: true},
		row{name: "non-determinism of a type", channel: "workflow panic, non-determinism text", before: true},
		row{name: "non-determinism of a header", channel: "workflow panic, non-determinism text", before: true},
		row{name: "late result log", channel: "logs", asked: true, unseen: true})
	of("workflow result / failure / canceled details", "workflow result", "workflow failure", "workflow failure type", "workflow failure details", "workflow failure cause", "workflow canceled details")
	of("activity error of arguments that cannot be decoded", "decode error")
	of("workflow panic, non-determinism text", "workflow panic")
	of("UpsertMemo / UpsertTypedSearchAttributes", "upserted memo", "upserted memo key", "upserted search attribute", "upserted search attribute, untyped")
	of("timers, Await, Sleep summaries", "timer summary", "await summary")
	of("Nexus operation input/header/summary", "operation input", "operation header", "operation summary", "operation name", "endpoint", "service",
		"client Nexus input", "client Nexus header", "client Nexus summary", "client Nexus id")
	of("Nexus handler result/error", answered...)
	of("Nexus handler result/error", "operation token")
	of("standalone activity args/summary/details", "standalone args", "standalone id", "standalone summary", "standalone details", "standalone cancel reason", "standalone terminate reason")
	asked("standalone activity result", "standalone result", "standalone error")
	of("schedules: create", "schedule args", "schedule args, payload", "schedule memo", "schedule search attribute", "schedule action memo",
		"schedule note", "schedule summary", "schedule workflow type", "schedule update", "schedule pause note", "schedule unpause note",
		"schedule trigger", "schedule backfill")
	of("cancel/terminate reason, terminate details", "cancel reason", "terminate reason", "terminate details")
	of("raw client.WorkflowService()", "raw start", "raw signal", "raw workflow id", "worker deployment of an override")
	refused("worker identity", "client identity", "worker identity", "worker build id", "worker deployment name", "worker deployment build id")
	refused("worker heartbeats", "client plugin name", "worker plugin name", "SDK name", "SDK version", "storage driver type")
	of("logs", "workflow log", "workflow log field")
	asked("logs", "activity log", "activity log field")
	asked("metrics", "activity metric")
	of("metrics", "workflow metric")
	of("external storage", "stored payload")
	return all
}
