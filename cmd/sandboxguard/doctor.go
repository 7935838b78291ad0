package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/sandboxguard/sandboxguard/internal/connect"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// defineDoctor defines "doctor".
func defineDoctor(flags *flag.FlagSet) func(*invocation) int {
	policy := flags.String("policy", "", "the policy `FILE`; without it nothing but launchers is looked at")
	directory := flags.String("secrets-dir", "", "the `DIRECTORY` of the worker's file provider")
	offline := flags.Bool("offline", false, "do not look at the server")
	launchers := flags.String("launchers", "native,bwrap", "the `LAUNCHERS` of local sandboxes to try here, with commas; empty means none")
	server := connect.Flags(flags)
	return func(i *invocation) int {
		switch {
		case len(i.args) > 0:
			return i.fail("name the policy file with --policy")
		case *policy == "" && *directory != "":
			return i.fail("name the policy file with --policy: --secrets-dir is for what it names")
		}
		d := &doctor{i: i}
		if *policy == "" {
			d.isolation(*launchers)
			return d.code()
		}
		policies := d.policy(*policy)
		if policies != nil {
			d.references(policies, *directory)
		}
		d.isolation(*launchers)
		if policies != nil {
			d.queues(policies, *launchers)
		}
		if !*offline {
			d.server(server)
		}
		return d.code()
	}
}

// A doctor says what is well and what is not, a line each.
type doctor struct {
	i      *invocation
	failed bool
}

func (d *doctor) code() int {
	if d.failed {
		return exitFound
	}
	return exitOK
}

func (d *doctor) ok(format string, args ...any) {
	d.i.say("ok    %s\n", fmt.Sprintf(format, args...))
}

func (d *doctor) warn(what, fix string) { d.i.say("warn  %s\n      fix: %s\n", what, fix) }

func (d *doctor) fail(what, fix string) {
	d.failed = true
	d.i.say("fail  %s\n      fix: %s\n", what, fix)
}

// policy looks at the file, and at the reviews that it asks for.
func (d *doctor) policy(path string) *validation.Policies {
	policies, err := validation.LoadPolicies(path)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		d.fail("policy "+path+": "+first, "sandboxguard policy check "+path)
		return nil
	}
	d.ok("policy %s: %d queues, %d secrets, digest %s", path, len(policies.Entries()), len(policies.Secrets()), policies.Digest())
	for _, w := range policies.Warnings(time.Now()) {
		name := strings.ReplaceAll(strings.TrimPrefix(w.Path, "/"), "/", ".")
		if w.Rule == validation.RuleSecretReviewOverdue {
			d.fail(name+": "+w.Rule+": "+w.Detail, w.Fix)
		} else {
			d.warn(name+": "+w.Rule+": "+w.Detail, w.Fix)
		}
	}
	return policies
}

// references looks for what the policies name, where this process runs.
func (d *doctor) references(policies *validation.Policies, directory string) {
	files, err := openFiles(directory)
	if err != nil {
		d.fail("file provider: the directory cannot be opened", "name the directory that the worker opens with --secrets-dir")
	}
	defer files.close()
	used := usedReferences(policies)
	for _, ref := range slices.SortedFunc(maps.Keys(used), func(a, b secrets.Ref) int { return strings.Compare(a.String(), b.String()) }) {
		what := fmt.Sprintf("secret %s, used by %s", ref, strings.Join(used[ref], ", "))
		switch found := lookUp(ref, files); {
		case found == "":
			d.ok("%s: is there", what)
		case ref.Template(), ref.Provider != "env" && ref.Provider != "file", ref.Provider == "file" && directory == "":
			d.warn(what+": "+found, "look where the worker runs")
		default:
			d.fail(what+": "+found, "provide it where the worker runs, or run this command there")
		}
	}
}

// usedReferences lists the references of each entry, and the entries of each
// reference.
func usedReferences(policies *validation.Policies) map[secrets.Ref][]string {
	used := map[secrets.Ref][]string{}
	for section, p := range entries(policies) {
		refs := slices.Clone(p.RedactRefs())
		grants := p.EnvGrants()
		for _, activity := range p.Activities() {
			grants = append(grants, p.InputGrants(activity)...)
			grants = append(grants, p.AskGrants(activity)...)
		}
		for _, g := range grants {
			refs = append(refs, g.Secret.Ref)
		}
		for _, ref := range refs {
			if !slices.Contains(used[ref], section) {
				used[ref] = append(used[ref], section)
			}
		}
	}
	return used
}

// entries are the policies of a file by their section, such as "queues.deploys".
func entries(policies *validation.Policies) iter.Seq2[string, validation.Policy] {
	return func(yield func(string, validation.Policy) bool) {
		for _, entry := range policies.Entries() {
			if p, ok := policies.PolicyFor(validation.Queue{Name: entry}); ok && !yield("queues."+entry, p) {
				return
			}
		}
		const uncovered = "\x00"
		if p, ok := policies.PolicyFor(validation.Queue{Name: uncovered}); ok && policies.HasDefault() {
			yield("default", p)
		}
	}
}

// serverPatience bounds the conversation with the server.
const serverPatience = 15 * time.Second

// server looks for the server and the namespace.
func (d *doctor) server(server *connect.Server) {
	ctx, cancel := context.WithTimeout(d.i.ctx, serverPatience)
	defer cancel()
	const fix = "set --address, --profile or TEMPORAL_ADDRESS, and TLS as the server needs it"
	c, o, err := server.Dial(ctx)
	if err != nil {
		d.fail(fmt.Sprintf("server %s: not reached: %v", o.HostPort, err), fix)
		return
	}
	defer c.Close()
	info, err := c.WorkflowService().GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
	if err != nil {
		d.warn(fmt.Sprintf("server %s: reached, but does not tell its version", o.HostPort), "none is needed: hosted servers keep it to themselves")
	} else {
		d.ok("server %s: reached, version %s", o.HostPort, info.GetServerVersion())
	}
	namespace, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: o.Namespace})
	if err != nil {
		d.fail(fmt.Sprintf("namespace %s: not described by the server", o.Namespace), "set --namespace or TEMPORAL_NAMESPACE to one that exists and may be read")
		return
	}
	d.ok("namespace %s: exists, keeps closed workflows for %s", o.Namespace, namespace.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
}
