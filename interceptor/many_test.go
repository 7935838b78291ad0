package interceptor_test

import (
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// TestManyViolations: a refusal stands in history, so it lists the first ones and
// counts the rest.
func TestManyViolations(t *testing.T) {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{}}
	for i := range 1000 {
		m.Entries[fmt.Sprintf("file%d.txt", i)] = sandbox.Entry{Type: sandbox.EntryFile, Content: "x"}
	}
	opts := options(t, "")
	err := run(t, environment(t, opts), func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Push", m).Get(ctx, nil)
	})
	if n := len(guard.Violations(err)); n != 32 {
		t.Errorf("%d violations are listed, want 32", n)
	}
	if !strings.Contains(err.Error(), "\n  and 968 more\n") || len(err.Error()) > 8<<10 {
		t.Errorf("%d bytes: %.300s", len(err.Error()), err.Error())
	}
	sink := opts.Audit.(*memorySink)
	sink.await(t, 1)
	if got := sink.only(audit.ActionDeny)[0].Count; got != 1000 {
		t.Errorf("the record counts %d", got)
	}
}
