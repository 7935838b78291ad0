package interceptor_test

import (
	"testing"

	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestIdentifierWithAValueIsADefect: it cannot be edited, so somebody must be told.
func TestIdentifierWithAValueIsADefect(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	metrics := newCounters()
	service, _ := dial(t, opts, metrics)
	call(t, service, &workflowservice.RespondActivityTaskFailedRequest{Identity: "worker-" + canary})
	if n := metrics.count("sandboxguard_defects net=grpc"); n != 1 {
		t.Errorf("%d defects counted", n)
	}
}

// TestAlarmInDeepFailures: however deep a chain is, nothing of it leaves unseen.
func TestAlarmInDeepFailures(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	service, f := dial(t, opts, nil)
	failure := &failurepb.Failure{Message: "with " + canary}
	for range 100 {
		failure = &failurepb.Failure{Message: "level", Cause: failure}
	}
	call(t, service, &workflowservice.RespondActivityTaskFailedRequest{Failure: failure})
	data, err := proto.Marshal(f.got)
	if err != nil {
		t.Fatal(err)
	}
	secretstest.AssertAbsent(t, []string{canary}, data)
}
