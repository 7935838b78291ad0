package scan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Advice is a thing to do about a credential.
type Advice struct {
	// Do is one of "bind", "send-name", "stop-returning", "remove", "update-schedule",
	// "rotate", "expire".
	Do string `json:"do"`
	// Text says it in a sentence.
	Text string `json:"text"`
	// Policy is what to add to the policy file, in YAML, with NAME for the secret.
	Policy string `json:"policy,omitempty"`
}

// maxBound is how many grants the advice spells out.
const maxBound = 8

// advice says what to do about a credential, in the order in which running
// workflows go on: first the worker fills the field, then the value changes, then
// what is left of it goes.
func (c *credential) advice(places []Counted) []Advice {
	var out []Advice
	if policy := bindings(places); policy != "" {
		out = append(out, Advice{
			Do: "bind", Policy: policy,
			Text: "Bind the field: the worker then fills it from a provider, whatever history holds, and running workflows go on with the next value.",
		})
	}
	if has(places, isStart) {
		out = append(out, Advice{
			Do:   "send-name",
			Text: "Send no value with a start, signal or update: leave the field empty where it is bound, or pass secrets.Env(\"NAME\").",
		})
	}
	if has(places, isReturned) {
		out = append(out, Advice{
			Do:   "stop-returning",
			Text: "Run the worker with the guard and grant the secret: it hides the value in results, errors and heartbeats. Then let the activity stop returning it.",
		})
	}
	if has(places, isName) {
		out = append(out, Advice{
			Do:   "remove",
			Text: "Take it out of memos, search attributes, headers and names: they can be listed, are copied by continue-as-new, and no codec encrypts search attributes, keys and names.",
		})
	}
	if c.schedules > 0 {
		out = append(out, Advice{Do: "update-schedule", Text: "Update the schedule, or each run that it starts holds the value again."})
	}
	rotate := "Rotate it: whoever can read the namespace, or these files, has it."
	if c.running > 0 {
		rotate = fmt.Sprintf("Rotate it, after the above is deployed: %s still running. Whoever can read the namespace has it.", runs(c.running))
	}
	out = append(out, Advice{Do: "rotate", Text: rotate})
	switch {
	case c.runs > 0:
		out = append(out, Advice{
			Do:   "expire",
			Text: "The old value stays in closed runs until their retention ends; temporal workflow delete removes a run at once. Exported files go, too.",
		})
	case c.activities > 0:
		out = append(out, Advice{
			Do:   "expire",
			Text: "The old value stays in closed activities until their retention ends. Exported files go, too.",
		})
	}
	return out
}

func runs(n int) string {
	if n == 1 {
		return "1 run is"
	}
	return fmt.Sprintf("%d runs are", n)
}

func has(places []Counted, is func(Place) bool) bool {
	for _, p := range places {
		if is(p.Place) {
			return true
		}
	}
	return false
}

func isStart(p Place) bool {
	switch p.Event {
	case "WorkflowExecutionStarted", "WorkflowExecutionSignaled", "StartChildWorkflowExecutionInitiated",
		"SignalExternalWorkflowExecutionInitiated", "WorkflowExecutionUpdateAccepted", "WorkflowExecutionContinuedAsNew":
		return !isName(p)
	case eventActivity:
		return p.Field == "input"
	}
	return false
}

func isReturned(p Place) bool {
	return p.Field == "result" || p.Field == "failure" || p.Field == "heartbeatDetails" || p.Field == "lastFailure" || p.Event == "MarkerRecorded"
}

func isName(p Place) bool {
	switch p.Field {
	case "memo", "upsertedMemo", "searchAttributes", "header", "nexusHeader", "workflowId", "activityId", "signalName", "identity", "userMetadata":
		return true
	}
	return false
}

// bindings are the grants that bind the inputs of activities among the places, by
// queue.
func bindings(places []Counted) string {
	grants := map[string][]string{}
	left := maxBound
	for _, p := range places {
		if p.Event != "ActivityTaskScheduled" && p.Event != eventActivity || p.Field != "input" || p.Path == "" || strings.ContainsAny(p.Path, "()") ||
			!isPlain(p.Name) || !isPlain(p.Queue) || left == 0 {
			continue
		}
		left--
		grants[p.Queue] = append(grants[p.Queue],
			fmt.Sprintf("      - {secret: NAME, to: {activity: %s, input: %s}, literal: replace}\n", p.Name, p.Path))
	}
	if len(grants) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("queues:\n")
	for _, queue := range slices.Sorted(maps.Keys(grants)) {
		b.WriteString("  " + queue + ":\n    grants:\n" + strings.Join(grants[queue], ""))
	}
	return b.String()
}

// isPlain reports whether a name can stand in YAML without quotes.
func isPlain(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") == "" && s[0] != '-' && s[0] != '.'
}
