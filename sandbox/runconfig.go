package sandbox

import (
	"encoding/json"
	"slices"
)

// RunConfig configures one run of an agent. The zero RunConfig is the default
// one. The format's settings that are code have no field: there is nothing
// they could travel as. Free-form objects are kept as JSON; a secret cannot
// stand in them.
type RunConfig struct {
	// Model is the name of the model. Empty means the agent's own.
	Model string `json:"model,omitzero"`
	// ModelSettings is a free-form object.
	ModelSettings json.RawMessage `json:"model_settings,omitzero"`
	// NestHandoffHistory is a setting of handoffs. Nil means the default.
	NestHandoffHistory *bool `json:"nest_handoff_history,omitzero"`
	// TracingDisabled switches tracing off. Nil means the default.
	TracingDisabled *bool `json:"tracing_disabled,omitzero"`
	// Tracing is a free-form object.
	Tracing json.RawMessage `json:"tracing,omitzero"`
	// TraceIncludeSensitiveData lets traces hold inputs and outputs. Nil means
	// the default.
	TraceIncludeSensitiveData *bool `json:"trace_include_sensitive_data,omitzero"`
	// WorkflowName is the name in traces. Empty means the default.
	WorkflowName string `json:"workflow_name,omitzero"`
	// TraceID is the id of the trace. Empty means a new one.
	TraceID string `json:"trace_id,omitzero"`
	// GroupID links traces. Empty means none.
	GroupID string `json:"group_id,omitzero"`
	// TraceMetadata is a free-form object.
	TraceMetadata json.RawMessage `json:"trace_metadata,omitzero"`
	// SessionSettings is an object with the one key "limit".
	SessionSettings json.RawMessage `json:"session_settings,omitzero"`
	// ReasoningItemIDPolicy is "preserve", "omit" or empty.
	ReasoningItemIDPolicy string `json:"reasoning_item_id_policy,omitzero"`
	// Sandbox asks for a sandbox. Nil means none.
	Sandbox *SandboxRunConfig `json:"sandbox,omitzero"`
	// ToolExecution is an object with the keys
	// "max_function_tool_concurrency" and "pre_approval_tool_input_guardrails".
	ToolExecution json.RawMessage `json:"tool_execution,omitzero"`
	// ToolNotFoundBehavior is "raise_error", "return_error_to_model" or empty.
	ToolNotFoundBehavior string `json:"tool_not_found_behavior,omitzero"`
	// ToolNameCollisionPolicy is "warn", "error" or empty.
	ToolNameCollisionPolicy string `json:"tool_name_collision_policy,omitzero"`
}

// ToMap returns c in map form: what [NormalizeRunConfig] accepts and what the
// JSON form decodes to, with exact integers (int64 or [encoding/json.Number])
// and references as tagged maps. The map shares nothing with c and holds no
// value of a secret, resolved or not. What has no JSON form, such as malformed
// settings, is left out or null: normalise a value that may be wrong first.
//
//workflowcheck:ignore
func (c RunConfig) ToMap() map[string]any { return toMap(c) }

// UnmarshalJSON reads c in [Lenient] mode. The error is an [*Error].
func (c *RunConfig) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

func (c RunConfig) tree() map[string]any {
	t := map[string]any{}
	for key, value := range map[string]string{
		"model":                      c.Model,
		"workflow_name":              c.WorkflowName,
		"trace_id":                   c.TraceID,
		"group_id":                   c.GroupID,
		"reasoning_item_id_policy":   c.ReasoningItemIDPolicy,
		"tool_not_found_behavior":    c.ToolNotFoundBehavior,
		"tool_name_collision_policy": c.ToolNameCollisionPolicy,
	} {
		if value != "" {
			t[key] = value
		}
	}
	for key, value := range map[string]*bool{
		"nest_handoff_history":         c.NestHandoffHistory,
		"tracing_disabled":             c.TracingDisabled,
		"trace_include_sensitive_data": c.TraceIncludeSensitiveData,
	} {
		if value != nil {
			t[key] = *value
		}
	}
	for key, value := range map[string]json.RawMessage{
		"model_settings":   c.ModelSettings,
		"tracing":          c.Tracing,
		"trace_metadata":   c.TraceMetadata,
		"session_settings": c.SessionSettings,
		"tool_execution":   c.ToolExecution,
	} {
		if len(value) > 0 {
			t[key] = value
		}
	}
	if c.Sandbox != nil {
		t["sandbox"] = *c.Sandbox
	}
	return t
}

