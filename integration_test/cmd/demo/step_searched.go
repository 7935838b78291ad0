package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// searched is step 6: everything that anybody can read of the guarded runs.
func (d *demo) searched(ctx context.Context) error {
	d.step(6, "Searched",
		"Every secret is looked for in all that the guarded runs left behind, as it was in step 1.")
	d.say("Looked for: %d values, any 12 bytes of each, as they are, JSON-escaped and in base64.", len(d.secrets))
	places, err := d.places(ctx)
	if err != nil {
		return err
	}
	total := 0
	for _, p := range places {
		n := 0
		for _, s := range d.secrets {
			for _, f := range finds(d.search(s.value, p.blobs)) {
				n++
				d.say("  FOUND %s in %s, %s, %s", s.name, p.name, f.where, f.forms)
			}
		}
		total += n
		d.say("%-42s %-34s %d found", p.name, p.size, n)
	}
	d.say("%-42s %-34s %d found", "the run of step 1, for comparison", "", d.found)
	plain := len(finds(d.search(os.Getenv(envToken), d.hostedPlain)))
	d.say("%-42s %-34s %d found", "hosts without the guard, for comparison", "", plain)
	if total > 0 {
		return fmt.Errorf("%d places hold a secret", total)
	}
	if plain == 0 {
		return errors.New("the search must find a token that a host was given as text, else it proves nothing")
	}
	if err := d.tellRevoked(ctx); err != nil {
		return err
	}
	d.done("0 places with the guard, %d without it", d.found)
	return nil
}

// A place is something that was searched.
type place struct {
	name, size string
	blobs      []harness.Blob
}

// places collects what is searched.
func (d *demo) places(ctx context.Context) ([]place, error) {
	var all []place
	for _, group := range []struct {
		name string
		runs []harness.Run
	}{
		{"anomaly-report (step 2)", []harness.Run{d.report}},
		{"publish-release (step 3)", []harness.Run{d.release}},
		{"the refused workflows (step 4)", d.refused},
	} {
		blobs, err := d.visible(ctx, group.runs...)
		if err != nil {
			return nil, err
		}
		events := 0
		for _, run := range group.runs {
			events += len(run.History.GetEvents())
		}
		all = append(all, place{name: group.name, size: fmt.Sprintf("%d events, Describe, List", events), blobs: blobs})
	}
	all = append(all, place{"the hosts' directories and workspaces", fmt.Sprintf("%d files, after each command", len(d.hosted)), d.hosted})
	trail, err := os.ReadFile(d.auditPath())
	if err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"the workers' log", d.guardedLog.kept.Bytes()}, {"the audit file", trail}} {
		lines := bytes.Count(file.data, []byte("\n"))
		if lines == 0 {
			return nil, fmt.Errorf("%s is empty", file.name)
		}
		all = append(all, place{file.name, fmt.Sprintf("%d lines", lines), []harness.Blob{{Where: file.name, Data: file.data}}})
	}
	return all, nil
}

// tellRevoked says what became of the literal that step 3 began with: the guard
// does not rewrite history.
func (d *demo) tellRevoked(ctx context.Context) error {
	blobs, err := d.visible(ctx, d.release)
	if err != nil {
		return err
	}
	d.say("")
	d.say("%d events of publish-release still hold the token that it began with. History is never rewritten: "+
		"that token is revoked, and \"literal: strip\" would have kept it out of the later ones.",
		len(finds(d.search(d.revoked.value, blobs))))
	return nil
}
