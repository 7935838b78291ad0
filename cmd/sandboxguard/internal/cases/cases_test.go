package cases

import (
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

const policy = `
version: 1
default: {mode: report, literals: enforce}
`

// TestErrorsQuoteNothing: a file of cases may hold a value by mistake.
func TestErrorsQuoteNothing(t *testing.T) {
	canary := secretstest.Canary(t)
	for name, src := range map[string]string{
		"scalar":     canary,
		"field":      "cases: [{name: x, " + canary + ": 1}]",
		"type":       "cases: " + canary,
		"list":       "cases: [{name: x, queue: q, activity: a, expect: allow, rules: " + canary + "}]",
		"today":      "today: " + canary + "\ncases: [{name: x}]",
		"expect":     "cases: [{name: x, queue: q, activity: a, expect: " + canary + "}]",
		"rules":      "cases: [{name: x, queue: q, activity: a, expect: refuse, rules: [" + canary + "]}]",
		"no cases":   "today: 2027-01-01",
		"broken":     "cases: [" + canary,
		"empty":      "",
		"allow+rule": "cases: [{name: x, queue: q, activity: a, expect: allow, rules: [literal-credential]}]",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(src))
			if err == nil {
				t.Fatal("no error")
			}
			secretstest.AssertAbsent(t, []string{canary}, []byte(err.Error()))
		})
	}
}

// TestArguments: what an argument becomes decides what the guard sees.
func TestArguments(t *testing.T) {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		argument string
		want     Outcome
		rules    string
	}{
		"plain":                {`{a: 1, b: [x, null, 2.5, true]}`, Allow, ""},
		"none":                 {`null`, Allow, ""},
		"credential":           {`{$credential: true}`, Refuse, "literal-credential"},
		"deep credential":      {`{a: [{b: {$credential: true}}]}`, Refuse, "literal-credential"},
		"typed field":          {`{a: 1, b: null, c: {$secret: "env:X"}}`, Refuse, "secret-not-granted"},
		"typed field, deeper":  {`{a: {c: {$secret: "env:X"}}, z: 1}`, Refuse, "secret-not-granted"},
		"typed list":           {`[{c: {$secret: "env:X"}}, {c: {$secret: "env:Y"}}]`, Refuse, "secret-not-granted"},
		"mixed list":           {`[{c: {$secret: "env:X"}}, 1]`, Report, "secret-untyped-place"},
		"not a stand-in":       {`{$credential: true, other: 1}`, Allow, ""},
		"key with two meaning": {`{a: {$secret: "env:X"}, a-b: 2}`, Refuse, "secret-not-granted"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse([]byte("cases: [{name: x, queue: q, activity: a, expect: allow, arguments: [" + test.argument + "]}]"))
			if err != nil {
				t.Fatal(err)
			}
			results, err := f.Run(policies)
			if err != nil {
				t.Fatal(err)
			}
			if r := results[0]; r.Outcome != test.want || strings.Join(r.Rules(), ",") != test.rules || r.Passed != (test.want == Allow) {
				t.Errorf("%s by %v, passed %v; want %s by %s", r.Outcome, r.Rules(), r.Passed, test.want, test.rules)
			}
		})
	}
}

func TestArgumentsThatCannotBe(t *testing.T) {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	for name, argument := range map[string]string{
		"reference":  `{$secret: "nothing"}`,
		"credential": `{$credential: 1}`,
		"odd key":    `{"a\nb": 1, c: {$secret: "env:X"}}`,
		"alias":      `[&x 1, *x]`,
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse([]byte("cases: [{name: x, queue: q, activity: a, expect: allow, arguments: [" + argument + "]}]"))
			if err != nil {
				t.Fatal(err)
			}
			if results, err := f.Run(policies); err == nil {
				t.Errorf("no error, but %+v", results)
			}
		})
	}
}

// FuzzCases: no file of cases ends the program.
func FuzzCases(f *testing.F) {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "cases:", "cases: [{name: x, queue: q, activity: a, expect: allow, arguments: [{a: {$secret: \"env:X\"}, b: 1}]}]",
		"cases: [{name: x, queue: q, activity: a, expect: report, arguments: [[1], {b: ~}, .nan, 2001-01-01, !!binary aGk=]}]",
		"cases: [{name: x, queue: '', activity: a}]", "today: 2027-02-30\ncases: [{}]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse(src)
		if err != nil || len(file.Cases) > 4 {
			return
		}
		results, err := file.Run(policies)
		if err == nil && len(results) != len(file.Cases) {
			t.Errorf("%d results for %d cases", len(results), len(file.Cases))
		}
	})
}
