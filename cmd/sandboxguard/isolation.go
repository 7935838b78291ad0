package main

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// launchers are those that can be tried, by name.
var launchers = map[string]local.Launcher{
	local.Native.String(): local.Native, local.Bubblewrap.String(): local.Bubblewrap, local.Unisolated.String(): local.Unisolated,
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
			d.fail("launcher "+name+": there is no such launcher", "name some of native, bwrap and unisolated")
			continue
		}
		c, err := local.Probe(d.i.ctx, local.Options{Launcher: l, Launchers: []string{name}})
		switch {
		case err != nil:
			d.fail("launcher "+name+": "+err.Error(), "run the command again")
		case c.Refusal != "":
			what, fix, _ := strings.Cut(c.Refusal, "nothing was run: ")
			if fix == "" {
				fix = "see docs/operations.md"
			}
			d.warn("launcher "+name+": "+strings.TrimSuffix(strings.TrimPrefix(what, "local: "), ", "), fix)
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
