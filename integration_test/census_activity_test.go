package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// askingActivities are those that the policy gives values to.
var askingActivities = []string{"Give", "Linger"}

func (c *census) registerActivities(r worker.Registry) {
	r.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, activity.RegisterOptions{Name: "Take"})
	r.RegisterActivityWithOptions(c.keep, activity.RegisterOptions{Name: "Keep"})
	r.RegisterActivityWithOptions(func(ctx context.Context) error {
		info := activity.GetInfo(ctx)
		c.tokens.Store(info.WorkflowExecution.ID+" "+info.ActivityID, info.TaskToken)
		return activity.ErrResultPending
	}, activity.RegisterOptions{Name: "Pend"})
	r.RegisterActivityWithOptions(func(context.Context, time.Time) error { return nil }, activity.RegisterOptions{Name: "Clock"})
	r.RegisterActivityWithOptions(c.give, activity.RegisterOptions{Name: "Give"})
	r.RegisterActivityWithOptions(c.linger, activity.RegisterOptions{Name: "Linger"})
}

// keep takes the text of a row, which is planted when it has come as it was.
func (c *census) keep(_ context.Context, encoding, row, text string) error {
	cell := c.planter(encoding).cell(row)
	if text != cell.text {
		return errors.New("something else came")
	}
	cell.planted.Store(true)
	return nil
}

// ask gets the text of a row as an activity gets a secret: from the guard where
// there is one.
func (c *census) ask(ctx context.Context, encoding, row string) (string, error) {
	p := c.planter(encoding)
	if !c.guarded() {
		return p.text(row), nil
	}
	cell := p.cell(row)
	ref, err := secrets.ParseRef(cell.ref)
	if err != nil {
		return "", err
	}
	value, err := secrets.Get(ctx, ref)
	if err != nil {
		return "", err
	}
	text, err := value.Reveal()
	if err != nil {
		return "", err
	}
	cell.planted.Store(true)
	for _, e := range encodings {
		if e.name == encoding {
			return e.encode(text), nil
		}
	}
	return "", errors.New("no such encoding")
}

// parcel is a result of several levels.
type parcel struct {
	Label string
	Items []map[string]*string
}

// wrapped writes itself.
type wrapped struct{ text string }

func (w wrapped) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]string{"w": w.text}) }

// give returns the text of a row in the way that the row is named after.
func (c *census) give(ctx context.Context, encoding, row string) (any, error) {
	text, err := c.ask(ctx, encoding, row)
	if err != nil {
		return nil, err
	}
	switch row {
	case "result text", "local result", "standalone result":
		return text, nil
	case "result struct":
		return parcel{Items: []map[string]*string{{"a": &text}}}, nil
	case "result map key":
		return map[string]int{text: 1}, nil
	case "result bytes":
		return []byte(text), nil
	case "result list":
		return []any{1, "a", []string{text}}, nil
	case "result protobuf":
		return &commonpb.WorkflowType{Name: text}, nil
	case "result payload":
		p, err := converter.GetDefaultDataConverter().ToPayload(text)
		return converter.NewRawValue(p), err
	case "result JSON":
		return json.RawMessage(`{"a":"` + jsonEscaped(text) + `"}`), nil
	case "result with a marshaler":
		return []any{wrapped{text}}, nil
	case "error message", "local error", "standalone error":
		return nil, errors.New("failed with " + text)
	case "error type":
		return nil, temporal.NewApplicationError("failed", text)
	case "error details", "local error details":
		return nil, temporal.NewNonRetryableApplicationError("failed", "Failed", nil, text, parcel{Label: text})
	case "error cause":
		return nil, temporal.NewNonRetryableApplicationError("failed", "Failed", errors.New(text))
	case "error wrapped":
		return nil, fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", errors.New(text)))
	case "error joined":
		return nil, errors.Join(errors.New("first"), errors.New(text))
	case "panic text", "local panic":
		panic("stopped at " + text)
	case "panic error":
		panic(errors.New("stopped at " + text))
	case "heartbeat":
		activity.RecordHeartbeat(ctx, parcel{Label: text})
		return nil, nil
	case "heartbeat of a failed attempt":
		activity.RecordHeartbeat(ctx, text)
		return nil, errors.New("failed")
	case "activity log":
		activity.GetLogger(ctx).Info("found " + text)
		return nil, nil
	case "activity log field":
		activity.GetLogger(ctx).Info("found", "what", parcel{Label: text})
		return nil, nil
	case "activity metric":
		activity.GetMetricsHandler(ctx).WithTags(map[string]string{"what": text}).Counter("found").Inc(1)
		return nil, nil
	}
	return nil, errors.New("no such row: " + row)
}

// linger returns the text of a row when nobody waits for it any more. The SDK logs
// such a result.
func (c *census) linger(ctx context.Context, encoding, row string) (string, error) {
	text, err := c.ask(ctx, encoding, row)
	if err != nil {
		return "", err
	}
	<-ctx.Done()
	return text, nil
}

// lingering is how long an activity has that lingers.
const lingering = time.Second
