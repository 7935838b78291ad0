package documents_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The two commands, word for word as README.md shows them. .ci/run runs them.
const (
	commandDemo = "go -C integration_test run ./cmd/demo"
	commandTest = "go -C integration_test test github.com/sandboxguard/sandboxguard/..."
)

// TestReadmeShowsTheTwoCommands holds the section that .ci/run takes its
// commands from to exactly those two.
func TestReadmeShowsTheTwoCommands(t *testing.T) {
	t.Parallel()
	commands := read(t, "README.md").commands()
	section := ""
	for _, c := range commands {
		if c.text == commandDemo {
			section = c.section
		}
	}
	var got []string
	for _, c := range commands {
		if c.section == section || strings.HasPrefix(c.text, "go -C integration_test ") {
			got = append(got, c.text)
		}
	}
	if diff := cmp.Diff([]string{commandDemo, commandTest}, got); diff != "" {
		t.Errorf("commands of the section %q (-want +got):\n%s", section, diff)
	}
	for _, command := range []string{commandDemo, commandTest} {
		if !strings.Contains(source(t, ".ci/run"), command) {
			t.Errorf(".ci/run does not run %q", command)
		}
	}
}

// TestCommandsExist checks what the guides tell a reader to type, without
// typing it: .ci/run does that.
func TestCommandsExist(t *testing.T) {
	t.Parallel()
	module := strings.Fields(source(t, "go.mod"))[1]
	for _, d := range guides(t) {
		for _, c := range d.commands() {
			f := strings.Fields(c.text)
			switch {
			case slices.Equal(f, []string{"go", "get", module}):
			case len(f) == 5 && f[0] == "go" && f[1] == "-C" && f[3] == "run":
				isCommand(t, filepath.Join(root, f[2], f[4]))
			case len(f) == 5 && f[0] == "go" && f[1] == "-C" && f[3] == "test" && f[4] == module+"/...":
				if !strings.HasPrefix(source(t, f[2]+"/go.mod"), "module "+module+"/") {
					t.Errorf("%s:%d: %s is no module below %s", d.path, c.line, f[2], module)
				}
			case strings.Contains(" "+c.text, " sandboxguard "):
				isTool(t, c.text)
			default:
				t.Errorf("%s:%d: nothing here knows how to check %q", d.path, c.line, c.text)
			}
		}
	}
}

// isTool checks a command line of this module's own tool, behind whatever feeds it:
// the subcommand has a file, and the file names the flags.
func isTool(t *testing.T, line string) {
	t.Helper()
	_, line, _ = strings.Cut(" "+line, " sandboxguard ")
	f := strings.Fields(line)
	src := source(t, "cmd/sandboxguard/"+f[0]+".go")
	for _, word := range f[1:] {
		if name, is := strings.CutPrefix(word, "--"); is && !strings.Contains(src, strconv.Quote(name)) {
			t.Errorf("%s has no flag %s", f[0], word)
		}
	}
}

// isCommand checks that a directory holds a main package.
func isCommand(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no program in %s: %v", dir, err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly)
	if err != nil || f.Name.Name != "main" {
		t.Errorf("%s is no program: %v", dir, err)
	}
}

// TestCompatibilityTable holds the versions that README.md names to those that
// are built and tested.
func TestCompatibilityTable(t *testing.T) {
	t.Parallel()
	_, table, ok := strings.Cut(read(t, "README.md").prose, "\n## Compatibility\n")
	if !ok {
		t.Fatal("README.md has no section Compatibility")
	}
	for _, v := range []struct{ what, file, pattern string }{
		{"Go", "go.mod", `(?m)^go (\S+)$`},
		{"Go of the integration tests", "integration_test/go.mod", `(?m)^go (\S+)$`},
		{"Temporal SDK", "go.mod", `go\.temporal\.io/sdk (\S+)`},
		{"next Temporal SDK", ".ci/versions", `(?m)^SDK_NEXT_VERSION=(\S+)$`},
		{"Temporal server", "integration_test/go.mod", `go\.temporal\.io/server (\S+)`},
	} {
		m := regexp.MustCompile(v.pattern).FindStringSubmatch(source(t, v.file))
		if m == nil {
			t.Errorf("%s names no version of %s", v.file, v.what)
		} else if !strings.Contains(table, m[1]) {
			t.Errorf("the table does not name %s %s, which %s does", v.what, m[1], v.file)
		}
	}
}

// source reads a file of the repository.
func source(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
