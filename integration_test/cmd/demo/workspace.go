package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

//go:embed data/orders.csv
var orders []byte

// errorTypeCommand is the type of the error of a command that failed.
const errorTypeCommand = "CommandFailed"

// Command is one command of a job.
type Command struct {
	Workspace string           `json:"workspace"`
	Manifest  sandbox.Manifest `json:"manifest"`
	Args      []string         `json:"args"`
}

// Workspaces are the activities of the job before the guard. They know nothing of the guard but
// how a secret of a manifest is revealed.
type Workspaces struct {
	dir     string // holds a work directory for each job
	program string // what commands run
	// ran is told of each command and how it ended.
	ran func(args []string, end string)
}

// OpenWorkspace makes a work directory with the files of the manifest and the
// orders, and returns its name.
func (w *Workspaces) OpenWorkspace(_ context.Context, manifest sandbox.Manifest) (string, error) {
	dir, err := os.MkdirTemp(w.dir, "job-")
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.WriteFile("orders.csv", orders, 0o600); err != nil {
		return "", err
	}
	for name, entry := range manifest.Entries {
		if entry.Type != sandbox.EntryFile {
			return "", fmt.Errorf("entry %s: only files are supported here", name)
		}
		if err := root.WriteFile(name, []byte(entry.Content), 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Base(dir), nil
}

// RunCommand runs a command in its work directory, with the manifest's
// environment and nothing of the worker's, and returns what it printed. A
// command that fails is an error with what it wrote to standard error.
func (w *Workspaces) RunCommand(ctx context.Context, c Command) (string, error) {
	env, err := environ(c.Manifest.Environment)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, w.program, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = filepath.Join(w.dir, filepath.Base(c.Workspace)), env, time.Second
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited):
		w.ran(c.Args, fmt.Sprintf("exit code %d", exited.ExitCode()))
		text := fmt.Sprintf("%s ended with exit code %d:\n%s", c.Args[0], exited.ExitCode(), stderr.String())
		return "", temporal.NewNonRetryableApplicationError(text, errorTypeCommand, nil)
	case err != nil:
		return "", err
	}
	w.ran(c.Args, "ok")
	return stdout.String(), nil
}

// environ reveals the secrets of an environment for a child process.
func environ(e sandbox.Environment) ([]string, error) {
	env := []string{} // nil would mean the worker's own
	for name, v := range e.Values {
		text := v.Literal
		if v.IsSecret() {
			var err error
			if text, err = v.Secret.Reveal(); err != nil {
				return nil, temporal.NewNonRetryableApplicationError(err.Error(), "SecretMissing", nil)
			}
		}
		env = append(env, name+"="+text)
	}
	return env, nil
}

// CloseWorkspace removes a work directory.
func (w *Workspaces) CloseWorkspace(_ context.Context, id string) error {
	return os.RemoveAll(filepath.Join(w.dir, filepath.Base(id)))
}
