package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestMain(m *testing.M) {
	local.Init()
	os.Exit(m.Run())
}

// TestDoctorTriesLaunchers checks that doctor tells what this host can and what not, and that neither is a failure.
func TestDoctorTriesLaunchers(t *testing.T) {
	policy := policyFile(t)
	code, stdout, stderr := sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--offline", "--launchers", "native,unisolated")
	if code != exitOK || stderr != "" {
		t.Fatalf("code %d, stderr %q:\n%s", code, stderr, stdout)
	}
	works := strings.Contains(stdout, "ok    launcher native\n") && strings.Contains(stdout, "pid namespace of each command")
	refuses := strings.Contains(stdout, "warn  launcher native: native cannot isolate on this host\n      fix: ")
	if works == refuses {
		t.Errorf("native neither works nor is refused:\n%s", stdout)
	}
	if !strings.Contains(stdout, "ok    launcher unisolated\n") || !strings.Contains(stdout, "cannot: unisolated keeps nothing apart") {
		t.Errorf("unisolated:\n%s", stdout)
	}
	for _, name := range []string{"wall", "output"} {
		if works && !strings.Contains(stdout, "\n      limit of "+name+" ") {
			t.Errorf("nothing is said of the limit of %s:\n%s", name, stdout)
		}
	}
	// Launchers can be tried before there is a policy, or a server.
	code, alone, stderr := sandboxguard(t.Context(), t, "doctor", "--launchers", "native,unisolated")
	if _, of, _ := strings.Cut(stdout, "\n"); code != exitOK || stderr != "" || alone != of {
		t.Errorf("without a policy: code %d, stderr %q:\n%s", code, stderr, alone)
	}
	code, stdout, _ = sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--offline", "--launchers", "docker")
	if code != exitFound || !strings.Contains(stdout, "fail  launcher docker: there is no such launcher") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

// TestDoctorSaysDegraded checks that doctor says of a launcher that is degraded that it is, before what it does.
func TestDoctorSaysDegraded(t *testing.T) {
	code, stdout, stderr := sandboxguard(t.Context(), t, "doctor", "--launchers", "landlock")
	works := strings.Contains(stdout, "ok    launcher landlock\n      isolation            degraded: no namespaces")
	refuses := strings.Contains(stdout, "warn  launcher landlock: ") && strings.Contains(stdout, "\n      fix: ")
	if code != exitOK || stderr != "" || works == refuses {
		t.Errorf("code %d, stderr %q:\n%s", code, stderr, stdout)
	}
}

// TestDoctorJudgesQueues checks that doctor says of the queues of a policy what local.New says of their launchers, and that
// a queue that no launcher is left to is a failure.
func TestDoctorJudgesQueues(t *testing.T) {
	limits := map[string]sandbox.Limits{"held": {Wall: 60e9, Memory: 1 << 30}, "cpus": {CPUs: 2}, "narrow": {Memory: 1}}
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte(`version: 1
queues:
  held: {mode: enforce, limits: {wall: 60s, memory: 1GiB}}
  cpus: {mode: enforce, sandbox: {backends: [native, unisolated]}, limits: {cpus: 2}}
  narrow: {mode: enforce, limits: {memory: 1B}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--offline", "--launchers", "native")
	want := exitOK
	for queue, l := range limits {
		b, err := local.New(local.Options{Dir: filepath.Join(t.TempDir(), "boxes"), Limits: l})
		line := "\nok    queues." + queue + ": launcher native can be used, with " + l.String() + "\n"
		if err == nil {
			err = b.Close()
		} else {
			want = exitFound
			// What New says stands in two lines.
			what, fix, _ := strings.Cut(strings.TrimPrefix(err.Error(), "local: "), ": ")
			line = "\nfail  queues." + queue + ": launcher native, with " + l.String() + ": " + strings.TrimSuffix(what, ", nothing was run") + "\n      fix: " + fix + "\n"
			err = nil
		}
		if err != nil || !strings.Contains(stdout, line) {
			t.Errorf("%v, doctor does not say %q", err, line)
		}
	}
	if code != want || stderr != "" || !strings.Contains(stdout, " queues.cpus: launcher unisolated, with cpus: 2: unisolated can hold no limits but") {
		t.Errorf("code %d, want %d, stderr %q:\n%s", code, want, stderr, stdout)
	}
}
