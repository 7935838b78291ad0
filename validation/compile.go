package validation

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// defaultEntry is what the default section is called where entries are named.
const defaultEntry = "default"

// compiler turns what the table accepted into a state. It finds what one value
// alone cannot show: names that point nowhere, rights that contradict each
// other. Absent and refused values are nil and simply skipped, since the walker
// has reported them.
type compiler struct {
	problems *problems
	secrets  map[string]Secret
	names    []string // every key of secrets, also of refused entries
	section  *value   // secrets, nil when absent
}

// file compiles the root of a file; root is nil when the file is no mapping.
func (c *compiler) file(name string, root *value) *policyFile {
	f := &policyFile{name: name, exact: map[string]*queuePolicy{}}
	c.readSecrets(root.get("secrets"))
	for _, key := range slices.Sorted(maps.Keys(c.secrets)) {
		f.secrets = append(f.secrets, c.secrets[key])
	}
	if queues := root.get("queues"); queues != nil {
		for _, key := range queues.keys {
			policy := c.queue(key, "queues."+key, queues.fields[key])
			f.entries = append(f.entries, key)
			if prefix, ok := strings.CutSuffix(key, "*"); ok {
				f.prefixes = append(f.prefixes, prefixPolicy{prefix, policy})
			} else {
				f.exact[key] = policy
			}
		}
	}
	if section := root.get(defaultEntry); section != nil {
		f.fallback = c.queue(defaultEntry, defaultEntry, section)
	}
	if root != nil && !root.has(defaultEntry) && !root.refused("queues") && root.get("queues").isEmpty() {
		c.problems.add(root.at, "", "must have a queue or a default section, else every queue is denied")
	}
	slices.Sort(f.entries)
	slices.SortFunc(f.prefixes, func(a, b prefixPolicy) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	f.digest = digest(root.canonical())
	return f
}

func (c *compiler) readSecrets(section *value) {
	c.secrets, c.section = map[string]Secret{}, section
	if section == nil {
		return
	}
	c.names = slices.Sorted(maps.Keys(section.keyAt))
	for _, name := range section.keys {
		entry := section.fields[name]
		ref, err := secrets.ParseRef(entry.str("ref"))
		if err != nil || entry.get("review_by") == nil {
			continue
		}
		c.secrets[name] = Secret{
			Name: name, Ref: ref, Owner: entry.str("owner"), Reason: strings.TrimSpace(entry.str("reason")),
			ReviewBy: entry.get("review_by").day, covered: coverPattern(ref),
		}
	}
}

// queue compiles an entry.
func (c *compiler) queue(entry, section string, v *value) *queuePolicy {
	q := &queuePolicy{
		entry:       entry,
		section:     section,
		anyWorkflow: !v.has("workflows"),
		mode:        ModeEnforce,
	}
	if v.str("mode") == "report" {
		q.mode = ModeReport
	}
	q.literals = literalsMode(cmp.Or(v.str("literals"), v.str("mode")))
	for _, typ := range v.list("workflows") {
		q.workflows = append(q.workflows, typ.text)
	}
	pattern := c.workflowID(v.get("workflow_id"))
	c.inputs(q, v.list("inputs"))
	c.allowLiterals(q, v.list("allow_literals"))
	c.grants(q, v.list("grants"), pattern)
	c.redact(q, v.list("redact"))
	q.sandbox = compileSandbox(v.get("sandbox"))
	q.limits = compileLimits(v.get("limits"))
	q.digest = queueDigest(entry, v, c.section)
	return q
}

func literalsMode(word string) LiteralsMode {
	switch word {
	case "off":
		return LiteralsOff
	case "report":
		return LiteralsReport
	}
	return LiteralsEnforce
}

// workflowID compiles the pattern of workflow ids, nil when there is none.
func (c *compiler) workflowID(v *value) *regexp.Regexp {
	if v == nil {
		return nil
	}
	re := regexp.MustCompile(v.text) // the format has compiled it
	for _, group := range groupNames(re) {
		if group == placeholderNamespace || group == placeholderTaskQueue {
			c.problems.add(v.at, v.path, "must not have a group called %s: that placeholder is taken", group)
		}
	}
	return re
}

func (c *compiler) inputs(q *queuePolicy, list []*value) {
	q.inputs = map[string][]Input{}
	for _, v := range list {
		activity, kindWord := v.str("activity"), v.str("kind")
		if activity == "" || kindWord == "" || v.refused("argument") || v.refused("path") {
			continue
		}
		in := Input{Path: v.str("path"), Kind: KindManifest}
		if kindWord == "run_config" {
			in.Kind = KindRunConfig
		}
		if argument := v.get("argument"); argument != nil {
			in.Argument = int(argument.number)
		}
		for _, other := range q.inputs[activity] {
			if other.Argument == in.Argument && pointerOf(other.Path).overlaps(pointerOf(in.Path)) {
				c.problems.add(v.at, v.path, "must not overlap another input of the same activity")
				break
			}
		}
		q.inputs[activity] = append(q.inputs[activity], in)
	}
	for _, inputs := range q.inputs {
		slices.SortFunc(inputs, func(a, b Input) int {
			return cmp.Or(cmp.Compare(a.Argument, b.Argument), cmp.Compare(a.Path, b.Path))
		})
	}
}

// pointerOf parses a pointer that the table accepted.
func pointerOf(s string) Pointer {
	p, _ := ParsePointer(s)
	return p
}

func (c *compiler) allowLiterals(q *queuePolicy, list []*value) {
	for _, v := range list {
		if path, rule := v.str("path"), v.str("rule"); path != "" && rule != "" {
			q.allowLiterals = append(q.allowLiterals, allowedLiteral{path: literalPlace(path), rule: rule})
		}
	}
}

func (c *compiler) redact(q *queuePolicy, list []*value) {
	for _, v := range list {
		ref, err := secrets.ParseRef(v.text)
		if err != nil {
			continue
		}
		if ref.Template() {
			c.problems.add(v.at, v.path, "must not have placeholders: nothing tells for which run it is resolved")
			continue
		}
		q.redact = append(q.redact, ref)
	}
}

func compileSandbox(v *value) sandboxPolicy {
	s := sandboxPolicy{envLiterals: map[string]bool{}, backends: compileBackends(v)}
	for _, kindName := range v.list("entries") {
		s.entries = append(s.entries, kindName.text)
	}
	if roots := v.get("local_roots"); roots != nil {
		s.localRoots = make(map[string]string, len(roots.fields))
		for name, dir := range roots.fields {
			s.localRoots[name] = dir.text
		}
	}
	for _, name := range v.list("env_literals") {
		s.envLiterals[name.text] = true
	}
	for _, grant := range v.list("path_grants") {
		if path := grant.str("path"); path != "" {
			readOnly := grant.get("read_only")
			s.pathGrants = append(s.pathGrants, pathGrant{path: path, readOnly: readOnly == nil || readOnly.truth})
		}
	}
	return s
}
