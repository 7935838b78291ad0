package interceptor

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/internal/sdkmethods"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// benchManifest has entries of a few fields each, and refs references.
func benchManifest(entries, refs int) sandbox.Manifest {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{}, Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{}}}
	for i := range entries {
		m.Entries[fmt.Sprintf("dir%d/file%d.txt", i%10, i)] = sandbox.Entry{Type: sandbox.EntryFile, Content: "the quick brown fox jumps"}
	}
	for i := range refs {
		name := fmt.Sprintf("TOKEN_%d", i)
		m.Environment.Values[name] = sandbox.EnvSecret(secrets.Env(name))
	}
	return m
}

// benchTree is decoded JSON of about size bytes.
func benchTree(size int) map[string]any {
	root := map[string]any{}
	for n := 0; size > 0; n, size = n+1, size-150 {
		root[fmt.Sprintf("row%d", n)] = map[string]any{
			"id": float64(n), "status": "completed", "note": strings.Repeat("a few words ", 5), "tags": []any{"nightly", true, nil}, "cost": float64(n) / 7,
		}
	}
	return root
}

type benchPage struct {
	Name string
	Data []byte
}

// benchArgs are arguments without a reference.
func benchArgs() map[string]any {
	return map[string]any{
		"manifest of 10":    benchManifest(10, 0),
		"manifest of 1,000": benchManifest(1000, 0),
		"map of 1 KB":       benchTree(1 << 10),
		"map of 100 KB":     benchTree(100 << 10),
		"map of 2 MB":       benchTree(2 << 20),
		"bytes of 2 MB":     benchPage{"page", make([]byte, 2<<20)},
	}
}

// benchAttempt is an attempt whose policy grants refs references.
func benchAttempt(tb testing.TB, refs int) *attempt {
	tb.Helper()
	var policy, grants strings.Builder
	values := map[string]string{}
	policy.WriteString("version: 1\n")
	for i := range refs {
		if i == 0 {
			policy.WriteString("secrets:\n")
			grants.WriteString("  grants:\n")
		}
		fmt.Fprintf(&policy, "  token-%d: {ref: \"env:TOKEN_%d\", owner: o, reason: r, review_by: 2099-01-01}\n", i, i)
		fmt.Fprintf(&grants, "    - {secret: token-%d, to: {env: TOKEN_%d}}\n", i, i)
		values[fmt.Sprintf("env:TOKEN_%d", i)] = secretstest.Canary(tb)
	}
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy.String()+"default:\n  mode: enforce\n  sandbox: {entries: [file]}\n"+grants.String()))
	if err != nil {
		tb.Fatal(err)
	}
	g, err := newGuard(Options{Policies: policies, Resolver: secretstest.Static(values), Audit: audit.Discard(), Hidden: redact.NewSet(), Unguarded: sdkmethods.Unknown(nil)})
	if err != nil {
		tb.Fatal(err)
	}
	i := &activityInbound{g: g, queue: "queue"}
	a := i.attemptOf(activity.Info{ActivityType: activity.Type{Name: "StartJob"}}, client.MetricsNopHandler)
	a.scribe = &scribe{sink: g.sink}
	return a
}

// injected finds, resolves and injects.
func (a *attempt) injected(tb testing.TB, args []any) []any {
	tb.Helper()
	p := a.places(args, true)
	values, err := a.resolveAll(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := a.inject(args, p, values)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func BenchmarkInject(b *testing.B) {
	for name, arg := range benchArgs() {
		b.Run("nothing/"+name, func(b *testing.B) {
			a, args := benchAttempt(b, 0), []any{arg}
			b.ReportAllocs()
			for b.Loop() {
				a.injected(b, args)
			}
		})
	}
	for _, refs := range []int{1, 5, 100} {
		b.Run(fmt.Sprintf("refs=%d", refs), func(b *testing.B) {
			a, args := benchAttempt(b, refs), []any{benchManifest(1000, refs)}
			b.ReportAllocs()
			for b.Loop() {
				a.injected(b, args)
			}
		})
	}
}

// scanned are results without a value.
func scanned() map[string]any {
	return map[string]any{
		"text of 10 KB": strings.Repeat("a few words ", 10<<10/12),
		"map of 100 KB": benchTree(100 << 10),
		"map of 2 MB":   benchTree(2 << 20),
		"bytes of 2 MB": benchPage{"page", make([]byte, 2<<20)},
	}
}

func benchHidden(tb testing.TB, n int) *redact.Set {
	tb.Helper()
	set := redact.NewSet()
	for range n {
		if err := set.Add("known", secretstest.Canary(tb)); err != nil {
			tb.Fatal(err)
		}
	}
	return set
}

func BenchmarkScanValue(b *testing.B) {
	c := cleaner{hidden: benchHidden(b, 10)}
	for name, v := range scanned() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, hits, err := c.value(v); hits > 0 || err != nil {
					b.Fatal(hits, err)
				}
			}
		})
		b.Run(name+"/JSON", func(b *testing.B) {
			for b.Loop() {
				if _, err := json.Marshal(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	a := benchAttempt(b, 5)
	for name, arg := range map[string]any{"manifest of 50": benchManifest(50, 5), "map of 100 KB": benchTree(100 << 10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.g.judge(a.call([]any{arg}))
			}
		})
	}
}

// TestNothingToInjectAllocatesNothing: arguments that hold no reference cost no
// memory, whatever they hold.
func TestNothingToInjectAllocatesNothing(t *testing.T) {
	a := benchAttempt(t, 0)
	for name, arg := range benchArgs() {
		args := []any{arg}
		if n := testing.AllocsPerRun(20, func() { a.injected(t, args) }); n > 0 && !raceDetector {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestCleanResultsAllocateNothing: a result that holds no value costs no memory to
// search.
func TestCleanResultsAllocateNothing(t *testing.T) {
	c := cleaner{hidden: benchHidden(t, 10)}
	for name, v := range scanned() {
		allocs := testing.AllocsPerRun(20, func() {
			if _, hits, err := c.value(v); hits > 0 || err != nil {
				t.Fatal(hits, err)
			}
		})
		if allocs > 0 && !raceDetector {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// TestAReferenceMoreCostsFewAllocations holds the promise for each reference, which
// includes what the resolver makes.
func TestAReferenceMoreCostsFewAllocations(t *testing.T) {
	const few, many = 50, 150
	cost := func(refs int) float64 {
		a, args := benchAttempt(t, refs), []any{benchManifest(10, refs)}
		return testing.AllocsPerRun(20, func() { a.injected(t, args) })
	}
	if each := (cost(many) - cost(few)) / (many - few); each > 4 && !raceDetector {
		t.Errorf("%v allocations", each)
	}
}
