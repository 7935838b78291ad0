package validation

import (
	"encoding/json"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// mountCredentials are the fields of mounts, and of what they hold, that carry a
// credential or the place of one on the worker.
var mountCredentials = map[string]bool{
	"access_id": true, "access_key_id": true, "access_token": true, "account_key": true, "box_config_file": true,
	"client_secret": true, "config_credentials": true, "driver_options": true, "identity_client_id": true,
	"secret_access_key": true, "secret_environment_name": true, "secret_name": true, "service_account_credentials": true,
	"service_account_file": true, "session_token": true, "token": true,
}

// optionCredentials are the fields of client options, session states and of the
// settings of models and tracing that carry credentials.
var optionCredentials = map[string]bool{
	"api_key": true, "managed_secrets": true, "mcp": true, "secret": true,
}

// optionVariables are the fields that hold environment variables by name.
var optionVariables = map[string]bool{
	"base_env_vars": true, "base_envs": true, "env": true, "env_vars": true, "envs": true,
}

// rawRules says which fields of a raw object are refused, and with which rule.
type rawRules struct {
	rule        string
	credentials map[string]bool // at any level
	variables   map[string]bool // at the first level, below it names are the user's
}

// below returns the rules for the levels below.
func (r *rawRules) below() *rawRules {
	if r.variables == nil {
		return r
	}
	return &rawRules{rule: r.rule, credentials: r.credentials}
}

// mount checks the raw object of a mount.
func (c *checker) mount(raw json.RawMessage, root string) {
	n, ok := parseRaw(raw)
	if !ok || n.kind != '{' {
		c.report(sandbox.RuleSyntax)
		return
	}
	c.raw(n, &rawRules{rule: RuleMountCredential, credentials: mountCredentials})
	for _, m := range n.members {
		if m.key == "mount_path" && m.value.text != "" && !isBelowRoot(m.value.text, root) {
			c.reportAt(m.key, RuleEntryPathEscape)
		}
	}
}

// settings checks a raw object of a run config outside of its sandbox.
func (c *checker) settings(key string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	c.trail.enter(key)
	if n, ok := parseRaw(raw); ok {
		c.raw(n, &rawRules{rule: RuleClientOptionCredential, credentials: optionCredentials})
	} else {
		c.report(sandbox.RuleSyntax)
	}
	c.trail.leave(1)
}

// options checks a raw object of client options or of a session state.
func (c *checker) options(raw json.RawMessage) {
	n, ok := parseRaw(raw)
	if !ok {
		c.report(sandbox.RuleSyntax)
		return
	}
	c.raw(n, &rawRules{rule: RuleClientOptionCredential, credentials: optionCredentials, variables: optionVariables})
	for _, m := range n.members {
		if asksForNetwork(m.key, m.value) {
			c.reportAt(m.key, RuleNetworkMode)
		}
	}
}

// asksForNetwork reports whether a field of client options opens a network. What
// is absent is the provider's own default.
func asksForNetwork(key string, value *rawNode) bool {
	switch key {
	case "network_mode":
		return !value.isEmpty() && value.text != sandboxNoNetwork
	case "network_policy":
		return !value.isEmpty() && value.text != "deny-all"
	case "allow_internet_access":
		return value.text != "false" && value.kind != 'n'
	}
	return false
}

// raw looks for credentials in n and below: by the names of fields, by the form
// of texts, and in URLs.
func (c *checker) raw(n *rawNode, rules *rawRules) {
	for i, item := range n.items {
		c.trail.enter(index(i))
		c.rawText("", item, rules)
		c.trail.leave(1)
	}
	for _, m := range n.members {
		c.trail.enterKey(m.key, n)
		switch {
		case m.value.isEmpty():
		case rules.credentials[m.key]:
			c.report(rules.rule)
		case rules.variables[m.key]:
			c.rawVariables(m.value, rules)
		case isURLField(m.key) && hasUserInfo(m.value.text):
			c.report(rules.rule)
		default:
			c.rawText(m.key, m.value, rules)
		}
		c.trail.leave(1)
	}
}

// rawText checks a text by its form, or goes on below.
func (c *checker) rawText(key string, n *rawNode, rules *rawRules) {
	if n.kind == '"' && len(DetectNamed(key, n.text)) > 0 {
		c.report(rules.rule)
		return
	}
	c.raw(n, rules.below())
}

// rawVariables checks environment variables that stand in options. They are
// judged like literals of a manifest, in a form other than a mapping not at all.
func (c *checker) rawVariables(n *rawNode, rules *rawRules) {
	if n.kind != '{' {
		c.report(rules.rule)
		return
	}
	for _, m := range n.members {
		c.trail.enterKey(m.key, n)
		listed := c.policy.queue.sandbox.envLiterals[m.key] && m.value.kind == '"'
		if !listed || m.value.text != "" && (LooksSecretName(m.key) || len(DetectNamed(m.key, m.value.text)) > 0) {
			c.report(rules.rule)
		}
		c.trail.leave(1)
	}
}

// isURLField reports whether a field holds an address that may carry user-info:
// endpoint, endpoint_url, custom_domain, worker_url, sandbox_url.
func isURLField(key string) bool {
	return strings.HasPrefix(key, "endpoint") || key == "custom_domain" || strings.HasSuffix(key, "_url")
}

// sandboxNoNetwork is the network mode that asks for nothing.
const sandboxNoNetwork = "none"

// clientOptions checks the options of a sandbox client.
func (c *checker) clientOptions(o *sandbox.ClientOptions) {
	if len(o.Raw) > 0 {
		c.options(o.Raw)
	}
	c.container(o.NetworkMode, o.Labels)
}

// sessionState checks what a workflow keeps of a sandbox: it holds copies of the
// manifest and of the options.
func (c *checker) sessionState(s *sandbox.SessionState) {
	c.trail.enter("manifest")
	c.manifest(&s.Manifest)
	c.trail.enter("extra_path_grants")
	for i, sandboxPath := range s.UnboundGrants { // a decoder took the host path away, the intent stands
		c.trail.enter(index(i))
		c.reportDetail(RuleHostPathGrant, shownSandboxPath(sandboxPath))
		c.trail.leave(1)
	}
	c.trail.leave(2)
	if len(s.Extra) > 0 {
		c.options(s.Extra)
	}
	c.container(s.NetworkMode, s.Labels)
}

// container checks the fields of docker options and states.
func (c *checker) container(networkMode *string, labels map[string]string) {
	if networkMode != nil && *networkMode != sandboxNoNetwork {
		c.reportAt("network_mode", RuleNetworkMode)
	}
	c.trail.enter("labels")
	for name, text := range labels {
		if len(DetectNamed(name, text)) > 0 {
			c.trail.enterKey(name, labels)
			c.report(RuleClientOptionCredential)
			c.trail.leave(1)
		}
	}
	c.trail.leave(1)
}
