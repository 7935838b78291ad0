package sandbox

import "encoding/json"

// RunConfig configures one run of an agent.
type RunConfig struct {
	Model                     string            `json:"model,omitzero"`
	ModelSettings             json.RawMessage   `json:"model_settings,omitzero"`
	NestHandoffHistory        *bool             `json:"nest_handoff_history,omitzero"`
	TracingDisabled           *bool             `json:"tracing_disabled,omitzero"`
	Tracing                   json.RawMessage   `json:"tracing,omitzero"`
	TraceIncludeSensitiveData *bool             `json:"trace_include_sensitive_data,omitzero"`
	WorkflowName              string            `json:"workflow_name,omitzero"`
	TraceID                   string            `json:"trace_id,omitzero"`
	GroupID                   string            `json:"group_id,omitzero"`
	TraceMetadata             json.RawMessage   `json:"trace_metadata,omitzero"`
	SessionSettings           json.RawMessage   `json:"session_settings,omitzero"`
	ReasoningItemIDPolicy     string            `json:"reasoning_item_id_policy,omitzero"`
	Sandbox                   *SandboxRunConfig `json:"sandbox,omitzero"`
	ToolExecution             json.RawMessage   `json:"tool_execution,omitzero"`
	ToolNotFoundBehavior      string            `json:"tool_not_found_behavior,omitzero"`
	ToolNameCollisionPolicy   string            `json:"tool_name_collision_policy,omitzero"`
}

// SandboxRunConfig is the part of a [RunConfig] that asks for a sandbox.
type SandboxRunConfig struct {
	// Client is the name of the provider.
	Client            string             `json:"client,omitzero"`
	Options           *ClientOptions     `json:"options,omitzero"`
	SessionState      *SessionState      `json:"session_state,omitzero"`
	Manifest          *Manifest          `json:"manifest,omitzero"`
	Snapshot          *Snapshot          `json:"snapshot,omitzero"`
	ConcurrencyLimits *ConcurrencyLimits `json:"concurrency_limits,omitzero"`
	ArchiveLimits     *ArchiveLimits     `json:"archive_limits,omitzero"`
	// Cwd is the directory below the workspace root that tools start in.
	Cwd string `json:"cwd,omitzero"`
}

// ToMap returns the canonical map form of c.
func (c RunConfig) ToMap() map[string]any { return nil }
