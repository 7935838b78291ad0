package integration_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// registerSpill registers a PushTag that tells its secret to everybody: it
// beats it out, logs it, and fails with it in message, cause and details.
func registerSpill(w worker.ActivityRegistry) {
	w.RegisterActivityWithOptions(func(ctx context.Context, tag legacy.Tag[secrets.Value]) (map[string]any, error) {
		text, err := tag.Token.Reveal()
		if err != nil {
			return nil, err
		}
		activity.RecordHeartbeat(ctx, map[string]any{"spilled": text})
		activity.GetLogger(ctx).Error("spilled "+text, "token", text)
		encoded := base64.StdEncoding.EncodeToString([]byte("Bearer " + text))
		cause := fmt.Errorf("spilled as %s: %w", encoded, errors.New(text))
		return map[string]any{"spilled": text}, temporal.NewNonRetryableApplicationError("spilled "+text, "Spilled", cause, text, []string{encoded})
	}, activity.RegisterOptions{Name: "PushTag"})
}
