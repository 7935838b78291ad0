package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// demoPart makes the test's own binary a demo that a host refuses.
const demoPart = "SANDBOXGUARD_DEMO_PART"

// TestMain lets the test's own binary be the program that jobs run.
func TestMain(m *testing.M) {
	local.Init()
	if play := parts[os.Getenv(demoPart)]; play != nil {
		os.Exit(play())
	}
	if code, ok := runTool(os.Args, os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// parts are those that there are on this system.
var parts = map[string]func() int{}

// demonstrate runs the demo in a temporary directory that must be empty
// afterwards.
func demonstrate(t *testing.T, o options) (code int, output string) {
	t.Helper()
	temp := t.TempDir()
	if err := os.Chmod(filepath.Dir(temp), 0o711); err != nil { // accounts of sandboxes have to find the demo in it
		t.Fatal(err)
	}
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(variable, temp)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	code = run(ctx, &out, o)
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the demo left %s behind", left[0].Name())
	}
	for _, variable := range []string{envToken, envRelease, envDSN} {
		if _, set := os.LookupEnv(variable); set {
			t.Errorf("the demo left %s set", variable)
		}
	}
	return code, out.String()
}

// TestDemo runs all of it with every launcher. On a host that cannot do what one promises, its refusal is what must
// be shown.
func TestDemo(t *testing.T) {
	for _, launcher := range []local.Launcher{local.Native, local.Bubblewrap, local.Unisolated} {
		t.Run(launcher.String(), func(t *testing.T) {
			can, err := local.Probe(t.Context(), local.Options{Launcher: launcher, Launchers: []string{launcher.String()}})
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			code, output := demonstrate(t, options{launcher: launcher, log: &log})
			if can.Refusal != "" {
				t.Logf("%s cannot be used on this host: %s", launcher, can.Refusal)
				wantRefused(t, code, output)
				return
			}
			wantShown(t, launcher, code, output)
			if !strings.Contains(log.String(), "worker guarded") {
				t.Error("the workers' log was not shown")
			}
		})
	}
}

// wantRefused holds the demo to a refusal before anything is shown.
func wantRefused(t *testing.T, code int, output string) {
	t.Helper()
	if code != exitRefused || !strings.Contains(output, "REFUSED: ") || !strings.Contains(output, "-launcher unisolated") || strings.Contains(output, "(1)") {
		t.Errorf("exit code %d, want %d and a refusal alone\n%s", code, exitRefused, output)
	}
}

// wantShown holds the demo to all that it shows.
func wantShown(t *testing.T, launcher local.Launcher, code int, output string) {
	t.Helper()
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, output)
	}
	var found int
	_, last, _ := strings.Cut(output, "=> 0 places with the guard, ")
	if _, err := fmt.Sscanf(last, "%d without it", &found); err != nil || found == 0 {
		t.Errorf("step 1 found the token in %d places (%v)", found, err)
	}
	for line := range strings.Lines(output) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for _, want := range []string{
		"(1) Without the guard", "(2) With the guard", "(3) An old workflow", "(4) Refused", "(5) Rollback", "(6) Searched",
		`"REPORTS_API_TOKEN": "rpt_live_`, `"type": "temporal.worker_env_value"`, "Authorization: Bearer [redacted:reports-api]",
		"The fetch runs unisolated", "reference.csv: ok (unisolated)", "analyse orders.csv reference.csv: ok (" + launcher.String() + ")",
		"The workspaces, the processes and the hosts' records are gone.", "Not one event more", "6 anomalies against the reference table", `"action":"inject"`,
		"POST /v1/announcements/v1.4.0: 401 Unauthorized", "POST /v1/announcements/v1.4.0: 201 Created",
		"literal-credential", "host-path-grant", "live-session", "secret-not-granted", "does not replay",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the demo does not print %q", want)
		}
	}
	if strings.Contains(output, "/etc") {
		t.Error("a message shows the path of the host")
	}
	around := map[bool]string{true: "isolated and offline", false: "nothing is kept from it"}[launcher.Isolated()]
	if !strings.Contains(output, around) || strings.Contains(output, "out of reach") != launcher.Isolated() {
		t.Errorf("with %s the demo does not say %q, or something else of what commands reach\n%s", launcher, around, output)
	}
}

// TestDemoNotices takes away what the demo shows and looks whether it fails.
func TestDemoNotices(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    options
		want string
	}{
		{
			name: "no guard",
			o: options{plugin: func(guard.Options) (client.Plugin, error) {
				return temporal.NewSimplePlugin(temporal.SimplePluginOptions{Name: "none"})
			}},
			want: "the job with the guard",
		},
		{
			name: "a search that finds nothing",
			o:    options{search: func(string, []harness.Blob) []harness.Hit { return nil }},
			want: "step 1 must find the token",
		},
		{
			name: "a search that looks past the host",
			o: options{search: func(value string, blobs []harness.Blob) []harness.Hit {
				return harness.Search(value, slices.DeleteFunc(slices.Clone(blobs), func(b harness.Blob) bool {
					return strings.HasPrefix(b.Where, sessionsDir)
				}))
			}},
			want: "the search must find a token that a host was given as text",
		},
		{
			name: "a search that finds what is everywhere",
			o: options{search: func(_ string, blobs []harness.Blob) []harness.Hit {
				return harness.Search(envWeek, blobs)
			}},
			want: "places hold a secret",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.o.launcher = local.Unisolated
			code, output := demonstrate(t, tc.o)
			if code == 0 || !strings.Contains(output, "FAILED: ") || !strings.Contains(output, tc.want) {
				t.Errorf("exit code %d, want a failure that says %q\n%s", code, tc.want, output)
			}
		})
	}
}

func TestDemoStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if code := run(ctx, &out, options{launcher: local.Unisolated}); code == 0 || strings.Contains(out.String(), "(2)") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
