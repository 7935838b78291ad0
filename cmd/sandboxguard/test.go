package main

import (
	"flag"
	"os"
	"strings"

	"github.com/sandboxguard/sandboxguard/cmd/sandboxguard/internal/cases"
)

// defineTest defines "policy test".
func defineTest(flags *flag.FlagSet) func(*invocation) int {
	path := flags.String("cases", "", "the `FILE` of cases (required)")
	return func(i *invocation) int {
		if len(i.args) != 1 || *path == "" {
			return i.fail("name one policy file and --cases")
		}
		policies, code := i.load(i.args[0])
		if policies == nil {
			return code
		}
		src, err := os.ReadFile(*path)
		if err != nil {
			return i.fail("%v", err)
		}
		file, err := cases.Parse(src)
		if err != nil {
			return i.fail("%s: %v", *path, err)
		}
		results, err := file.Run(policies)
		if err != nil {
			return i.fail("%s: %v", *path, err)
		}
		return i.results(*path, results)
	}
}

// results writes what did not come out as expected.
func (i *invocation) results(path string, results []cases.Result) int {
	failed := 0
	for _, r := range results {
		if r.Passed {
			continue
		}
		failed++
		i.say("%s: %s: want %s, got %s\n", position(path, r.Line, 1), r.Case.Name,
			outcome(r.Case.Expect, r.Case.Rules), outcome(r.Outcome, r.Rules()))
		for _, v := range r.Found {
			i.say("  %s\n", strings.ReplaceAll(v.String(), "\n", "\n    "))
		}
	}
	if failed > 0 {
		i.say("%d of %d cases failed\n", failed, len(results))
		return exitFound
	}
	i.say("%d cases passed\n", len(results))
	return exitOK
}

func outcome(o cases.Outcome, rules []string) string {
	if len(rules) == 0 {
		return string(o)
	}
	return string(o) + " by " + strings.Join(rules, ", ")
}
