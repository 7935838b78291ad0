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
	"strings"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// reference is step 2: the same job in a sandbox, whose manifest names its token.
func (d *demo) reference(ctx context.Context) error {
	d.step(2, "With the guard",
		"The same job in a sandbox; its manifest only names the token, and a policy lets the job have it.")
	d.say(`In the manifest, EnvLiteral("rpt_live_...") became EnvSecret(secrets.Env("%s")).`, envToken)
	d.say("What policy.yaml says about it:")
	d.quote(excerpt("  reports-api:") + excerpt("  reports:"))
	d.say("")
	token := d.api.issueReports()
	if err := d.provide(envToken, "the token of step 2", token); err != nil {
		return err
	}
	host, err := d.host(ctx, d.guarded, &d.guardedLog, "reports", func(command string) { d.say("$ %s", command) })
	if err != nil {
		return fmt.Errorf("the host of the job: %w", err)
	}
	defer func() { _ = host.stop() }() // for the ways out before the other stop
	d.say("The sandbox is a directory and processes of this machine, nothing holds them back: %s.", host.boxes.Isolation())
	manifest := newManifest(d.api.url, sandbox.EnvSecret(secrets.Env(envToken)))
	var report string
	d.report, err = d.execute(ctx, d.guarded, "reports", "anomaly-report", AnomalyReport, []any{manifest}, &report)
	if err != nil {
		return fmt.Errorf("the job with the guard: %w", err)
	}
	if err := errors.Join(host.left(ctx), host.stop()); err != nil {
		return fmt.Errorf("the host of the job: %w", err)
	}
	d.hosted = host.blobs()
	d.say("The workspace, the processes and the host's record are gone.")
	d.say("")
	if err := d.compare(); err != nil {
		return err
	}
	if err := d.compareCounts(ctx, token); err != nil {
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

// compare shows what both runs record of a command, as the Web UI does.
func (d *demo) compare() error {
	for _, side := range []struct {
		when, activity string
		run            harness.Run
		path           []string
	}{
		{"Before", "RunCommand", d.leaked, []string{"manifest", "environment"}},
		{"Now", operation.Exec.Activity(provider), d.report, []string{"state", "manifest", "environment"}},
	} {
		event, err := scheduled(side.run.History, side.activity)
		if err != nil {
			return err
		}
		input, err := inputOf(event, side.path...)
		if err != nil {
			return err
		}
		d.say("%s, the Web UI shows of event %d, %s, at %s:", side.when, event.GetEventId(), event.GetEventType(), strings.Join(side.path, "."))
		d.quote(input)
	}
	failed, event, err := failedCommand(d.report.History)
	if err != nil {
		return err
	}
	d.say("Event %d, ActivityTaskCompleted, still says what the command printed:", event)
	d.quote(string(failed.Stderr))
	return nil
}

// compareCounts runs the job in a sandbox without the guard, its token as text,
// and counts the events of both.
func (d *demo) compareCounts(ctx context.Context, token string) error {
	const queue = "reports-plain"
	host, err := d.host(ctx, d.plain, &d.plainLog, queue, func(string) {})
	if err != nil {
		return err
	}
	defer func() { _ = host.stop() }() // for the ways out before the other stop
	plain, err := d.execute(ctx, d.plain, queue, "anomaly-report-plain", AnomalyReport,
		[]any{newManifest(d.api.url, sandbox.EnvLiteral(token))}, nil)
	if err := errors.Join(err, host.stop()); err != nil {
		return fmt.Errorf("the job in a sandbox without the guard: %w", err)
	}
	d.hostedPlain = host.blobs()
	without, with := harness.CountSteady(plain.History), harness.CountSteady(d.report.History)
	if !maps.Equal(without, with) {
		return fmt.Errorf("the guard changed which events are recorded: %v became %v", without, with)
	}
	d.say("Not one event more: in a sandbox without the guard the job has the same %d.", len(d.report.History.GetEvents()))
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
		if r.Action == audit.ActionInject && r.Activity == operation.Exec.Activity(provider) {
			d.say("The audit file has a line for every use. The first command's:")
			d.quote(lines.Text())
			d.say("")
			return nil
		}
	}
	return errors.New("the audit file does not say that a command got the token")
}
