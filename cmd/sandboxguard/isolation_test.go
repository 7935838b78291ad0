package main

import (
	"os"
	"strings"
	"testing"

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
