package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

func ExampleNewFile() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "audit.jsonl")

	sink, err := audit.NewFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = sink.Close() }()
	err = sink.Write(context.Background(), audit.Record{
		Action: audit.ActionInject, Outcome: audit.OutcomeOK, Queue: "deploys", Activity: "PushTag", Attempt: 1,
		Ref: "env:DEPLOY_TOKEN", Secret: "github-deploy", Owner: "release-eng", Destination: "input:/0/token",
	})
	fmt.Println(err)

	lines, err := os.ReadFile(path)
	fmt.Print(strings.ReplaceAll(string(lines), `,"ref"`, ",\n \"ref\""), err, "\n")
	// Output:
	// <nil>
	// {"action":"inject","outcome":"ok","task_queue":"deploys","activity_type":"PushTag","attempt":1,
	//  "ref":"env:DEPLOY_TOKEN","secret":"github-deploy","owner":"release-eng","destination":"input:/0/token"}
	// <nil>
}

// A sink of one's own beside another: an act that grants something waits for
// both, and does not happen if one of them fails.
func ExampleMulti() {
	alerts := audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		if r.Outcome == audit.OutcomeRefused {
			fmt.Println("refused:", r.Activity, r.Rule)
		}
		return nil
	})
	down := audit.SinkFunc(func(context.Context, audit.Record) error { return errors.New("no connection") })

	sink := audit.Multi(alerts, down)
	err := sink.Write(context.Background(), audit.Record{
		Action: audit.ActionDeny, Outcome: audit.OutcomeRefused, Activity: "PushTag", Rule: "secret-not-granted",
	})
	fmt.Println(err)
	// Output:
	// refused: PushTag secret-not-granted
	// no connection
}
