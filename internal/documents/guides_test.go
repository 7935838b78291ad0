package documents_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksLead follows every link of every document that does not leave the
// repository, to its file and to its heading.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	for _, d := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(d.prose, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, fragment, _ := strings.Cut(m[1], "#")
			at := d.path
			if target != "" {
				at = path.Join(path.Dir(d.path), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(at))); err != nil {
				t.Errorf("%s: link to %s: there is no such file", d.path, m[1])
				continue
			}
			if fragment == "" {
				continue
			}
			if !slices.ContainsFunc(read(t, at).headings, func(h string) bool { return anchor(h) == fragment }) {
				t.Errorf("%s: link to %s: there is no such heading", d.path, m[1])
			}
		}
	}
}

// TestPoliciesOfGuidesLoad loads every policy that a reader may copy.
func TestPoliciesOfGuidesLoad(t *testing.T) {
	t.Parallel()
	for _, d := range guides(t) {
		for _, b := range d.in("yaml") {
			if _, err := validation.ParsePolicies("policy.yaml", []byte(b.text)); err != nil {
				t.Errorf("%s:%d: %v", d.path, b.line, err)
			}
		}
	}
}

// TestDataOfGuidesIsInForm checks JSON, and the ids of rules in messages.
func TestDataOfGuidesIsInForm(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, r := range validation.Rules() {
		rules[r.ID] = true
	}
	violation := regexp.MustCompile(`(?m)^ +/\S+  ([a-z-]+)  must `)
	logged := regexp.MustCompile(`(?m)^(?:INFO|WARN) (.*?) queue=`)
	interceptor := sources(t, "interceptor")
	for _, d := range guides(t) {
		for _, b := range d.in("json") {
			if !json.Valid([]byte(b.text)) {
				t.Errorf("%s:%d: the block is no JSON", d.path, b.line)
			}
		}
		for _, b := range d.in("text", "console") {
			for _, m := range violation.FindAllStringSubmatch(b.text, -1) {
				if !rules[m[1]] {
					t.Errorf("%s:%d: there is no rule %s", d.path, b.line, m[1])
				}
			}
			for _, m := range logged.FindAllStringSubmatch(b.text, -1) {
				if !strings.Contains(interceptor, `"`+m[1]+`"`) {
					t.Errorf("%s:%d: the guard does not log %q", d.path, b.line, m[1])
				}
			}
		}
	}
}

// packages are the packages that the documents speak of, by the name that they
// are imported under.
var packages = map[string]string{
	"guard": "interceptor", "zapguard": "interceptor/zapguard", "secrets": "secrets", "audit": "secrets/audit",
	"redact": "secrets/redact", "secretstest": "secrets/secretstest", "validation": "validation", "sandbox": "sandbox",
	"sandboxclient": "sandbox/sandboxclient", "sandboxhost": "sandbox/sandboxhost", "local": "sandbox/local",
}

// TestNamesOfGuidesExist checks the names of the module's own that stand between
// backticks: of code, of metrics, of files.
func TestNamesOfGuidesExist(t *testing.T) {
	t.Parallel()
	names := map[string]map[string]bool{"Options": exported(t, packages["guard"]), "Policies": exported(t, packages["validation"])}
	for name, dir := range packages {
		names[name] = exported(t, dir)
	}
	interceptor := sources(t, "interceptor")
	qualified := regexp.MustCompile(`^(\w+)\.([A-Z]\w*)`)
	metric := regexp.MustCompile(`sandboxguard_\w+`)
	file := regexp.MustCompile(`^[\w.-]+(?:/[\w.-]+)+$`)
	for _, d := range guides(t) {
		for _, c := range d.code() {
			if m := qualified.FindStringSubmatch(c); m != nil && names[m[1]] != nil && !names[m[1]][m[2]] {
				t.Errorf("%s: `%s`: there is no %s in %s", d.path, c, m[2], m[1])
			}
			for _, m := range metric.FindAllString(c, -1) {
				if !strings.Contains(interceptor, `"`+m+`"`) {
					t.Errorf("%s: there is no metric %s", d.path, m)
				}
			}
			first, _, _ := strings.Cut(c, "/")
			if _, err := os.Stat(filepath.Join(root, first)); err != nil || !file.MatchString(c) {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(c))); err != nil {
				t.Errorf("%s: there is no file %s", d.path, c)
			}
		}
	}
}

// sources returns the text of a package's files, its tests left out.
func sources(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, f := range goFiles(t, dir) {
		all.WriteString(source(t, f))
	}
	return all.String()
}

func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range found {
		if !strings.HasSuffix(f, "_test.go") {
			files = append(files, path.Join(dir, filepath.Base(f)))
		}
	}
	if len(files) == 0 {
		t.Fatalf("no package in %s", dir)
	}
	return files
}

// exported collects what a package exports: names, methods and fields alike.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range goFiles(t, dir) {
		f, err := parser.ParseFile(token.NewFileSet(), file, source(t, file), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var found []*ast.Ident
			switch x := n.(type) {
			case *ast.FuncDecl:
				found = append(found, x.Name)
			case *ast.TypeSpec:
				found = append(found, x.Name)
			case *ast.ValueSpec:
				found = x.Names
			case *ast.Field:
				found = x.Names
			}
			for _, id := range found {
				names[id.Name] = id.IsExported()
			}
			return true
		})
	}
	return names
}
