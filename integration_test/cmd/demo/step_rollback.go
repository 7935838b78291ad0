package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// rollback is step 5: what was recorded replays whatever becomes of the guard.
func (d *demo) rollback(context.Context) error {
	d.step(5, "Rollback",
		"The recorded runs are replayed without the guard, and under a policy that grants nothing at all.")
	policies, err := loadStricter()
	if err != nil {
		return err
	}
	stricter, err := guard.NewPlugin(guard.Options{Policies: policies, Audit: audit.Discard()})
	if err != nil {
		return err
	}
	d.say("Under stricter.yaml the job could not even make its sandbox:")
	if err := d.refusedBy(policies); err != nil {
		return err
	}
	d.say("")
	d.say("%-42s %-20s %s", "", "without the guard", "under stricter.yaml")
	for _, r := range []struct {
		name     string
		run      harness.Run
		workflow any // takes the place of AnomalyReport
		replays  bool
	}{
		{"anomaly-report, recorded in step 2", d.report, AnomalyReport, true},
		{"publish-release, recorded in step 3", d.release, AnomalyReport, true},
		{"anomaly-report, against other code", d.report, otherReport, false},
	} {
		for _, o := range []worker.WorkflowReplayerOptions{{}, {Plugins: []worker.Plugin{stricter}}} {
			if err := replay(r.run, o, r.workflow); (err == nil) != r.replays {
				return errors.Join(fmt.Errorf("%s: replays: %v", r.name, err == nil), err)
			}
		}
		said := map[bool]string{true: "replays", false: "does not replay"}[r.replays]
		d.say("%-42s %-20s %s", r.name, said, said)
	}
	d.done("the guard can be taken out again, and policy can change, at any time")
	return nil
}

// otherReport shows that a replay can fail.
func otherReport(workflow.Context, sandbox.Manifest) (string, error) { return "", nil }

func replay(run harness.Run, o worker.WorkflowReplayerOptions, report any) error {
	return harness.Replay(run.History, harness.ReplayOptions{Replayer: o}, func(r worker.WorkflowRegistry) {
		r.RegisterWorkflowWithOptions(report, workflow.RegisterOptions{Name: "AnomalyReport"})
		r.RegisterWorkflow(PublishRelease)
	})
}

// refusedBy shows that the stricter policy is one.
func (d *demo) refusedBy(policies *validation.Policies) error {
	create := operation.Create.Activity(provider)
	event, err := scheduled(d.report.History, create)
	if err != nil {
		return err
	}
	manifest, err := manifestOf(event)
	if err != nil {
		return err
	}
	policy, ok := policies.PolicyFor(guard.Queue{Namespace: d.server.Namespace(), Name: "reports"})
	if !ok {
		return errors.New("stricter.yaml must govern the queue")
	}
	found := policy.CheckManifest(manifest, create+"/0/manifest")
	if len(found) == 0 {
		return errors.New("stricter.yaml must refuse the job's manifest")
	}
	for _, v := range found {
		d.quote(strings.Join([]string{v.Path, v.Rule, v.Detail}, "  "))
	}
	return nil
}
