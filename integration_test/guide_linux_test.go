package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// TestWholeWorkerOfGuide builds the program of docs/sandboxes.md, lets it run its workflow and stops it. Only its
// directories are others.
func TestWholeWorkerOfGuide(t *testing.T) {
	t.Parallel()
	policy, program := guideWorker(t)
	state := t.TempDir()
	binary := filepath.Join(t.TempDir(), "worker")
	buildGuide(t, binary, strings.ReplaceAll(program, "/var/lib/reports", state))
	if err := os.WriteFile(filepath.Join(state, "policy.yaml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	token := secretstest.Canary(t)

	ctx, cancel := context.WithCancel(limited(t))
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	cmd.Dir = state
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+server.HostPort(), "TEMPORAL_NAMESPACE="+server.Namespace(), "REPORTS_TOKEN="+token)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		cancel() // nobody answers any more
	}()
	if why := guideRefused(t, policy); why != "" {
		if err := <-ended; err == nil || !strings.Contains(said.String(), why) {
			t.Errorf("on a host that refuses it the program ended with %v and said:\n%s", err, said.String())
		}
		return
	}

	c, err := server.Client(client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "reports"}, "Report", `echo "with $REPORTS_TOKEN"`)
	var got string
	if err == nil {
		err = run.Get(ctx, &got)
	}
	if err != nil || got != "with [redacted:reports]\n" {
		t.Errorf("the workflow returned %q, %v", got, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the program ended with %v", err)
	}
	secretstest.AssertAbsent(t, []string{token}, said.Bytes())
	if log := said.String(); strings.Count(log, "worker guarded") != 2 || strings.Contains(log, "without the guard") || t.Failed() {
		t.Errorf("it said:\n%s", log)
	}
	for _, pattern := range []string{"sandboxes/*-*", "sessions/*-*"} {
		if left, err := filepath.Glob(filepath.Join(state, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left are %q, %v", left, err)
		}
	}
}

// guideWorker returns the policy and the program of the section "A whole worker".
func guideWorker(t *testing.T) (policy, program string) {
	t.Helper()
	page, err := os.ReadFile("../docs/sandboxes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## A whole worker\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```(yaml|go)\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 || blocks[0][1] != "yaml" || blocks[1][1] != "go" {
		t.Fatalf("the section has %d blocks, want a policy and a program", len(blocks))
	}
	return blocks[0][2], blocks[1][2]
}

// buildGuide builds a program that is in no directory of the module.
func buildGuide(t *testing.T, binary, text string) {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	source, list := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "internal", "copied", "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{source: []byte(text), list: overlay} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay="+list, "-o", binary, "./internal/copied")
	build.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// guideRefused is why this host cannot isolate the sandboxes of the policy, empty if it can.
func guideRefused(t *testing.T, text string) string {
	t.Helper()
	policies, err := validation.ParsePolicies("policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := policies.PolicyFor(validation.Queue{Name: "reports"})
	can, err := local.Probe(t.Context(), local.Options{Launchers: policy.Backends(), Limits: policy.Limits()})
	if err != nil {
		t.Fatal(err)
	}
	return can.Refusal
}
