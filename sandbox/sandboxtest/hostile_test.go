package sandboxtest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestHostileBelievesNothing: a program that crashes, says nothing or says something else shows nothing to be safe.
func TestHostileBelievesNothing(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("any"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, play := range map[string]sandboxtest.Program{
		"crash":   func(context.Context, backend.Command) int { return 2 },
		"killed":  func(context.Context, backend.Command) int { return -11 },
		"silent":  func(context.Context, backend.Command) int { return 0 },
		"no JSON": says("PASS\n"),
		"no word": says(`{"probe":"environment","detail":"1 tries"}`),
		"flood":   says(strings.Repeat("x", 1<<20)),
		"other":   says(`{"probe":"another","safe":true,"detail":"1 tries"}`),
	} {
		t.Run(name, func(t *testing.T) {
			findings := sandboxtest.Hostile{
				New: func(*testing.T) backend.Backend {
					b := sandboxtest.NewFake()
					b.Handle("/workspace/sandboxguard-probe", play)
					return b
				},
				Program:    program,
				Local:      true,
				Unisolated: true,
				Bounds:     []sandboxtest.Bound{{Name: "processes"}, {Name: "memory"}, {Name: "file size", Unnamed: true}, {Name: "no such"}},
			}.Run(t)
			for _, f := range findings {
				if f.Safe && f.Probe != "report-way-up" {
					t.Errorf("%s is safe: %s", f.Probe, f.Detail)
				}
				if f.Tried == "" && f.Probe != "limit-no such" || f.Detail == "" {
					t.Errorf("%s does not say what was tried, or what came of it", f.Probe)
				}
			}
			if n := len(findings); n != 17+8+4 {
				t.Errorf("%d findings", n)
			}
		})
	}
}

// says is a program that puts something out, whatever it is asked for.
func says(text string) sandboxtest.Program {
	return func(_ context.Context, cmd backend.Command) int {
		if _, err := cmd.Stdout.Write([]byte(text)); err != nil {
			return 1
		}
		return 0
	}
}

func TestTable(t *testing.T) {
	want := "1 of 2 safe\n" +
		"PROBE        RESULT  DETAIL\n" +
		"environment  safe    3 tries\n" +
		"devices      UNSAFE  /dev/mem\n" +
		"limit-disk   safe    the command was stopped\n"
	if diff := cmp.Diff(want, sandboxtest.Table([]sandboxtest.Finding{
		{Probe: "environment", Safe: true, Detail: "3 tries", Scored: true},
		{Probe: "devices", Detail: "/dev/mem", Scored: true},
		{Probe: "limit-disk", Safe: true, Detail: "the command was stopped"},
	})); diff != "" {
		t.Errorf("table (-want +got)\n%s", diff)
	}
}
