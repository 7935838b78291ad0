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

// reference is step 2: the same job in sandboxes, whose manifest names its token.
func (d *demo) reference(ctx context.Context) error {
	d.step(2, "With the guard",
		"The same job in sandboxes; its manifest names the token, and a policy lets the fetch have it.")
	d.say(`In the manifest, EnvLiteral("rpt_live_...") became EnvSecret(secrets.Env("%s")).`, envToken)
	d.say("What policy.yaml says about it:")
	d.quote(excerpt("  reports-api:") + excerpt("  reports:") + excerpt("  reports-analysis:"))
	d.say("")
	if err := d.showLaunchers(ctx); err != nil {
		return err
	}
	token := d.api.issueReports()
	if err := d.provide(envToken, "the token of step 2", token); err != nil {
		return err
	}
	hosts, err := d.hosts(ctx, d.guarded, &d.guardedLog, "reports", func(command string) { d.say("$ %s", command) })
	if err != nil {
		return fmt.Errorf("the hosts of the job: %w", err)
	}
	defer func() { _ = hosts.stop() }() // for the ways out before the other stop
	manifest := newManifest(d.api.url, sandbox.EnvSecret(secrets.Env(envToken)))
	var report string
	d.report, err = d.execute(ctx, d.guarded, "reports", "anomaly-report", AnomalyReport, []any{manifest}, &report)
	if err != nil {
		return fmt.Errorf("the job with the guard: %w", err)
	}
	if err := errors.Join(hosts.left(ctx), hosts.stop()); err != nil {
		return fmt.Errorf("the hosts of the job: %w", err)
	}
	d.hosted = hosts.blobs()
	d.say("The workspaces, the processes and the hosts' records are gone.")
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

// showLaunchers says what runs each stage, and what commands can reach there.
func (d *demo) showLaunchers(ctx context.Context) error {
	d.say("The fetch runs unisolated: it needs the network, and control of that is work that follows.")
	if d.launcher.Isolated() {
		d.say("The analysis runs isolated and offline: %s. It gets the table as a file, and not the token.", d.launcher)
	} else {
		d.say("The analysis runs %s, too: nothing is kept from it on this machine, whatever policy says of limits.", d.launcher)
	}
	d.say("Commands of both that try what is outside of their sandbox:")
	return d.showReach(ctx)
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

// compareCounts runs the job in sandboxes without the guard, its token as text,
// and counts the events of both.
func (d *demo) compareCounts(ctx context.Context, token string) error {
	const queue = "reports-plain"
	hosts, err := d.hosts(ctx, d.plain, &d.plainLog, queue, func(string) {})
	if err != nil {
		return err
	}
	defer func() { _ = hosts.stop() }() // for the ways out before the other stop
	plain, err := d.execute(ctx, d.plain, queue, "anomaly-report-plain", AnomalyReport,
		[]any{newManifest(d.api.url, sandbox.EnvLiteral(token))}, nil)
	if err := errors.Join(err, hosts.stop()); err != nil {
		return fmt.Errorf("the job in sandboxes without the guard: %w", err)
	}
	d.hostedPlain = hosts.blobs()
	without, with := harness.CountSteady(plain.History), harness.CountSteady(d.report.History)
	if !maps.Equal(without, with) {
		return fmt.Errorf("the guard changed which events are recorded: %v became %v", without, with)
	}
	d.say("Not one event more: in sandboxes without the guard the job has the same %d.", len(d.report.History.GetEvents()))
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
