package integration_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

func init() { parts["worker"] = playWorker }

// process is a worker with a host of sandboxes that is a process of its own, which can be killed.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	// wait waits for its end, which nobody asks the reason of.
	wait func()
}

// task is what such a process is told to do.
type task struct {
	HostPort, Namespace, Queue, Policy, Dir string
	Secrets                                 map[string]string
	Launcher                                local.Launcher
	// Workflows is whether it carries out workflow code, too.
	Workflows bool
	// IdleTimeout is that of its sessions. 0 is the default.
	IdleTimeout time.Duration
}

// killable are the workflows of processes that are killed.
func killable(r worker.WorkflowRegistry) {
	for _, e := range endings() {
		named(r, e.ownName(), e.workflow)
	}
	named(r, "Surviving", surviving)
}

// task returns what a process of the rig does, with the secrets that it has.
func (r *rig) task(l local.Launcher, dir string, secrets map[string]string, workflows bool) task {
	return task{
		HostPort: server.HostPort(), Namespace: server.Namespace(), Queue: r.queue, Policy: queuePolicy(r.queue, grantsToken), Dir: dir,
		Launcher: l, Secrets: secrets, Workflows: workflows,
	}
}

// process starts a worker process, and returns when its host runs. It is killed when the test ends. What it writes
// becomes part of the rig's log.
func (r *rig) process(t *testing.T, what task) *process {
	t.Helper()
	told, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
	cmd.Env = append(os.Environ(), part+"=worker")
	cmd.Stderr = lines{r.log}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, stdin: stdin, wait: sync.OnceFunc(func() { _ = cmd.Wait() })}
	t.Cleanup(p.kill)
	if _, err := fmt.Fprintf(stdin, "%s\n", told); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("worker process: %q, %v", line, err)
	}
	return p
}

// kill kills the process, which can do nothing about it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.wait()
	_ = p.stdin.Close()
}

// playWorker is the whole program of a worker process. It ends with its input, so that it never outlives the test.
func playWorker() int {
	input := bufio.NewReader(os.Stdin)
	var what task
	if err := json.NewDecoder(input).Decode(&what); err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, input)
	}()
	if err := what.do(ctx, func() { fmt.Println("up") }); err != nil {
		return failed(err)
	}
	return 0
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "worker process:", err)
	return 1
}

func (w task) do(ctx context.Context, up func()) error {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(w.Policy))
	if err != nil {
		return err
	}
	p, err := guard.NewPlugin(guard.Options{Policies: policies, Resolver: secretstest.Static(w.Secrets)})
	if err != nil {
		return err
	}
	b, err := local.New(local.Options{Dir: filepath.Join(w.Dir, "sandboxes"), Launcher: w.Launcher, Grace: time.Second}) //nolint:contextcheck // as in every program
	if err != nil {
		return err
	}
	host, err := sandboxhost.New("local", b, sandboxhost.Options{
		Dir: filepath.Join(w.Dir, "sessions"), PollInterval: 300 * time.Millisecond, IdleTimeout: w.IdleTimeout, Logger: announcing(os.Stderr, up),
	})
	if err != nil {
		return err
	}
	c, err := client.Dial(client.Options{HostPort: w.HostPort, Namespace: w.Namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))), Plugins: []client.Plugin{p}})
	if err != nil {
		return err
	}
	defer c.Close()
	base := worker.New(c, w.Queue, worker.Options{DisableWorkflowWorker: !w.Workflows, StickyScheduleToStartTimeout: time.Second, DeadlockDetectionTimeout: harness.Unhurried})
	if w.Workflows {
		killable(base)
	}
	host.Register(base)
	if err := base.Start(); err != nil {
		return err
	}
	defer base.Stop()
	return errors.Join(host.Run(ctx, c, w.Queue), b.Close())
}
