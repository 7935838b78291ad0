package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/validation"
)

// defineExplain defines "policy explain".
func defineExplain(flags *flag.FlagSet) func(*invocation) int {
	queue := flags.String("queue", "", "the task `QUEUE` of the worker (required)")
	activity := flags.String("activity", "", "what holds for this activity `TYPE` only")
	today := day{}
	flags.Var(&today, "today", "judge reviews as on this `DAY`, such as 2027-03-31 (default the day it is)")
	return func(i *invocation) int {
		if len(i.args) != 1 || *queue == "" {
			return i.fail("name one policy file and --queue")
		}
		policies, code := i.load(i.args[0])
		if policies == nil {
			return code
		}
		p, ok := policies.PolicyFor(validation.Queue{Name: *queue})
		if !ok {
			i.say("queue %q: no entry of %s covers it, and there is no default: a worker does not start on it\n", *queue, i.args[0])
			i.say("  entries: %s\n", list(policies.Entries()))
			i.say("  fix: add queues.%s, a pattern that ends in *, or a default section\n", *queue)
			return exitFound
		}
		e := explainer{i: i, p: p, now: today.or(time.Now())}
		e.head(*queue, policies)
		types := p.Activities()
		if *activity != "" {
			types = []string{*activity}
		}
		for _, typ := range types {
			e.activity(typ)
		}
		e.environment()
		e.rules()
		return exitOK
	}
}

// load loads a policy file, or says why not.
func (i *invocation) load(path string) (*validation.Policies, int) {
	policies, err := validation.LoadPolicies(path)
	if faults := new(validation.FileError); errors.As(err, &faults) {
		_, _ = fmt.Fprintln(i.stderr, faults.Error())
		return nil, exitPartial
	}
	if err != nil {
		return nil, i.fail("%v", err)
	}
	return policies, exitOK
}

// An explainer writes what an entry means.
type explainer struct {
	i   *invocation
	p   validation.Policy
	now time.Time
}

func (e explainer) head(queue string, policies *validation.Policies) {
	section := "queues." + e.p.Entry()
	if !slices.Contains(policies.Entries(), e.p.Entry()) {
		section = "default"
	}
	e.i.say("queue %q: %s of %s\n", queue, section, policies.Name())
	e.i.say("  mode       %s\n", e.p.Mode())
	e.i.say("  literals   %s\n", e.p.Literals())
	e.i.say("  digest     %s (of the file: %s)\n", e.p.Digest(), policies.Digest())
	workflows := "every type may use secrets and sandboxes"
	if types, listed := e.p.Workflows(); listed {
		workflows = "only " + list(types) + " may use secrets and sandboxes"
	}
	e.i.say("  workflows  %s\n", workflows)
	e.i.say("  backends   %s may run a sandbox\n", list(e.p.Backends()))
	e.i.say("  limits     %s\n", e.p.Limits())
	for _, ref := range e.p.RedactRefs() {
		e.i.say("  hidden     %s, read by activities themselves\n", ref)
	}
}

// activity writes what an activity's arguments are taken for and filled with.
func (e explainer) activity(typ string) {
	e.i.say("activity %s\n", typ)
	none := true
	line := func(where, what string) {
		none = false
		e.i.say("  %-14s %s\n", where, what)
	}
	for _, in := range e.p.Inputs(typ) {
		line(fmt.Sprintf("/%d%s", in.Argument, in.Path), "is a "+strings.ReplaceAll(in.Kind.String(), "_", " ")+": normalised, judged, its references resolved")
	}
	for _, g := range e.p.InputGrants(typ) {
		what := e.secret(g.Secret) + "; other text is " + map[validation.LiteralMode]string{
			validation.LiteralRefuse:  "refused",
			validation.LiteralReplace: "replaced on the worker",
			validation.LiteralStrip:   "replaced on the worker and left out of new events",
		}[g.Literal]
		if g.DestinationFixed {
			what += "; the destination is fixed, says the owner"
		}
		line(g.Input.String(), what)
	}
	for _, g := range e.p.AskGrants(typ) {
		line("asks for", e.secret(g.Secret))
	}
	if none {
		e.i.say("  nothing is granted or bound: references are refused, text is judged\n")
	}
}

func (e explainer) environment() {
	grants := e.p.EnvGrants()
	if len(grants) > 0 {
		e.i.say("environment of sandboxes\n")
	}
	for _, g := range grants {
		e.i.say("  %-14s %s\n", g.Env, e.secret(g.Secret))
	}
}

// secret writes what a grant grants, and why it may not.
func (e explainer) secret(s validation.Secret) string {
	text := fmt.Sprintf("secret %s (%s), owner %s", s.Name, s.Ref, s.Owner)
	if s.Overdue(e.now) {
		return text + ", REFUSED: its review is overdue since " + s.ReviewBy.Format(time.DateOnly)
	}
	return text + ", review by " + s.ReviewBy.Format(time.DateOnly)
}

// Which rules follow which switch of the entry.
var (
	rightRules = []string{
		validation.RuleSecretNotGranted, validation.RuleSecretReviewOverdue, validation.RuleSecretScope,
		validation.RuleLiteralInSecretField, validation.RuleDestinationNotFixed,
	}
	// fileRules are about policy files and queues, not about calls.
	fileRules = []string{validation.RuleSecretReviewDue, validation.RuleQueueUnlisted}
)

// rules writes which rules apply, and what becomes of what breaks them.
func (e explainer) rules() {
	var structural []string
	for _, r := range validation.Rules() {
		if r.ID != validation.RuleLiteralCredential && !slices.Contains(rightRules, r.ID) && !slices.Contains(fileRules, r.ID) {
			structural = append(structural, r.ID)
		}
	}
	what := "refused"
	if e.p.Mode() == validation.ModeReport {
		what = "reported, and passes"
	}
	text := map[validation.LiteralsMode]string{
		validation.LiteralsEnforce: "refused", validation.LiteralsReport: "reported, and passes", validation.LiteralsOff: "not looked for",
	}[e.p.Literals()]
	e.i.say("rules\n")
	e.i.say("  refused in every mode, when an attempt starts: %s\n", strings.Join(rightRules, ", "))
	e.i.say("  %s: %s\n", text, validation.RuleLiteralCredential)
	e.i.say("  %s: %s\n", what, strings.Join(structural, ", "))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