// codeKeys returns the settings that are code in the Python program.
func codeKeys() []string {
	return []string{
		"model_provider", "handoff_input_filter", "handoff_history_mapper", "input_guardrails", "output_guardrails",
		"session_input_callback", "call_model_input_filter", "tool_error_formatter",
	}
}

func isRunConfigKey(key string) bool {
	switch key {
	case "model", "model_settings", "nest_handoff_history", "tracing_disabled", "tracing", "trace_include_sensitive_data",
		"workflow_name", "trace_id", "group_id", "trace_metadata", "session_settings", "reasoning_item_id_policy", "sandbox",
		"tool_execution", "tool_not_found_behavior", "tool_name_collision_policy":
		return true
	default:
		return slices.Contains(codeKeys(), key)
	}
}

// runConfig reads a RunConfig. Null is the default one. Unknown keys are faults
// in both modes, as they are for the Python models.
func (d *decoder) runConfig(v any, at *place) RunConfig {
	v = d.shape(v, at)
	if v == nil {
		return RunConfig{}
	}
	m, ok := d.fields(v, at)
	if !ok {
		return RunConfig{}
	}
	d.known(m, at, isRunConfigKey, true)
	for _, key := range codeKeys() {
		if !d.null(m, key) {
			d.report(at.key(key), RuleNoJSONForm, "must not be set: code cannot be recorded")
		}
	}
	out := RunConfig{
		Model:                     d.plainStr(m, "model", at),
		ModelSettings:             d.object(m, "model_settings", at),
		NestHandoffHistory:        d.nullBool(m, "nest_handoff_history", at),
		TracingDisabled:           d.nullBool(m, "tracing_disabled", at),
		Tracing:                   d.object(m, "tracing", at),
		TraceIncludeSensitiveData: d.nullBool(m, "trace_include_sensitive_data", at),
		WorkflowName:              d.plainStr(m, "workflow_name", at),
		TraceID:                   d.plainStr(m, "trace_id", at),
		GroupID:                   d.plainStr(m, "group_id", at),
		TraceMetadata:             d.object(m, "trace_metadata", at),
		SessionSettings:           d.sessionSettings(m, at),
		ReasoningItemIDPolicy:     d.oneOf(m, "reasoning_item_id_policy", at, "preserve", "omit"),
		ToolExecution:             d.toolExecution(m, at),
		ToolNotFoundBehavior:      d.oneOf(m, "tool_not_found_behavior", at, "raise_error", "return_error_to_model"),
		ToolNameCollisionPolicy:   d.oneOf(m, "tool_name_collision_policy", at, "warn", "error"),
	}
	if !d.null(m, "sandbox") {
		sandbox := d.sandboxConfig(m["sandbox"], at.key("sandbox"))
		out.Sandbox = &sandbox
	}
	return out
}

func (d *decoder) sessionSettings(m map[string]any, at *place) json.RawMessage {
	return d.closedObject(m, "session_settings", at, schema{"limit": kindIntOrNull})
}

func (d *decoder) toolExecution(m map[string]any, at *place) json.RawMessage {
	raw := d.closedObject(m, "tool_execution", at, schema{
		"max_function_tool_concurrency":      kindIntOrNull,
		"pre_approval_tool_input_guardrails": kindBool,
	})
	if raw != nil {
		at := at.key("tool_execution")
		if fields, ok := d.fields(m["tool_execution"], at); ok {
			d.limit(fields, "max_function_tool_concurrency", at)
		}
	}
	return raw
}

// closedObject is object for one with a closed set of keys.
func (d *decoder) closedObject(m map[string]any, key string, at *place, keys schema) json.RawMessage {
	if d.null(m, key) {
		return nil
	}
	at = at.key(key)
	fields, ok := d.fields(m[key], at)
	if !ok {
		return nil
	}
	d.known(fields, at, func(key string) bool { _, ok := keys[key]; return ok }, true)
	return d.raw(d.checked(fields, at, keys), at)
}
