package sandboxclient

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Mkdir makes a directory, and those on the way to it, unless they are there.
func (b *Sandbox) Mkdir(ctx workflow.Context, dir string) error {
	return b.tool(ctx, dir, "mkdir", "-p")
}

// Remove removes a file.
func (b *Sandbox) Remove(ctx workflow.Context, name string) error {
	if err := b.notRoot(name); err != nil {
		return err
	}
	return b.tool(ctx, name, "rm", "--")
}

// RemoveAll removes a file or a directory with all that is in it, and succeeds if there is none.
func (b *Sandbox) RemoveAll(ctx workflow.Context, name string) error {
	if err := b.notRoot(name); err != nil {
		return err
	}
	return b.tool(ctx, name, "rm", "-rf", "--")
}

// List returns what is in a directory, in the order and with the names that ls -la prints, without the directory
// itself and its parent. For a file it returns that file. What runs in the sandbox chooses these names: one with a line break in it makes List fail, or
// looks like two entries.
func (b *Sandbox) List(ctx workflow.Context, dir string) ([]DirEntry, error) {
	path, err := b.path(dir)
	if err != nil {
		return nil, err
	}
	result, err := b.program(ctx, "ls", "-la", "--", path)
	if err == nil && result.ExitCode != 0 {
		err = nonzero("ls", result.ExitCode)
	}
	if err != nil {
		return nil, err
	}
	return parseList(path, string(result.Stdout))
}

// notRoot keeps the workspace itself from being removed.
func (b *Sandbox) notRoot(name string) error {
	path, err := b.path(name)
	if root, _ := b.path("."); err == nil && within(root, path) {
		return errors.New("sandboxclient: the workspace itself cannot be removed: name something in it, or delete the sandbox")
	}
	return err
}

// tool runs a program on a path, which comes last.
func (b *Sandbox) tool(ctx workflow.Context, name string, args ...string) error {
	path, err := b.path(name)
	if err != nil {
		return err
	}
	result, err := b.program(ctx, append(args, path)...)
	if err == nil && result.ExitCode != 0 {
		return nonzero(args[0], result.ExitCode)
	}
	return err
}

// program runs a program as it is, in the root of the workspace: all its paths are absolute.
func (b *Sandbox) program(ctx workflow.Context, args ...string) (Result, error) {
	return b.exec(ctx, operation.ExecArgs{Command: args, Shell: operation.Shell{Off: true}}, 0)
}

// exists reports whether there is a file with an absolute path.
func (b *Sandbox) exists(ctx workflow.Context, path string) (bool, error) {
	result, err := b.program(ctx, "test", "-f", path)
	if err == nil && result.ExitCode > 1 {
		err = nonzero("test", result.ExitCode)
	}
	return result.ExitCode == 0, err
}

// nonzero is the error of a program that has failed. What it wrote is not quoted: anything may be in it.
func nonzero(program string, code int) error {
	return &Error{
		Op: program, Code: backend.ExecNonzero,
		message: fmt.Sprintf("it ended with exit code %d: run the command with Exec to see what it says", code),
	}
}
