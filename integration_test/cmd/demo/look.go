package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// showReach shows what commands of both stages can reach.
func (d *demo) showReach(ctx context.Context) error {
	d.say("%-12s %-12s %-22s %-26s %s", "", "", "the API, on loopback", "the worker's audit file", "processes")
	for _, part := range []struct {
		name string
		stage
	}{{"fetch", d.fetching()}, {"analyse", d.analysing()}} {
		seen, err := d.reach(ctx, part.stage)
		if err != nil {
			return fmt.Errorf("a look around from a sandbox: %w", err)
		}
		if err := seen.judge(part.launcher); err != nil {
			return err
		}
		processes := "not told here"
		if seen.Processes > 0 {
			processes = strconv.Itoa(seen.Processes)
		}
		d.say("%-12s %-12s %-22s %-26s %s", part.name, part.launcher, reached[seen.API], reached[seen.File], processes)
	}
	return nil
}

var reached = map[bool]string{true: "reached", false: "out of reach"}

// judge refuses what is more than a launcher promises. Without isolation it refuses less than everything, too: that a
// command is kept from something would show nothing then.
func (s sight) judge(l local.Launcher) error {
	if s.API == l.Isolated() || s.File == l.Isolated() {
		return fmt.Errorf("a command that runs %s must not be the one for which the API is %s and the worker's file %s", l, reached[s.API], reached[s.File])
	}
	return nil
}

// reach has a command look around in a sandbox of a stage.
func (d *demo) reach(ctx context.Context, s stage) (seen sight, err error) {
	o, err := d.sandboxes(s, filepath.Join(d.dir, "look-"+s.queue))
	if err != nil {
		return seen, err
	}
	boxes, err := local.New(o) //nolint:contextcheck // what it removes at first is not given up half way
	if err != nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, boxes.Close()) }()
	box, err := boxes.Create(ctx, backend.Spec{ID: uuid.NewString()})
	if err != nil {
		return seen, err
	}
	if err := box.Start(ctx); err != nil {
		return seen, err
	}
	var out bytes.Buffer
	result, err := box.Exec(ctx, backend.Command{Args: []string{toolName, "look", d.api.url, d.auditPath()}, Stdout: &out, Stderr: &out})
	if err != nil {
		return seen, err
	}
	if result.ExitCode != 0 {
		return seen, exitError(result.ExitCode)
	}
	return seen, json.Unmarshal(out.Bytes(), &seen)
}
