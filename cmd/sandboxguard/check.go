package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sandboxguard/sandboxguard/validation"
)

// notice is how long before its day a review is mentioned when nobody asks.
const notice = 30 * 24 * time.Hour

// defineCheck defines "policy check".
func defineCheck(flags *flag.FlagSet) func(*invocation) int {
	within := period{}
	flags.Var(&within, "within", "fail when a review is due within this `TIME`, such as 14d")
	today := day{}
	flags.Var(&today, "today", "judge reviews as on this `DAY`, such as 2027-03-31 (default the day it is)")
	return func(i *invocation) int {
		if len(i.args) == 0 {
			return i.fail("name one or more policy files")
		}
		code := exitOK
		for _, path := range i.args {
			code = max(code, i.check(path, within, today.or(time.Now())))
		}
		return code
	}
}

// check checks one file. Problems go to the output as "file:line:column: …", which
// editors and CI services know how to read.
func (i *invocation) check(path string, within period, now time.Time) int {
	policies, err := validation.LoadPolicies(path)
	if faults := new(validation.FileError); errors.As(err, &faults) {
		for _, p := range faults.Problems {
			i.say("%s: %s\n", position(path, p.Line, p.Column), joined(p.Path, p.Text))
		}
		if faults.Omitted > 0 {
			i.say("%s: and %d more problems\n", path, faults.Omitted)
		}
		return exitFound
	}
	if err != nil {
		return i.fail("%v", err)
	}
	code := exitOK
	places := reviews(path)
	for _, s := range policies.Secrets() {
		at := places[s.Name]
		where := position(path, at.line, at.column)
		name := "secrets." + s.Name + ".review_by"
		switch due := s.ReviewBy.Format(time.DateOnly); {
		case s.Overdue(now):
			i.say("%s: %s: %s: was due on %s, the secret is refused; owner %s\n", where, name, validation.RuleSecretReviewOverdue, due, s.Owner)
			code = exitFound
		case within.set && !now.Add(within.Duration).Before(s.ReviewBy):
			i.say("%s: %s: %s: due on %s; owner %s\n", where, name, validation.RuleSecretReviewDue, due, s.Owner)
			code = exitFound
		case !within.set && !now.Add(notice).Before(s.ReviewBy):
			i.say("%s: warning: %s: %s: due on %s; owner %s\n", where, name, validation.RuleSecretReviewDue, due, s.Owner)
		}
	}
	if code == exitOK {
		i.say("%s: in order, digest %s, %d queues, %d secrets\n", path, policies.Digest(), len(policies.Entries()), len(policies.Secrets()))
	}
	return code
}

// position writes a place as editors read it. A line of 0 is the whole file.
func position(path string, line, column int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}

func joined(path, text string) string {
	if path == "" {
		return text
	}
	return path + ": " + text
}

// reviewPlace is where a review_by stands in the file.
type reviewPlace struct{ line, column int }

// reviews finds the review_by of each secret in a file that was loaded. It returns
// what it finds: a place is a help, no answer.
func reviews(path string) map[string]reviewPlace {
	src, err := os.ReadFile(path) //nolint:gosec // G304: the user names the file
	if err != nil {
		return nil
	}
	var root yaml.Node
	if yaml.Unmarshal(src, &root) != nil || len(root.Content) == 0 {
		return nil
	}
	places := map[string]reviewPlace{}
	section := child(root.Content[0], "secrets")
	for k := 0; section != nil && k+1 < len(section.Content); k += 2 {
		if v := child(section.Content[k+1], "review_by"); v != nil {
			places[section.Content[k].Value] = reviewPlace{v.Line, v.Column}
		}
	}
	return places
}

// child returns the value of a key of a mapping, nil when there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Kind == yaml.MappingNode && n.Content[k].Value == key {
			return n.Content[k+1]
		}
	}
	return nil
}
