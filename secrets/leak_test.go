package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// container puts something into what programs keep their values in.
type container struct {
	name string
	in   any
}

type exported struct{ Token any }

type typed[T any] struct {
	Name  string
	Token T
}

type unexported struct{ token any }

type typedUnexported[T any] struct {
	name  string
	token T
}

type nested[T any] struct {
	Inner *unexported
	more  map[string]typedUnexported[T]
}

type embedsValue struct {
	secrets.Value
	Other int
}

type embedsResolution struct {
	secrets.Resolution
	Other int
}

type text string

type embedsText struct {
	text
	Other int
}

type tokenError struct{ Token any }

func (e tokenError) Error() string { return fmt.Sprintf("token %v is bad", e.Token) }

// containersOf returns every container with v in it; embedded is a struct that
// embeds v.
func containersOf[T comparable](v T, embedded any) []container {
	return []container{
		{"direct", v},
		{"pointer", &v},
		{"pointer to any", func() any { var a any = v; return &a }()},
		{"field of any", exported{v}},
		{"field", typed[T]{"n", v}},
		{"pointer to struct", &typed[T]{"n", v}},
		{"unexported field of any", unexported{v}},
		{"unexported field", typedUnexported[T]{"n", v}},
		{"pointer to unexported field", &typedUnexported[T]{"n", v}},
		{"nested unexported", nested[T]{&unexported{v}, map[string]typedUnexported[T]{"k": {"n", v}}}},
		{"embedded", embedded},
		{"slice", []T{v, v}},
		{"slice of any", []any{1, v}},
		{"array", [1]T{v}},
		{"map value", map[string]T{"k": v}},
		{"map value of any", map[string]any{"k": v}},
		{"map value, unexported", map[int]unexported{1: {v}}},
		{"map key", map[T]int{v: 1}},
		{"map key of any", map[any]any{any(v): v}},
		{"map key by pointer", map[*T]int{&v: 1}},
		{"map key, unexported", map[typedUnexported[T]]int{{"n", v}: 1}},
		{"error", tokenError{v}},
		{"wrapped error", fmt.Errorf("outer: %w", tokenError{v})},
		{"joined error", errors.Join(tokenError{v}, errors.New("other"))},
		{"context", context.WithValue(context.Background(), exported{}, v)},
		{"slog attribute", slog.Any("token", v)},
		{"reflect.Value", reflect.ValueOf(v)},
	}
}

// TestNothingShowsContents holds every container against every sink.
func TestNothingShowsContents(t *testing.T) {
	t.Parallel()
	canary := secretstest.Canary(t)
	value := secretstest.Resolved(t, vaultRef, canary)
	resolution := secrets.NewResolution(canary, secrets.ResolutionInfo{Version: "4"})
	for kind, containers := range map[string][]container{
		"value":      containersOf(value, embedsValue{value, 1}),
		"resolution": containersOf(resolution, embedsResolution{resolution, 1}),
	} {
		if len(containers) < 12 || len(sinks) < 14 {
			t.Fatalf("%d containers and %d sinks are too few", len(containers), len(sinks))
		}
		t.Logf("%s: %d containers, %d sinks", kind, len(containers), len(sinks))
		for _, c := range containers {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				for _, s := range sinks {
					before := t.Failed()
					secretstest.AssertAbsent(t, []string{canary}, s.show(c.in))
					if !before && t.Failed() {
						t.Errorf("the sink is %s", s.name)
					}
				}
			})
		}
	}
}

// TestSinksShowPlainText is the control: each sink shows a string in some
// container, and each container is shown by some sink.
func TestSinksShowPlainText(t *testing.T) {
	t.Parallel()
	canary := text(secretstest.Canary(t))
	containers := containersOf(canary, embedsText{canary, 1})
	shown := make(map[string]int)
	for _, s := range sinks {
		for _, c := range containers {
			seen := &recorder{TB: t}
			secretstest.AssertAbsent(seen, []string{string(canary)}, s.show(c.in))
			if len(seen.errors) > 0 {
				shown[s.name]++
				shown[c.name]++
			}
		}
		if shown[s.name] == 0 && !s.blind {
			t.Errorf("%s shows no plain string: it proves nothing about values", s.name)
		}
	}
	for _, c := range containers {
		if shown[c.name] == 0 {
			t.Errorf("no sink shows a plain string in a %s: it proves nothing about values", c.name)
		}
	}
}

// Differences between two values are shown by their references.
func TestDiffShowsReferences(t *testing.T) {
	t.Parallel()
	canary, other := secretstest.Canary(t), secretstest.Canary(t)
	a := typed[secrets.Value]{"n", secretstest.Resolved(t, vaultRef, canary)}
	b := typed[secrets.Value]{"n", secretstest.Resolved(t, vaultRef, other)}
	diff := cmp.Diff(a, b)
	if diff == "" {
		t.Error("cmp.Diff takes values with other contents for equal")
	}
	secretstest.AssertAbsent(t, []string{canary, other}, []byte(diff))
	if diff := cmp.Diff(a, typed[secrets.Value]{"n", secretstest.Resolved(t, vaultRef, canary)}); diff != "" {
		t.Errorf("cmp.Diff of equal values:\n%s", diff)
	}
}

// recorder keeps what a check would have failed with.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
