package main

import (
	"bytes"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

// Credentials that nobody has.
const (
	githubToken = "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"
	password    = "q8Zt" + "R4nW2mXv7Kd9" // known by its field only
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// TestScripts runs each script of testdata: a command line in "args", an argument a
// line, with "stdin" and other files in an empty directory, and what it must print
// and exit with. Files are templates, so that no credential stands in a script.
//
// go test ./cmd/sandboxguard -update writes the output anew.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(scripts) < 10 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			runScript(t, path)
		})
	}
}

func runScript(t *testing.T, path string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path, err = filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
		switch f.Name {
		case "args", "stdin", "stdout", "stderr", "exit", "env":
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, []byte(fill(t, f.Name, string(f.Data))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing of the machine that runs the test may decide.
	for _, name := range []string{"TEMPORAL_CONFIG_FILE", "TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_PROFILE", "TEMPORAL_CODEC_ENDPOINT"} {
		t.Setenv(name, "")
	}
	for line := range strings.Lines(files["env"]) {
		name, value, _ := strings.Cut(strings.TrimSpace(fill(t, "env", line)), "=")
		t.Setenv(name, value)
	}
	var stdout, stderr bytes.Buffer
	args := strings.FieldsFunc(files["args"], func(r rune) bool { return r == '\n' })
	code := run(t.Context(), args, strings.NewReader(fill(t, "stdin", files["stdin"])), &stdout, &stderr)

	secretstest.AssertAbsent(t, []string{githubToken, password}, stdout.Bytes(), stderr.Bytes())
	got := map[string]string{"stdout": steady(stdout.String(), dir), "stderr": steady(stderr.String(), dir), "exit": strconv.Itoa(code) + "\n"}
	if *update {
		write(t, path, archive, got)
		return
	}
	for _, name := range []string{"exit", "stdout", "stderr"} {
		if diff := cmp.Diff(files[name], got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// fill fills in a template.
func fill(t *testing.T, name, text string) string {
	t.Helper()
	tmpl, err := template.New(name).Funcs(template.FuncMap{
		"github":   func() string { return githubToken },
		"password": func() string { return password },
		"b64":      b64,
		"payload": func(encoding, data string) string {
			data = strings.NewReplacer("GITHUB", githubToken, "PASSWORD", password).Replace(data)
			return `{"metadata":{"encoding":"` + b64(encoding) + `"},"data":"` + b64(data) + `"}`
		},
	}).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := tmpl.Execute(&b, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var fingerprints = regexp.MustCompile(`\b[0-9a-f]{12}\b`)

// steady replaces what differs from run to run.
func steady(s, dir string) string {
	s = strings.ReplaceAll(s, dir+string(filepath.Separator), "")
	return fingerprints.ReplaceAllString(s, "FINGERPRINT")
}

func write(t *testing.T, path string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if _, written := got[f.Name]; !written {
			kept = append(kept, f)
		}
	}
	for _, name := range []string{"exit", "stdout", "stderr"} {
		if got[name] != "" {
			kept = append(kept, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	archive.Files = kept
	if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
