package samples

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// crawlState is carried from run to run.
type crawlState struct {
	PageToken string         `json:"page_token"`
	Seen      []string       `json:"seen"`
	Counters  map[string]any `json:"counters"`
}

type page struct {
	Rows          []string `json:"rows"`
	NextPageToken string   `json:"next_page_token"`
}

// crawl reads one page a run until there is no next one.
func crawl(ctx workflow.Context, s crawlState) ([]string, error) {
	var p page
	if err := workflow.ExecuteActivity(quick(ctx), readPage, s.PageToken).Get(ctx, &p); err != nil {
		return nil, err
	}
	s.Seen = append(s.Seen, p.Rows...)
	s.PageToken = p.NextPageToken
	if s.PageToken == "" {
		return s.Seen, nil
	}
	s.Counters = map[string]any{"rows": len(s.Seen), "last": p.Rows[len(p.Rows)-1]}
	return nil, workflow.NewContinueAsNewError(ctx, crawl, s)
}

// readPage serves three pages under tokens that look like what a database
// hands out.
func readPage(_ context.Context, token string) (page, error) {
	switch token {
	case "":
		return page{Rows: []string{"a", "b"}, NextPageToken: "eyJvZmZzZXQiOjIsInNvcnQiOiJhc2MifQ=="}, nil
	case "eyJvZmZzZXQiOjIsInNvcnQiOiJhc2MifQ==":
		return page{Rows: []string{"c"}, NextPageToken: "eyJvZmZzZXQiOjMsInNvcnQiOiJhc2MifQ=="}, nil
	case "eyJvZmZzZXQiOjMsInNvcnQiOiJhc2MifQ==":
		return page{Rows: []string{"d"}}, nil
	}
	return page{}, fmt.Errorf("page token of %d bytes is not known", len(token))
}

func continueAsNew() Sample {
	return Sample{
		Name:       "continue-as-new",
		Workflows:  workflows(crawl),
		Activities: activities(readPage),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.Memo = map[string]any{"source": "catalogue"}
			run, err := e.Client.ExecuteWorkflow(ctx, options, crawl, crawlState{})
			if err != nil {
				return Outcome{}, err
			}
			return outcome[[]string](ctx, run)
		},
		Want: `["a","b","c","d"]`,
	}
}

// secondTry fails in its first run. The server starts the second by itself.
func secondTry(ctx workflow.Context, order map[string]any) (any, error) {
	if workflow.GetInfo(ctx).Attempt == 1 {
		return nil, errors.New("not ready")
	}
	return order["id"], nil
}

func workflowRetry() Sample {
	return Sample{
		Name:      "workflow-retry",
		Workflows: workflows(secondTry),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.RetryPolicy = &temporal.RetryPolicy{InitialInterval: 1, MaximumAttempts: 3}
			run, err := e.Client.ExecuteWorkflow(ctx, options, secondTry, map[string]any{"id": "A-17"})
			if err != nil {
				return Outcome{}, err
			}
			return outcome[any](ctx, run)
		},
		Want: `"A-17"`,
	}
}
