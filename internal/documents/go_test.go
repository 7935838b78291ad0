package documents_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// imports are the packages that a block may use without importing them, as
// readers know where they are.
var imports = map[string]string{
	"client":        "go.temporal.io/sdk/client",
	"context":       "context",
	"converter":     "go.temporal.io/sdk/converter",
	"guard":         "github.com/sandboxguard/sandboxguard/interceptor",
	"local":         "github.com/sandboxguard/sandboxguard/sandbox/local",
	"redact":        "github.com/sandboxguard/sandboxguard/secrets/redact",
	"sandbox":       "github.com/sandboxguard/sandboxguard/sandbox",
	"sandboxclient": "github.com/sandboxguard/sandboxguard/sandbox/sandboxclient",
	"sandboxhost":   "github.com/sandboxguard/sandboxguard/sandbox/sandboxhost",
	"secrets":       "github.com/sandboxguard/sandboxguard/secrets",
	"validation":    "github.com/sandboxguard/sandboxguard/validation",
	"worker":        "go.temporal.io/sdk/worker",
	"workflow":      "go.temporal.io/sdk/workflow",
}

// readersOwn is what a reader has anyway, by name: declared where a block uses
// it and does not declare it itself.
var readersOwn = map[string]struct{ imports, text string }{
	"PushTag":    {`"context"`, "func PushTag(context.Context, string) error { return nil }"},
	"Release":    {`"go.temporal.io/sdk/workflow"`, "func Release(workflow.Context, string) error { return nil }"},
	"ctx":        {`"context"`, "var ctx context.Context"},
	"encryption": {`"go.temporal.io/sdk/converter"`, "var encryption converter.PayloadCodec"},
	"in":         {`"github.com/sandboxguard/sandboxguard/secrets"`, "var in struct{ Token secrets.Value }"},
	"logger":     {`"go.temporal.io/sdk/log"`, "var logger log.Logger"},
	"policies":   {`"github.com/sandboxguard/sandboxguard/validation"`, "var policies *validation.Policies"},
	"post":       {`"context"`, "func post(_ context.Context, url, text string) error { return nil }"},
	"push":       {`"context"`, "func push(_ context.Context, version, token string) error { return nil }"},
}

// TestGoOfGuidesCompiles compiles every Go block that a reader may
// copy, each in a package of its own which exists in an overlay only.
func TestGoOfGuidesCompiles(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, dirs := map[string]string{}, []string{}
	for _, d := range guides(t) {
		for _, b := range d.in("go") {
			dir := "internal/copied/block" + strconv.Itoa(len(dirs))
			dirs = append(dirs, "github.com/sandboxguard/sandboxguard/internal/documents/"+dir)
			for name, text := range program(t, d.path, b) {
				file := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				overlay[filepath.Join(here, filepath.FromSlash(dir), name)] = file
			}
		}
	}
	if len(dirs) == 0 {
		t.Fatal("the guides have no Go at all")
	}
	replaced, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(list, replaced, 0o600); err != nil {
		t.Fatal(err)
	}
	// The test itself may have been built in either module, and only that one's
	// requirements are sure to be on this machine.
	var said []byte
	for _, module := range []string{"../..", "../../integration_test"} {
		build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay=" + list}, dirs...)...)
		build.Dir = module
		build.Env = append(build.Environ(), "GOPROXY=off")
		out, err := build.CombinedOutput()
		if err == nil {
			return
		}
		said = append(said, out...)
	}
	t.Errorf("go build:\n%s", said)
}

// program makes a package of a block: the block itself, and what the reader is
// expected to have. Compilers name places in the document.
func program(t *testing.T, path string, b block) map[string]string {
	t.Helper()
	place := fmt.Sprintf("//line %s:%d\n", path, b.line)
	if strings.HasPrefix(b.text, "package ") { // a whole file, then
		return map[string]string{"block.go": place + b.text}
	}
	head := "package copied\n"
	f, err := parser.ParseFile(token.NewFileSet(), path, head+b.text, 0)
	if err != nil { // statements, then
		head = "package copied\nfunc _() {\n"
		f, err = parser.ParseFile(token.NewFileSet(), path, head+b.text+"}", 0)
		if err != nil {
			t.Fatalf("%s:%d: %v", path, b.line, err)
		}
	}
	missing, unused := map[string]bool{}, []string{}
	for _, id := range f.Unresolved {
		missing[id.Name] = true
	}
	for _, spec := range f.Imports {
		name := filepath.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		delete(missing, name)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && strings.HasSuffix(head, "{\n") {
			for _, e := range a.Lhs {
				unused = append(unused, "_ = "+e.(*ast.Ident).Name+"\n")
			}
		}
		return true
	})
	var used strings.Builder
	files := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if at, ok := imports[name]; ok {
			used.WriteString("import " + name + ` "` + at + "\"\n")
		} else if own, ok := readersOwn[name]; ok {
			files[name+".go"] = "package copied\nimport " + own.imports + "\n" + own.text + "\n"
		}
	}
	text := "package copied\n" + used.String() + strings.TrimPrefix(head, "package copied\n") + place + b.text
	if strings.HasSuffix(head, "{\n") {
		text += strings.Join(unused, "") + "}\n"
	}
	files["block.go"] = text
	return files
}
