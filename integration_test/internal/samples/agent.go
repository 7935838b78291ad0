package samples

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// message is one turn of a conversation with tool calls, as programs around
// language models keep it.
type message struct {
	Role      string         `json:"role"`
	Content   any            `json:"content"`
	ToolCalls []toolCall     `json:"tool_calls,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// converse lets a planner choose tools until it is content.
func converse(ctx workflow.Context, goal string) ([]message, error) {
	ctx = quick(ctx)
	history := []message{{Role: "user", Content: goal, Metadata: map[string]any{
		"prompt_tokens": 412, "max_tokens": 2048, "token_usage": map[string]any{"total": 460},
		"manifest": map[string]any{"ships": []any{"Vega", "Altair"}, "port": "Bergen"},
		"sandbox":  "playground",
	}}}
	for range 4 {
		var next message
		if err := workflow.ExecuteActivity(ctx, plan, history).Get(ctx, &next); err != nil {
			return nil, err
		}
		history = append(history, next)
		if len(next.ToolCalls) == 0 {
			return history[1:], nil
		}
		for _, call := range next.ToolCalls {
			var answer any
			if err := workflow.ExecuteActivity(ctx, "tool-"+call.Name, call.Arguments).Get(ctx, &answer); err != nil {
				return nil, err
			}
			history = append(history, message{Role: "tool", Content: answer})
		}
	}
	return nil, temporal.NewApplicationError("planner is not content", "Planner")
}

func plan(_ context.Context, history []message) (message, error) {
	if len(history) == 1 {
		return message{Role: "assistant", ToolCalls: []toolCall{
			{Name: "search", Arguments: map[string]any{"query": "boats", "filters": map[string]any{"year": []any{2025, 2026}}}},
			{Name: "search", Arguments: map[string]any{"query": "ports", "cursor": "c2hhMjU2OmU1YjdlOTk4NTkyOWIx"}},
		}}, nil
	}
	return message{Role: "assistant", Content: []any{map[string]any{"type": "text", "text": "found both"}}}, nil
}

func toolSearch(_ context.Context, arguments map[string]any) (any, error) {
	return map[string]any{"hits": []any{fmt.Sprint(arguments["query"])}, "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8"}, nil
}

func agentLoop() Sample {
	return Sample{
		Name:       "agent-loop",
		Workflows:  workflows(converse),
		Activities: named(map[string]any{"plan": plan, "tool-search": toolSearch}),
		Drive:      simple[[]message](converse, "find boats and ports"),
		Want: `[
			{"role":"assistant","content":null,"tool_calls":[
				{"name":"search","arguments":{"filters":{"year":[2025,2026]},"query":"boats"}},
				{"name":"search","arguments":{"cursor":"c2hhMjU2OmU1YjdlOTk4NTkyOWIx","query":"ports"}}]},
			{"role":"tool","content":{"commit":"9fceb02d0ae598e95dc970b74767f19372d61af8","hits":["boats"]}},
			{"role":"tool","content":{"commit":"9fceb02d0ae598e95dc970b74767f19372d61af8","hits":["ports"]}},
			{"role":"assistant","content":[{"text":"found both","type":"text"}]}]`,
	}
}
