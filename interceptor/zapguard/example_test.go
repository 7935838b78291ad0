package zapguard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// exampleLogger writes lines of JSON without time to the standard output.
func exampleLogger() *zap.Logger {
	config := zap.NewProductionEncoderConfig()
	config.TimeKey = ""
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(config), os.Stdout, zap.InfoLevel))
}

func ExampleNewCore() {
	set := redact.NewSet()
	if err := set.Add("env:API_TOKEN", "t0k3n-of-the-reports-api"); err != nil {
		fmt.Println(err)
	}
	logger := exampleLogger().WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapguard.NewCore(core, set)
	}))
	logger.Error("fetch failed",
		zap.Error(errors.New("401 for Bearer t0k3n-of-the-reports-api")),
		zap.Any("request", map[string]string{"Authorization": "Bearer t0k3n-of-the-reports-api"}))
	// Output:
	// {"level":"error","msg":"fetch failed","error":"401 for Bearer [redacted:env:API_TOKEN]","request":{"Authorization":"Bearer [redacted:env:API_TOKEN]"}}
}

func ExampleNewSink() {
	sink := zapguard.NewSink(exampleLogger())
	err := sink.Write(context.Background(), audit.Record{
		Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Action: audit.ActionInject, Outcome: audit.OutcomeOK,
		Queue: "deploys", Activity: "PushTag", Secret: "github-deploy", Destination: "input:/0/token",
	})
	fmt.Println(err)
	// Output:
	// {"level":"info","msg":"sandboxguard audit","action":"inject","outcome":"ok","task_queue":"deploys","activity_type":"PushTag","secret":"github-deploy","destination":"input:/0/token"}
	// <nil>
}
