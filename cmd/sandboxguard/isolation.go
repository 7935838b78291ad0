package main

import (
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/validation"
)

// launchers are those that can be tried, by name.
var launchers = map[string]local.Launcher{
	local.Native.String(): local.Native, local.Bubblewrap.String(): local.Bubblewrap, local.Landlock.String(): local.Landlock,
	local.Unisolated.String(): local.Unisolated,
}

// isolation tries launchers of local sandboxes on this host, with a sandbox that runs nothing. A worker may need none of
// them, so one that does not work is no failure.
func (d *doctor) isolation(names string) {
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		l, known := launchers[name]
		if !known {
			d.fail("launcher "+name+": there is no such launcher", "name some of native, bwrap, landlock and unisolated")
			continue
		}
		c, err := local.Probe(d.i.ctx, local.Options{Launcher: l, Launchers: []string{name}})
		switch {
		case err != nil:
			d.fail("launcher "+name+": "+err.Error(), "run the command again")
		case c.Refusal != "":
			what, fix := refusal(c)
			d.warn("launcher "+name+": "+what, fix)
		default:
			d.ok("launcher %s", name)
			d.capabilities(c)
		}
	}
}

func (d *doctor) capabilities(c local.Capabilities) {
	for _, one := range c.List {
		d.i.say("      %-20s %s\n", one.Name, one.How())
	}
}

// refusal splits what a launcher is refused with into what is wrong and what to do.
func refusal(c local.Capabilities) (what, fix string) {
	what, fix, ok := strings.Cut(strings.TrimPrefix(c.Refusal, "local: "), ": ")
	if !ok {
		fix = "see docs/operations.md"
	}
	return strings.TrimSuffix(what, ", nothing was run"), fix
}

// queues judges for each entry of the policy that speaks of sandboxes whether a worker here can make them as it says. One
// of its backends is enough, since a worker uses one.
func (d *doctor) queues(policies *validation.Policies, names string) {
	tried := strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	if len(tried) == 0 {
		return
	}
	for section, p := range entries(policies) {
		if !speaksOfSandboxes(p) {
			continue
		}
		backends := slices.DeleteFunc(p.Backends(), func(name string) bool {
			return name != validation.BackendUnisolated && !slices.Contains(tried, name)
		})
		if len(backends) == 0 {
			d.warn(section+": none of its backends was tried, which are "+list(p.Backends()), "name them with --launchers")
			continue
		}
		d.queue(section, p, backends)
	}
}

// speaksOfSandboxes reports whether an entry allows sandboxes and says more of them than what holds anyway: of others
// nobody knows whether they have any.
func speaksOfSandboxes(p validation.Policy) bool {
	b := p.Backends()
	return len(b) > 0 && (p.Limits() != sandbox.Limits{} || !slices.Equal(b, []string{validation.BackendNative, validation.BackendBwrap}))
}

// queue asks what local.New would say to each of the backends of an entry. If it takes none, that is a failure.
func (d *doctor) queue(section string, p validation.Policy, backends []string) {
	report := d.fail
	refused := map[string]local.Capabilities{}
	for _, name := range backends {
		c, err := local.Probe(d.i.ctx, local.Options{
			Launcher: launchers[name], Launchers: p.Backends(), Limits: p.Limits(), Roots: p.LocalRoots(),
		})
		switch {
		case err != nil:
			c.Refusal = err.Error()
			refused[name] = c
		case c.Refusal != "":
			refused[name] = c
		default:
			d.ok("%s: launcher %s can be used%s", section, name, withLimits(p.Limits()))
			report = d.warn
		}
	}
	for _, name := range backends {
		if c, is := refused[name]; is {
			what, fix := refusal(c)
			report(section+": launcher "+name+withLimits(p.Limits())+": "+what, fix)
		}
	}
}

func withLimits(l sandbox.Limits) string {
	if l == (sandbox.Limits{}) {
		return ""
	}
	return ", with " + l.String()
}
