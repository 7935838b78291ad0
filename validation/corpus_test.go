package validation_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata and docs")

// archive is one txtar file of a corpus.
type archive struct {
	path  string
	files map[string]string
	*txtar.Archive
}

// corpus reads the archives of a directory of testdata.
func corpus(t *testing.T, dir string) map[string]*archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	archives := map[string]*archive{}
	for _, path := range paths {
		parsed, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &archive{path: path, files: map[string]string{}, Archive: parsed}
		for _, f := range parsed.Files {
			a.files[f.Name] = string(f.Data)
		}
		archives[filepath.Base(path[:len(path)-len(".txtar")])] = a
	}
	return archives
}

// compare holds got against the file want.txt of the archive, or rewrites it.
func (a *archive) compare(t *testing.T, got string) {
	t.Helper()
	if !*update {
		if diff := cmp.Diff(a.files["want.txt"], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.path, diff)
		}
		return
	}
	for i, f := range a.Files {
		if f.Name == "want.txt" {
			a.Files[i].Data = []byte(got)
			writeFile(t, a.path, txtar.Format(a.Archive))
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "want.txt", Data: []byte(got)})
	writeFile(t, a.path, txtar.Format(a.Archive))
}

// golden holds got against a file, or rewrites it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		writeFile(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale, run go generate ./validation (-file +generated):\n%s", path, diff)
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
