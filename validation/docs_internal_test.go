package validation

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestKeyTable holds the table of keys in docs/policy.md against the one table
// that the loader works from.
func TestKeyTable(t *testing.T) {
	const path, begin, end = "../docs/policy.md", "<!-- keys: begin -->\n", "<!-- keys: end -->"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(src), begin)
	have, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table of keys", path)
	}
	want := "| Key | Value | Meaning |\n| --- | --- | --- |\n" + keyRows("", fileShape())
	if have == want {
		return
	}
	if !updating() {
		t.Fatalf("the table of keys in %s is stale: run go generate ./validation", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// updating reports whether the test was started with -update, a flag of the
// external test package.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// keyRows returns the rows of the keys below path.
func keyRows(path string, s *shape) string {
	var rows strings.Builder
	switch s.kind {
	case kindObject:
		for _, f := range s.fields {
			full := join(path, f.name)
			if full == "default" { // the same keys as an entry of queues
				rows.WriteString("| `default` | as `queues.QUEUE` | " + f.doc + " |\n")
				continue
			}
			rows.WriteString("| `" + full + "` | " + valueText(f) + " | " + f.doc + " |\n")
			if f.later == "" {
				rows.WriteString(keyRows(full, f.shape))
			}
		}
	case kindMap:
		name := map[string]string{"secrets": "NAME", "queues": "QUEUE"}[path]
		if name != "" {
			rows.WriteString(keyRows(path+"."+name, s.item))
		}
	case kindList:
		rows.WriteString(keyRows(path+"[]", s.item))
	case kindString, kindInteger, kindDecimal, kindBool, kindEnum, kindDate, kindDuration, kindSize, kindVersion:
	}
	return rows.String()
}

// valueText says what a key may hold.
func valueText(f field) string {
	text := shapeText(f.shape)
	switch {
	case f.later != "":
		return "**not in this version**, comes with " + f.later
	case f.required:
		return text + ", required"
	}
	return text
}

func shapeText(s *shape) string {
	switch s.kind {
	case kindObject, kindMap:
		return "mapping"
	case kindList:
		if s.item.kind == kindObject {
			return "list of mappings"
		}
		return "list, each " + shapeText(s.item)
	case kindEnum:
		return "`" + strings.Join(s.words, "` or `") + "`"
	case kindString:
		return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s.format.text)
	case kindDate:
		return "a day such as 2027-03-31"
	case kindBool:
		return "true or false"
	case kindInteger:
		return strconv.FormatInt(s.min, 10) + " to " + strconv.FormatInt(s.max, 10)
	case kindVersion:
		return "1"
	case kindDecimal, kindDuration, kindSize:
		return s.quantity()
	}
	return "a text"
}

// TestRuleReference holds docs/errors.md against the rules: each has its row, its
// section with the fixed texts, an allowed and a denied example.
func TestRuleReference(t *testing.T) {
	src, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(src)
	for _, rule := range Rules() {
		if !strings.Contains(doc, "\n| ["+rule.ID+"](#"+rule.ID+") | ") {
			t.Errorf("rule %s has no row", rule.ID)
		}
		_, section, found := strings.Cut(doc, "\n### "+rule.ID+"\n")
		if !found {
			t.Errorf("rule %s has no section", rule.ID)
			continue
		}
		section, _, _ = strings.Cut(section, "\n### ")
		for _, want := range []string{rule.Summary, rule.Detail, rule.Fix, "\nAllowed: ", "\nDenied: "} {
			if !strings.Contains(section, want) {
				t.Errorf("the section of rule %s lacks %q", rule.ID, want)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^### ([a-z-]+)$`).FindAllStringSubmatch(doc, -1) {
		if !slices.ContainsFunc(Rules(), func(r RuleInfo) bool { return r.ID == m[1] }) {
			t.Errorf("docs/errors.md describes a rule %s that there is not", m[1])
		}
	}
}

// TestRulesCoverTheSandboxPackage shows that every rule that package sandbox can
// name is known here.
func TestRulesCoverTheSandboxPackage(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../sandbox/rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		id, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if info := ruleByID(id); info.Summary == "" {
			t.Errorf("rule %s of package sandbox is not among Rules", id)
		}
		return true
	})
	if found == 0 {
		t.Error("package sandbox names no rules")
	}
}
