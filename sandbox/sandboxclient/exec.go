package sandboxclient

import (
	"cmp"
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Result is what has become of a command. A command that ends with an exit code other than 0 is no error.
type Result struct {
	// Stdout and Stderr are what the command has written, as the host has passed it on: without values of secrets,
	// and cut by a host that bounds them.
	Stdout, Stderr []byte
	// ExitCode is the code that the command ended with. Hosts report a signal in different ways: as -N or 128+N.
	ExitCode int
	// StdoutBytes and StderrBytes are how much of what the command has written the host has seen, with the names that
	// stand for secrets. It is more than the length of an output that was cut. What a backend drops by its limit of
	// output, which Limits then names, does not count.
	StdoutBytes, StderrBytes int64
	// Limits are those that the command reached, if the host tells. Some may be hints, taken from what a command printed
	// that failed: their Mechanism says so, and nothing should decide on them.
	Limits []Limit
}

// Limit is a bound of what a command may use.
type Limit struct {
	// Name is what it bounds, such as "memory".
	Name string
	// Value is the bound, as people read it, such as "512MiB".
	Value string
	// Mechanism is what enforces it, such as "cgroup v2 memory.max", and, where that is a guess, how it is known that it
	// was reached, as in "RLIMIT_NOFILE, as its output says".
	Mechanism string
}

func resultOf(r operation.ExecResult) Result {
	out := Result{
		Stdout: r.Stdout, Stderr: r.Stderr, ExitCode: r.ExitCode,
		StdoutBytes: cmp.Or(r.StdoutBytes, int64(len(r.Stdout))), StderrBytes: cmp.Or(r.StderrBytes, int64(len(r.Stderr))),
	}
	for _, l := range r.Limits {
		out.Limits = append(out.Limits, Limit(l))
	}
	return out
}

// ExecFuture is a command that runs.
type ExecFuture struct{ future workflow.Future }

// Future returns the future behind f, for a [workflow.Selector]. Its value is a [Result].
func (f ExecFuture) Future() workflow.Future { return f.future }

// IsReady reports whether the command has ended.
func (f ExecFuture) IsReady() bool { return f.future.IsReady() }

// Get waits for the command and returns what [Sandbox.Exec] would have.
func (f ExecFuture) Get(ctx workflow.Context) (Result, error) {
	var result Result
	err := f.future.Get(ctx, &result)
	return result, err
}

// Exec runs a command to its end. It has one attempt: an error with [ErrMayHaveRun] in its chain leaves open whether
// it ran, one without says that it did not. That is known of few errors only: see [ErrMayHaveRun]. One that its timeout has ended has the code exec_timeout and counts as
// one that may have run.
func (b *Sandbox) Exec(ctx workflow.Context, cmd Command) (Result, error) {
	input := ""
	if cmd.Stdin != nil {
		input = b.inputName(ctx)
	}
	args, err := b.execArgs(cmd, input)
	if err != nil {
		return Result{}, err
	}
	if input == "" {
		return b.exec(ctx, args, cmd.Timeout)
	}
	var result Result
	if err = b.write(ctx, activity{}, input, cmd.Stdin); err == nil { // writing it again does no harm
		result, err = b.exec(ctx, args, cmd.Timeout)
	}
	if err != nil && !errors.Is(err, ErrMayHaveRun) && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUnreached) {
		b.dropInput(ctx, input)
	}
	return result, err
}

func (b *Sandbox) exec(ctx workflow.Context, args operation.ExecArgs, timeout time.Duration) (Result, error) {
	if timeout == 0 {
		timeout = b.client.options.ExecTimeout
	}
	seconds := timeout.Seconds()
	args.Timeout = &seconds
	var result operation.ExecResult
	err := b.call(ctx, operation.Exec, activity{once: true, command: timeout}, func(s sandbox.SessionState) any {
		args.State = s
		return args
	}, &result)
	if err != nil {
		return Result{}, err
	}
	return resultOf(result), nil
}

// ExecAsync begins a command as [Sandbox.Exec] does, and returns at once.
func (b *Sandbox) ExecAsync(ctx workflow.Context, cmd Command) ExecFuture {
	future, settable := workflow.NewFuture(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) { settable.Set(b.Exec(ctx, cmd)) })
	return ExecFuture{future}
}
