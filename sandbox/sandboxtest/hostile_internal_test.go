package sandboxtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// TestFault: what is unsafe fails the test of a backend that isolates, and what is safe that of one that does not.
func TestFault(t *testing.T) {
	closed, open := check{tried: "Try.", report: "https://example.org/1"}, check{tried: "Try.", open: true}
	safe, unsafe, unknown := probe.Safe("p", "3 tries"), probe.Unsafe("p", "the door"), probe.Unknown("p", "nobody knows")
	for _, c := range []struct {
		name       string
		check      check
		report     probe.Report
		unisolated bool
		want       string
	}{
		{"isolated, safe", closed, safe, false, ""},
		{"isolated, unsafe", closed, unsafe, false, "unsafe: the door\nTry.\nhttps://example.org/1"},
		{"isolated, unsafe where all are", open, unsafe, false, "unsafe: the door\nTry."},
		{"isolated, no report", closed, probe.Report{}, false, "unsafe: \nTry.\nhttps://example.org/1"},
		{"isolated, unknown", closed, unknown, false, "unsafe: nobody knows\nTry.\nhttps://example.org/1"},
		{"unisolated, unknown", closed, unknown, true, "unknown: nobody knows"},
		{"unisolated, unsafe", open, unsafe, true, ""},
		{"unisolated, safe", open, safe, true, "safe (3 tries), although nothing is kept apart: the probe is wrong, or the backend isolates more than it says"},
		{"unisolated, safe for some accounts", closed, safe, true, ""},
	} {
		if got := c.check.fault(c.report, Hostile{Unisolated: c.unisolated}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFaultDegraded: what a backend says that it is not safe from is held to that.
func TestFaultDegraded(t *testing.T) {
	h := Hostile{Degraded: map[string]string{"p": "there is no wall"}}
	for _, c := range []struct {
		id     string
		report probe.Report
		want   string
	}{
		{"p", probe.Unsafe("p", "the door"), ""},
		{"p", probe.Unknown("p", "nobody knows"), "unknown: nobody knows"},
		{"p", probe.Safe("p", "3 tries"), "safe (3 tries), although the backend says that it is not: there is no wall"},
		{"q", probe.Safe("q", "3 tries"), ""},
		{"q", probe.Unsafe("q", "the door"), "unsafe: the door\nTry."},
	} {
		if got := (check{id: c.id, tried: "Try."}).fault(c.report, h); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.id, c.report.Detail, got, c.want)
		}
	}
}

// TestChecks: ids are for people and programs to compare, so they stay, and none comes twice.
func TestChecks(t *testing.T) {
	var got []string
	for _, c := range (&battery{Hostile: Hostile{Bounds: []Bound{{Name: "memory"}}}}).checks() {
		got = append(got, c.id)
		if c.scored == (c.report != "") && c.id != "limit-memory" {
			t.Errorf("%s is scored or a report, and not both", c.id)
		}
	}
	want := []string{
		"environment", "arguments", "files", "neighbours", "descriptors", "mounts", "settings", "privileges", "namespaces",
		"identity", "sockets", "surfaces", "memory", "terminal", "devices", "processes", "links",
		"report-launcher-environment", "report-values-in-arguments", "report-remount", "report-program-of-init",
		"report-reconnect", "report-background", "report-output", "report-way-up", "report-interrupt", "report-password",
		"limit-memory",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checks (-want +got)\n%s", diff)
	}
}

func TestNamed(t *testing.T) {
	whole := backend.Limit{Name: "memory", Value: "64MiB", Mechanism: "cgroup v2 memory.max"}
	for _, c := range []struct {
		limit backend.Limit
		want  bool
	}{
		{whole, true},
		{backend.Limit{Name: "disk", Value: "64MiB", Mechanism: "tmpfs"}, false},
		{backend.Limit{Name: "memory", Mechanism: "cgroup v2 memory.max"}, false},
		{backend.Limit{Name: "memory", Value: "64MiB"}, false},
	} {
		if got := named(backend.Result{Reached: []backend.Limit{{}, c.limit}}, "memory"); got != c.want {
			t.Errorf("%+v: %v", c.limit, got)
		}
	}
}

// TestSaid keeps the first line of what comes in pieces.
func TestSaid(t *testing.T) {
	s := newSaid()
	for _, piece := range []string{"/work", "space", "\nmore", "\n"} {
		if n, err := s.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("write: %d, %v", n, err)
		}
	}
	if !s.said() || s.line != "/workspace" {
		t.Errorf("said %v, %q", s.said(), s.line)
	}
}

// TestBelievesNothing: a program that crashes, says nothing or says something else shows nothing to be safe.
func TestBelievesNothing(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("any"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, play := range map[string]Program{
		"crash":   func(context.Context, backend.Command) int { return 2 },
		"killed":  func(context.Context, backend.Command) int { return -11 },
		"silent":  func(context.Context, backend.Command) int { return 0 },
		"no JSON": says("PASS\n"),
		"no word": says(`{"probe":"environment","detail":"1 tries"}`),
		"flood":   says(strings.Repeat("x", 1<<20)),
		"other":   says(`{"probe":"another","safe":true,"detail":"1 tries"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b := Hostile{
				New: func(*testing.T) backend.Backend {
					b := NewFake()
					b.Handle(command("").Args[0], play)
					return b
				},
				Program: program,
				Local:   true,
				Bounds:  []Bound{{Name: "processes"}, {Name: "memory"}, {Name: "file_size", Unnamed: true}, {Name: "no such"}},
			}.battery(t)
			for _, c := range b.checks() {
				if c.id == "report-way-up" {
					continue // it is not about what runs
				}
				t.Run(c.id, func(t *testing.T) {
					if r := b.check(t, c); r.IsSafe() || r.Detail == "" || c.fault(r, Hostile{}) == "" {
						t.Errorf("safe %v: %q", r.IsSafe(), r.Detail)
					}
				})
			}
		})
	}
}

// TestCanaries checks that the working directory holds a canary, and the checkout none, which a killed test would leave.
func TestCanaries(t *testing.T) {
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	task := canaries(t)
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]int{}
	for _, name := range task.Files {
		in[filepath.Dir(name)]++
	}
	if in[work] != 1 || in[checkout] != 0 {
		t.Errorf("%d canaries in the working directory and %d in the checkout, want 1 and 0", in[work], in[checkout])
	}
}

// says is a program that puts something out, whatever it is asked for.
func says(text string) Program {
	return func(_ context.Context, cmd backend.Command) int {
		_, err := cmd.Stdout.Write([]byte(text))
		return status(err)
	}
}
