package sandboxhost

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// sessionSpace is the name space of session ids, which are UUIDs of version 5.
var sessionSpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/sandboxguard/sandboxguard/session"))

// A record is what the host knows of a session. It is the only truth: what callers say is compared with it.
type record struct {
	ID string `json:"id"`
	// Epoch counts the hosts that had the session. Only the one with the highest may use it.
	Epoch int `json:"epoch"`
	// The owner is a workflow: Run created the session, and FirstRun is the one with which its chain of runs
	// began.
	Namespace  string `json:"namespace"`
	WorkflowID string `json:"workflow_id"`
	Workflow   string `json:"workflow_type,omitempty"`
	Run        string `json:"run_id"`
	FirstRun   string `json:"first_run_id"`
	// Manifest holds references and never values.
	Manifest sandbox.Manifest       `json:"manifest"`
	Digest   string                 `json:"manifest_digest"`
	Options  *sandbox.ClientOptions `json:"options,omitempty"`
	// Made is whether the sandbox was made.
	Made bool `json:"made"`
	// Started is whether commands may run: after a restart of the host it is started again when it is needed.
	Started bool      `json:"started,omitempty"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"last_used"`
	// Given tells which secrets the session was given.
	Given []grant `json:"given,omitempty"`
}

// nameOf is an id that is the same for the same parts, whatever is in them.
func nameOf(parts ...string) string {
	data, _ := json.Marshal(parts) // strings always have a JSON form
	return uuid.NewSHA1(sessionSpace, data).String()
}
