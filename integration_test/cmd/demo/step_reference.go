package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// reference is step 2: the same job, which names its token.
func (d *demo) reference(ctx context.Context) error {
	d.step(2, "With the guard",
		"The same code; the manifest now only names the token, and a policy lets this job have it.")
	d.say(`In the manifest, EnvLiteral("rpt_live_...") became EnvSecret(secrets.Env("%s")).`, envToken)
	d.say("What policy.yaml says about it:")
	d.quote(excerpt("  reports-api:") + excerpt("  reports:"))
	d.say("")
	if err := d.provide(envToken, "the token of step 2", d.api.issueReports()); err != nil {
		return err
	}
	stop, err := d.jobWorker(d.guarded, "reports")
	if err != nil {
		return err
	}
	defer stop()
	manifest := newManifest(d.api.url, sandbox.EnvSecret(secrets.Env(envToken)))
	var report string
	d.report, err = d.execute(ctx, d.guarded, "reports", "anomaly-report", AnomalyReport, []any{manifest}, &report)
	if err != nil {
		return fmt.Errorf("the job with the guard: %w", err)
	}
	stop()
	d.say("")
	if err := d.compare(); err != nil {
		return err
	}
	if err := d.showRecord(); err != nil {
		return err
	}
	d.say("The report that the job produced:")
	d.quote(report)
	d.done("the job did its work, and its history holds a name")
	return nil
}

// compare shows the same event of both runs, as the Web UI does.
func (d *demo) compare() error {
	for _, side := range []struct {
		when string
		run  harness.Run
	}{{"Before", d.leaked}, {"Now", d.report}} {
		event, err := scheduled(side.run.History, "RunCommand")
		if err != nil {
			return err
		}
		input, err := inputOf(event, "manifest", "environment")
		if err != nil {
			return err
		}
		d.say("%s, the Web UI shows of event %d, %s, at manifest.environment:", side.when, event.GetEventId(), event.GetEventType())
		d.quote(input)
	}
	message, event := failureOf(d.report.History)
	d.say("Event %d, ActivityTaskFailed, still says what the command printed:", event)
	d.quote(message)
	before, now := harness.CountSteady(d.leaked.History), harness.CountSteady(d.report.History)
	if !maps.Equal(before, now) {
		return fmt.Errorf("the guard changed which events are recorded: %v became %v", before, now)
	}
	d.say("Not one event more: both runs have the same %d.", len(d.report.History.GetEvents()))
	d.say("")
	return nil
}

// showRecord prints a record of the audit file: that a command got the token.
func (d *demo) showRecord() error {
	data, err := os.ReadFile(d.auditPath())
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r audit.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("the audit file: %w", err)
		}
		if r.Action == audit.ActionInject && r.Activity == "RunCommand" {
			d.say("The audit file has a line for every use. The first command's:")
			d.quote(lines.Text())
			d.say("")
			return nil
		}
	}
	return errors.New("the audit file does not say that a command got the token")
}
