package validation

import (
	"regexp"
	"slices"
)

// grants compiles the grants of an entry. The pattern is the entry's workflow_id,
// nil when there is none.
func (c *compiler) grants(q *queuePolicy, list []*value, pattern *regexp.Regexp) {
	q.inputGrants, q.askGrants, q.envGrants = map[string][]Grant{}, map[string][]Grant{}, map[string][]Grant{}
	paths := map[string][]string{} // where each input grant of an activity stands
	for _, v := range list {
		secret, known := c.grantedSecret(v, pattern)
		g, ok := c.destination(v)
		if !known || !ok {
			continue
		}
		g.Secret = secret
		switch v.str("literal") {
		case "replace":
			g.Literal = LiteralReplace
		case "strip":
			g.Literal = LiteralStrip
		}
		if fixed := v.get("destination_fixed"); fixed != nil {
			g.DestinationFixed = fixed.truth
		}
		if g.Env != "" {
			c.envGrant(q, v, g)
			continue
		}
		if len(g.Input) == 0 {
			c.askGrant(q, v, g)
			continue
		}
		for i, other := range q.inputGrants[g.Activity] {
			if other.Input.overlaps(g.Input) {
				c.problems.add(v.at, v.path, "must not bind what %s binds already", paths[g.Activity][i])
				break
			}
		}
		q.inputGrants[g.Activity] = append(q.inputGrants[g.Activity], g)
		paths[g.Activity] = append(paths[g.Activity], v.path)
	}
}

// envGrant adds a grant to a variable. Several secrets may be granted to one
// variable, as a manifest names the one it wants.
func (c *compiler) envGrant(q *queuePolicy, v *value, g Grant) {
	for _, key := range []string{"literal", "destination_fixed"} {
		if v.has(key) {
			c.problems.add(v.keyAt[key], join(v.path, key), "belongs to a grant to {activity, input} only")
		}
	}
	if slices.ContainsFunc(q.envGrants[g.Env], func(other Grant) bool { return other.Secret.Name == g.Secret.Name }) {
		c.problems.add(v.at, v.path, "must not repeat a grant")
	}
	q.envGrants[g.Env] = append(q.envGrants[g.Env], g)
}

// askGrant adds a grant to an activity that asks for the secret itself.
func (c *compiler) askGrant(q *queuePolicy, v *value, g Grant) {
	for _, key := range []string{"literal", "destination_fixed"} {
		if v.has(key) {
			c.problems.add(v.keyAt[key], join(v.path, key), "belongs to a grant to {activity, input} only")
		}
	}
	if slices.ContainsFunc(q.askGrants[g.Activity], func(other Grant) bool { return other.Secret.Name == g.Secret.Name }) {
		c.problems.add(v.at, v.path, "must not repeat a grant")
	}
	q.askGrants[g.Activity] = append(q.askGrants[g.Activity], g)
}

// grantedSecret returns the secret that a grant names, with the queue's pattern.
func (c *compiler) grantedSecret(v *value, pattern *regexp.Regexp) (Secret, bool) {
	name := v.get("secret")
	if name == nil {
		return Secret{}, false
	}
	secret, ok := c.secrets[name.text]
	if !ok {
		if !slices.Contains(c.names, name.text) { // else the entry itself is the problem
			c.problems.add(name.at, name.path, "must name a key of secrets; %s", hint(name.text, c.shownNames()))
		}
		return Secret{}, false
	}
	secret.pattern = pattern
	if !secret.Ref.Template() && secret.Ref.Validate() == nil {
		secret.fixed = secret.Ref
	}
	allowed := []string{placeholderNamespace, placeholderTaskQueue}
	if pattern != nil {
		allowed = append(allowed, groupNames(pattern)...)
	}
	for _, placeholder := range placeholderNames(secret.Ref) {
		if !slices.Contains(allowed, placeholder) {
			c.problems.add(name.at, name.path,
				"must name a secret whose placeholders are {namespace}, {task_queue} or groups of this queue's workflow_id")
			break
		}
	}
	return secret, true
}

// shownNames returns the names of secrets that a message may hold.
func (c *compiler) shownNames() []string {
	return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return SafeSegment(name, 0) != name })
}

// destination reads the one destination of a grant.
func (c *compiler) destination(v *value) (Grant, bool) {
	to := v.get("to")
	if to == nil {
		return Grant{}, false
	}
	var stated []string
	for _, key := range []string{"env", "activity", "file", "tool", "egress_host"} {
		if to.has(key) {
			stated = append(stated, key)
		}
	}
	const choice = "either env, or activity, with input unless it asks with secrets.Get"
	switch {
	case len(stated) == 0 && to.has("input"):
		c.problems.add(to.at, to.path, `must have the key "activity" beside input`)
		return Grant{}, false
	case len(stated) == 0:
		c.problems.add(to.at, to.path, "must have one destination: %s", choice)
		return Grant{}, false
	case len(stated) > 1:
		c.problems.add(to.keyAt[stated[1]], join(to.path, stated[1]), "must not stand beside %s: a grant has one destination, %s",
			stated[0], choice)
		return Grant{}, false
	case stated[0] == "env" && to.has("input"):
		c.problems.add(to.keyAt["input"], join(to.path, "input"), "must not stand beside env: a grant has one destination, %s", choice)
		return Grant{}, false
	}
	g := Grant{Env: to.str("env"), Activity: to.str("activity")}
	if input := to.get("input"); input != nil {
		g.Input = pointerOf(input.text)
	}
	return g, g.Env != "" || g.Activity != "" && (len(g.Input) > 0 || !to.has("input"))
}
