package documents_test

import (
	"slices"
	"strings"
	"testing"
)

// TestUnitLetsSandboxesBe holds the unit for systemd to what docs/operations.md says of it: it has the settings that
// sandboxes need, and none that keeps them from being made.
func TestUnitLetsSandboxesBe(t *testing.T) {
	t.Parallel()
	var has []string
	for line := range strings.Lines(source(t, "deploy/worker.service")) {
		if name, _, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			has = append(has, name)
		}
	}
	page := strings.Join(read(t, "docs/operations.md").code(), "\n")
	for name, want := range map[string]bool{
		"Delegate": true, "DelegateSubgroup": true, "KillMode": true, "TimeoutStopSec": true, "NoNewPrivileges": true,
		"CapabilityBoundingSet": true, "ProtectSystem": true, "ProtectHome": true, "PrivateTmp": true, "LimitCORE": true,
		"ProtectKernelTunables": false, "ProtectKernelLogs": false, "ProtectControlGroups": false, "ProtectHostname": false,
		"RestrictNamespaces": false, "SystemCallFilter": false, "MemoryDenyWriteExecute": false,
	} {
		if got := slices.Contains(has, name); got != want {
			t.Errorf("the unit has %s: %v, want %v", name, got, want)
		}
		if !strings.Contains(page, name) {
			t.Errorf("docs/operations.md does not speak of %s", name)
		}
	}
}
