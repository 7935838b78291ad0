package validation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/validation"
)

// TestPolicyFiles holds the loader against a corpus: what each file's error says,
// or what is in force after it was loaded.
func TestPolicyFiles(t *testing.T) {
	archives := corpus(t, "policies")
	refused := 0
	for name, a := range archives {
		t.Run(name, func(t *testing.T) {
			file := "policy.yaml"
			if _, ok := a.files[file]; !ok {
				file = "policy.json"
			}
			policies, err := validation.ParsePolicies(file, []byte(strings.TrimSuffix(a.files[file], "\n")))
			if err == nil {
				a.compare(t, describePolicies(policies))
				return
			}
			refused++
			a.compare(t, err.Error()+"\n")
		})
	}
	if refused < 40 {
		t.Errorf("the corpus has %d refused files, want at least 40", refused)
	}
}

// describePolicies lists what was loaded.
func describePolicies(p *validation.Policies) string {
	var b strings.Builder
	b.WriteString("loaded\n")
	for _, s := range p.Secrets() {
		b.WriteString("secret " + s.Name + " " + s.Ref.String() + " " + s.ReviewBy.Format("2006-01-02") + "\n")
	}
	for _, entry := range p.Entries() {
		policy, _ := p.PolicyFor(validation.Queue{Name: strings.TrimSuffix(entry, "*")})
		b.WriteString("queue " + policy.Entry() + " " + policy.Mode().String() + " literals " + policy.Literals().String() + "\n")
	}
	if p.HasDefault() {
		policy, _ := p.PolicyFor(validation.Queue{Name: "no such queue"})
		b.WriteString("default " + policy.Mode().String() + " literals " + policy.Literals().String() + "\n")
	}
	return b.String()
}

// TestLoadWithoutAPath: the name of a variable that is not set, most often.
func TestLoadWithoutAPath(t *testing.T) {
	if _, err := validation.LoadPolicies(""); err == nil || !strings.Contains(err.Error(), "no policy file was named") {
		t.Errorf("got %v", err)
	}
}

// TestLocalRoots: a backend for local sandboxes is given the very directories that manifests may name.
func TestLocalRoots(t *testing.T) {
	p, err := validation.ParsePolicies("policy.yaml", []byte(`version: 1
queues:
  agents: {mode: enforce, sandbox: {entries: [local_file], local_roots: {fixtures: /srv/fixtures, tables: /srv/tables}}}
  others: {mode: enforce}
`))
	if err != nil {
		t.Fatal(err)
	}
	agents, _ := p.PolicyFor(validation.Queue{Name: "agents"})
	want := map[string]string{"fixtures": "/srv/fixtures", "tables": "/srv/tables"}
	roots := agents.LocalRoots()
	if diff := cmp.Diff(want, roots); diff != "" {
		t.Error(diff)
	}
	clear(roots)
	if diff := cmp.Diff(want, agents.LocalRoots()); diff != "" {
		t.Errorf("the caller's map is the policy's own: %s", diff)
	}
	others, _ := p.PolicyFor(validation.Queue{Name: "others"})
	if got := others.LocalRoots(); len(got) > 0 || len(validation.Policy{}.LocalRoots()) > 0 {
		t.Errorf("roots that nobody named: %v", got)
	}
}
