package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// sandboxguard runs a command and returns what it printed.
func sandboxguard(ctx context.Context, t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	secretstest.AssertAbsent(t, []string{githubToken}, out.Bytes(), errs.Bytes())
	return code, out.String(), errs.String()
}

func TestScanOfANamespace(t *testing.T) {
	address := serve(t, &temporal{})
	code, stdout, stderr := sandboxguard(t.Context(), t, "scan", "--query", "", "--activities=false", "--address", address, "--namespace", "orders")
	if code != exitFound || !strings.Contains(stderr, "scanned 2 of 2 workflows") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	for _, want := range []string{
		"1 credential in 2 workflow runs (0 running) and 2 schedules: 4 events", "\n1. GitHub token", "8 times in 2 runs", "in 2 schedules",
		"describe Release memo/note", "WorkflowExecutionStarted Release input/0/token", "WorkflowExecutionCompleted Release result/0/token",
		"schedule nightly", "schedule weekly", "Release first, run run",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	code, stdout, _ = sandboxguard(t.Context(), t, "scan", "--query", "", "--schedules=false", "--address", address)
	if code != exitFound || strings.Contains(stdout, "schedule") {
		t.Errorf("code %d without schedules:\n%s", code, stdout)
	}
}

// TestScanOfActivitiesWithoutAWorkflow reads all that the server has of them.
func TestScanOfActivitiesWithoutAWorkflow(t *testing.T) {
	address := serve(t, &temporal{})
	code, stdout, _ := sandboxguard(t.Context(), t, "scan", "--query", onlySecond, "--schedules=false", "--address", address)
	if code != exitFound {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{
		"1 credential in 1 workflow run and 2 standalone activities (2 running): ", "11 times in 1 run and 2 standalone activities, 2 of them running",
		"activity PushTag input/0/token on deploys, 2 times", "activity PushTag result/0/token", "activity PushTag heartbeatDetails/0/token",
		"activity PushTag lastFailure/message", "activity PushTag one, run run, running", "activity PushTag two, run run, running",
		"to: {activity: PushTag, input: /0/token}",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// TestScanOfAServerWithoutThem: what a server does not know it does not hold.
func TestScanOfAServerWithoutThem(t *testing.T) {
	address := serve(t, &temporal{broken: map[string]error{"ListActivityExecutions": status.Error(codes.Unimplemented, "unknown method")}})
	code, stdout, _ := sandboxguard(t.Context(), t, "scan", "--query", "", "--address", address)
	if code != exitFound || strings.Contains(stdout, "not all") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

// TestScanThatAsksAgain reads what the server has no room for, or cannot tell yet, a little later.
func TestScanThatAsksAgain(t *testing.T) {
	for name, until := range map[string]func(*temporal) *atomic.Int32{
		"busy":         func(s *temporal) *atomic.Int32 { return &s.busy },
		"new schedule": func(s *temporal) *atomic.Int32 { return &s.unready },
	} {
		t.Run(name, func(t *testing.T) {
			server := &temporal{}
			left := until(server)
			left.Store(3)
			code, stdout, _ := sandboxguard(t.Context(), t, "scan", "--query", "", "--address", serve(t, server))
			if code != exitFound || strings.Contains(stdout, "not all") || left.Load() > -1 {
				t.Errorf("code %d, %d calls too few:\n%s", code, left.Load(), stdout)
			}
		})
	}
}

// TestScanWithAQuery reads what the query finds and nothing else.
func TestScanWithAQuery(t *testing.T) {
	address := serve(t, &temporal{})
	code, stdout, stderr := sandboxguard(t.Context(), t, "scan", "--query", onlySecond, "--schedules=false", "--activities=false", "--address", address)
	if code != exitFound || !strings.Contains(stdout, "1 credential in 1 workflow run ") || !strings.Contains(stdout, "Release second") ||
		strings.Contains(stdout, "first, run") || !strings.Contains(stderr, "scanned 1 of 1 workflows") {
		t.Errorf("code %d, stderr %q:\n%s", code, stderr, stdout)
	}
}

// TestScanThatCannotReadAll: whatever call fails, the scan is not complete, and the
// rest is reported, with the code and none of the server's words.
func TestScanThatCannotReadAll(t *testing.T) {
	for method, want := range map[string]string{
		"ListWorkflowExecutions":      "list of workflows",
		"DescribeWorkflowExecution":   "workflow first",
		"GetWorkflowExecutionHistory": "history of workflow first",
		"ListSchedules":               "list of schedules",
		"DescribeSchedule":            "schedule weekly",
		"ListActivityExecutions":      "list of activities",
		"DescribeActivityExecution":   "activity two",
	} {
		t.Run(method, func(t *testing.T) {
			address := serve(t, &temporal{broken: map[string]error{method: status.Error(codes.PermissionDenied, "not with horse battery staple")}})
			code, stdout, _ := sandboxguard(t.Context(), t, "scan", "--query", "", "--address", address, "--allow-unscanned")
			if code != exitPartial || !strings.Contains(stdout, "1 credential in ") ||
				!strings.Contains(stdout, "\n  "+want+": not read: the server answered PermissionDenied") || strings.Contains(stdout, "battery") {
				t.Errorf("code %d, want %q in\n%s", code, want, stdout)
			}
		})
	}
}

// TestScanThatIsInterrupted reports what there is until then.
func TestScanThatIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	address := serve(t, &temporal{onHistory: interrupt})
	code, stdout, _ := sandboxguard(ctx, t, "scan", "--query", "", "--address", address, "--workers", "1")
	if code != exitPartial || !strings.Contains(stdout, "1 credential in 1 workflow run") || !strings.Contains(stdout, "interrupted") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

// TestScanOfStandardInputIsInterrupted though nothing comes.
func TestScanOfStandardInputIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	reader, writer := net.Pipe()
	defer func() { _, _ = reader.Close(), writer.Close() }()
	var out, errs bytes.Buffer
	codes := make(chan int)
	go func() { codes <- run(ctx, []string{"scan"}, reader, &out, &errs) }()
	if _, err := writer.Write([]byte(`{"a":"` + githubToken + `"}`)); err != nil {
		t.Fatal(err)
	}
	interrupt()
	if code := <-codes; code != exitPartial || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("code %d:\n%s", code, out.String())
	}
}

func TestScanWithoutAServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := sandboxguard(ctx, t, "scan", "--query", "", "--address", "127.0.0.1:1")
	if code != exitPartial || stdout != "" || !strings.Contains(stderr, "no connection") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, _, stderr = sandboxguard(t.Context(), t, "scan", "--query", "", "file.json"); code != exitPartial || !strings.Contains(stderr, "either") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestDoctorLooksAtTheServer(t *testing.T) {
	address := serve(t, &temporal{})
	policy := policyFile(t)
	code, stdout, _ := sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--address", address, "--namespace", "orders")
	if code != exitOK || !strings.Contains(stdout, "reached, version 1.2.3") || !strings.Contains(stdout, "namespace orders: exists, keeps closed workflows for 72h") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
	code, stdout, _ = sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--address", address, "--namespace", "other")
	if code != exitFound || !strings.Contains(stdout, "fail  namespace other") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, _ = sandboxguard(ctx, t, "doctor", "--policy", policy, "--address", "127.0.0.1:1")
	if code != exitFound || !strings.Contains(stdout, "fail  server 127.0.0.1:1: not reached") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

func policyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("version: 1\ndefault: {mode: report}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
