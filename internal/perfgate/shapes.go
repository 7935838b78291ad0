package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// A shape is one kind of activity: what it is called with, what it returns, and
// how many secrets its worker knows.
type shape struct {
	name    string
	secrets int
	// refs is how many references the arguments hold; each is granted.
	refs    int
	args    []any
	result  any
	ceiling float64 // of its own ratio
}

// toolResult is what a plain activity returns.
type toolResult struct {
	Stdout string `json:"stdout"`
	Code   int    `json:"code"`
}

// blob is a result that is one large field.
type blob struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

func shapes() []shape {
	random := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // a fixed seed is the point
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = byte(random.Uint32()) //nolint:gosec // the low byte is meant
	}
	return []shape{
		{"small", 10, 1, []any{manifest(1, 1)}, toolResult{Stdout: text(random, 200)}, 0.30},
		{"man50", 10, 5, []any{manifest(50, 5)}, toolResult{Stdout: text(random, 10<<10)}, 0.06},
		{"man1000", 100, 100, []any{manifest(1000, 100)}, toolResult{Stdout: text(random, 10<<10)}, 0.02},
		{"map100K", 100, 0, []any{tree(random, 100<<10)}, tree(random, 100<<10), 0.20},
		{"bytes1M", 1000, 0, []any{map[string]any{"name": "fetch"}}, blob{"page", big}, 0.45},
	}
}

// manifest has entries of a few fields each, and refs references in its
// environment.
func manifest(entries, refs int) sandbox.Manifest {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{}, Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{}}}
	for i := range entries {
		m.Entries[fmt.Sprintf("dir%d/file%d.txt", i%10, i)] = sandbox.Entry{
			Type: sandbox.EntryFile, Content: "the quick brown fox jumps over the lazy dog", Permissions: &sandbox.Permissions{Owner: 6, Group: 4, Other: 4},
		}
	}
	for i := range refs {
		m.Environment.Values[variable(i)] = sandbox.EnvSecret(secrets.Env(variable(i)))
	}
	return m
}

func variable(i int) string { return fmt.Sprintf("TOKEN_%d", i) }

// tree is decoded JSON of about size bytes.
func tree(random *rand.Rand, size int) map[string]any {
	root := map[string]any{}
	for n := 0; size > 0; n++ {
		row := map[string]any{
			"id": float64(n), "status": "completed", "region": "us-east-1", "note": text(random, 60),
			"tags": []any{"nightly", "reports", true, nil}, "cost": random.Float64(),
		}
		root[fmt.Sprintf("row%d", n)] = row
		size -= 190
	}
	return root
}

var words = strings.Fields("the worker reads a manifest and starts a sandbox which runs one command after another until it ends service account region status")

func text(random *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[random.IntN(len(words))])
		b.WriteByte(" \n"[random.IntN(8)/7])
	}
	return b.String()[:size]
}

// values are n secrets as environment variables that the shapes name, and as a
// resolver knows them.
func values(n int) map[string]string {
	random := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // no real secret
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	m := make(map[string]string, n)
	for i := range n {
		b := make([]byte, 20+random.IntN(29))
		for j := range b {
			b[j] = alphabet[random.IntN(len(alphabet))]
		}
		m["env:"+variable(i)] = string(b)
	}
	return m
}

// policy grants every reference of the shapes to the variable of its name. literals
// is what becomes of text with the form of a credential.
func policy(refs int, literals string) string {
	var b, grants strings.Builder
	b.WriteString("version: 1\n")
	for i := range refs {
		if i == 0 {
			b.WriteString("secrets:\n")
			grants.WriteString("  grants:\n")
		}
		fmt.Fprintf(&b, "  token-%d: {ref: \"env:%s\", owner: perf, reason: measured, review_by: 2099-01-01}\n", i, variable(i))
		fmt.Fprintf(&grants, "    - {secret: token-%d, to: {env: %s}}\n", i, variable(i))
	}
	return b.String() + "default:\n  mode: enforce\n  literals: " + literals + "\n  sandbox: {entries: [file]}\n" + grants.String()
}
