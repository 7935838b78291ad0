package interceptor

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
)

// subject is the first line's subject in messages: what was refused and what did
// not happen.
func (c call) subject() string {
	queue := c.to
	if queue == "" {
		queue = c.own
	}
	switch c.kind {
	case "activity", "local activity", "child workflow":
		return fmt.Sprintf("%s %s to queue %q refused, nothing was scheduled", c.kind, c.name, queue)
	case "signal":
		return fmt.Sprintf("signal %s refused, nothing was sent", c.name)
	case "memo", "search attributes":
		return fmt.Sprintf("change of %s refused, nothing was written", c.kind)
	case "continue-as-new":
		return fmt.Sprintf("continue-as-new of %s refused, no new run was started", c.name)
	case "Nexus operation":
		return fmt.Sprintf("Nexus operation %s refused, nothing was scheduled", c.name)
	default:
		return fmt.Sprintf("%s %s refused, nothing was sent", c.kind, c.name)
	}
}

func nonEmpty(pairs ...string) map[string]string {
	var m map[string]string
	for i := 0; i+1 < len(pairs); i += 2 {
		m = addText(m, pairs[i], pairs[i+1])
	}
	return m
}

func addText(m map[string]string, label, text string) map[string]string {
	if text == "" {
		return m
	}
	if m == nil {
		m = map[string]string{}
	}
	m[label] = text
	return m
}

// searchAttributes turns search attributes of both forms into one map to look at.
// They are indexed in plain text whatever codec is in use.
//
// A map is read into a map: order plays no part.
//
//workflowcheck:ignore
func searchAttributes(untyped map[string]any, typed temporal.SearchAttributes) map[string]any {
	if len(untyped) == 0 && typed.Size() == 0 {
		return nil
	}
	named := make(map[string]any, typed.Size())
	for k, v := range typed.GetUntypedValues() {
		named[k.GetName()] = v
	}
	return merged(untyped, named)
}

func operationName(op any) string {
	switch x := op.(type) {
	case string:
		return x
	case interface{ Name() string }:
		return x.Name()
	}
	return "operation"
}

// isSessionActivity recognises the SDK's own activities of worker sessions, by
// the names it reserves. They carry ids of its own making only.
func isSessionActivity(name string) bool {
	return name == "internalSessionCreationActivity" || name == "internalSessionCompletionActivity"
}
