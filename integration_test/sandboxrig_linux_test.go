package integration_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// grantsToken is the policy under which sandboxes get the rig's secret.
const grantsToken = `mode: enforce
literals: enforce
sandbox: {entries: [file]}
grants:
  - {secret: deploy, to: {env: API_TOKEN}}
`

// boxes is what workflows make their sandboxes with. Hosts that are lost are given up soon.
var boxes = sandboxclient.New("local", sandboxclient.Options{
	ScheduleToStartTimeout: 4 * time.Second, HeartbeatTimeout: 3 * time.Second, ExecTimeout: time.Minute,
})

// withToken is a sandbox whose commands have the rig's secret.
func withToken() sandbox.RunConfig {
	return sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &sandbox.Manifest{
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN"))}},
	}}}
}

// shell is a script with arguments.
func shell(script string, args ...string) sandboxclient.Command {
	return sandboxclient.Command{Args: append([]string{"sh", "-c", script, "sh"}, args...)}
}

// named registers a workflow under a name.
func named(r worker.WorkflowRegistry, name string, code any) {
	r.RegisterWorkflowWithOptions(code, workflow.RegisterOptions{Name: name})
}

// hosting is a host over local sandboxes. Its directories outlive it.
type hosting struct {
	sandboxes, sessions string
	denied              *records
	// stop ends the host and its worker, as a program does that is told to.
	stop func() error
}

// hosts runs a host on the queue whose commands run unisolated.
func hosts(t *testing.T, c client.Client, queue, dir string, log *harness.Log, workflows func(worker.Registry), change ...func(*sandboxhost.Options)) *hosting {
	t.Helper()
	return hostsOf(t, local.Unisolated, c, queue, dir, log, workflows, change...)
}

// hostsOf runs a host on the queue, with directories below dir, until the test ends. Its worker has the workflows, too,
// if there are any.
func hostsOf(t *testing.T, launcher local.Launcher, c client.Client, queue, dir string, log *harness.Log, workflows func(worker.Registry), change ...func(*sandboxhost.Options)) *hosting {
	t.Helper()
	h := &hosting{sandboxes: filepath.Join(dir, "sandboxes"), sessions: filepath.Join(dir, "sessions"), denied: &records{}}
	b, err := local.New(local.Options{Dir: h.sandboxes, Launcher: launcher, Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	options := sandboxhost.Options{Dir: h.sessions, Audit: h.denied, PollInterval: 300 * time.Millisecond, StopTimeout: 10 * time.Second}
	for _, c := range change {
		c(&options)
	}
	begun := make(chan struct{})
	options.Logger = announcing(lines{log}, func() { close(begun) })
	host, err := sandboxhost.New("local", b, options)
	if err != nil {
		t.Fatal(err)
	}
	w, err := harness.NewWorker(c, queue, worker.Options{WorkflowPanicPolicy: worker.FailWorkflow, DisableWorkflowWorker: workflows == nil})
	if err != nil {
		t.Fatal(err)
	}
	if workflows != nil {
		workflows(w)
	}
	host.Register(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- host.Run(ctx, c, queue) }()
	h.stop = sync.OnceValue(func() error {
		cancel()
		err := <-ended
		w.Stop()
		return err
	})
	t.Cleanup(func() {
		if err := h.stop(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-begun:
	case err := <-ended:
		ended <- err
		t.Fatalf("the host does not run: %v", err)
	}
	return h
}

// announcing is a logger of a host that says when the host runs.
func announcing(to io.Writer, begun func()) *zap.Logger {
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(to), zap.DebugLevel)
	return zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
		if e.Message == "sandbox host runs" {
			begun()
		}
		return nil
	}))
}

// lines is a writer into a log.
type lines struct{ to *harness.Log }

func (l lines) Write(p []byte) (int, error) {
	l.to.Info(string(p))
	return len(p), nil
}

// ids are the sandboxes, or the records of sessions, that are in a directory.
func ids(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if uuid.Validate(e.Name()) == nil {
			out = append(out, e.Name())
		}
	}
	return out
}

// wantNothingLeft waits until no sandbox, no record and none of the processes is left.
func (h *hosting) wantNothingLeft(ctx context.Context, t *testing.T, pids ...int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err := harness.Eventually(ctx, func() (bool, error) {
		return len(ids(t, h.sandboxes)) == 0 && len(ids(t, h.sessions)) == 0 && len(alive(pids)) == 0, nil
	})
	if err != nil {
		t.Errorf("left: sandboxes %v, records %v, processes %v", ids(t, h.sandboxes), ids(t, h.sessions), alive(pids))
	}
}

// wantEnded waits for the end of processes.
func wantEnded(ctx context.Context, t *testing.T, pids []int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := harness.Eventually(ctx, func() (bool, error) { return len(alive(pids)) == 0, nil }); err != nil {
		t.Errorf("still there: %v", alive(pids))
	}
}

// alive returns those processes that are not over.
func alive(pids []int) []int {
	var out []int
	for _, pid := range pids {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil && !strings.Contains(string(data), ") Z ") {
			out = append(out, pid)
		}
	}
	return out
}

// linger is a script that stays with two processes behind it, one of them in the background, and then names all three
// in the file that is its argument.
const linger = `sleep 1000 & a=$!
(trap '' TERM; sleep 1000 & wait; wait) & b=$!
echo $$ $a $b >"$1.new" && mv "$1.new" "$1"
wait`

// lingers waits for the processes that linger names.
func lingers(ctx context.Context, t *testing.T, run client.WorkflowRun, path string) []int {
	t.Helper()
	data, err := os.ReadFile(appears(ctx, t, run, path))
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 3 {
		t.Fatalf("%d processes", len(pids))
	}
	return pids
}

// appears waits for the one file that a run makes by a pattern.
func appears(ctx context.Context, t *testing.T, run client.WorkflowRun, pattern string) string {
	t.Helper()
	var found []string
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		cancel(fmt.Errorf("the workflow ended before: %w", cmp.Or(run.Get(ctx, nil), errors.New("well"))))
	}()
	err := harness.Eventually(ctx, func() (bool, error) {
		var err error
		found, err = filepath.Glob(pattern)
		return len(found) > 0, err
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %v, %v, %v", filepath.Base(pattern), found, err, context.Cause(ctx))
	}
	return found[0]
}

// files are all files below a directory, to be searched. What comes before the paths that tell where.
func files(t *testing.T, dir, what string) []harness.Blob {
	t.Helper()
	var out []harness.Blob
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		out = append(out, harness.Blob{Where: what + " " + path, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// processes is a file that the kernel has about each process, such as its arguments.
func processes(t *testing.T, file string) []harness.Blob {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []harness.Blob
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil { // or it is over, or another account's
			out = append(out, harness.Blob{Where: file, Data: data})
		}
	}
	return out
}
