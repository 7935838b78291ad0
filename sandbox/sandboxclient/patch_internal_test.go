package sandboxclient

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestPatches applies the patch of each file in testdata/patches to the text in it. The text that is wanted, or the
// error, stands last. A dollar sign at the end of a line stands for a carriage return.
func TestPatches(t *testing.T) {
	files, err := filepath.Glob("testdata/patches/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no patches: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = strings.ReplaceAll(string(f.Data), "$\n", "\r\n")
			}
			got, err := patchText(parts["patch"], parts["before"])
			if want, ok := parts["error"]; ok {
				if CodeOf(err) != PatchInvalidDiff {
					t.Fatalf("got %q, %v", got, err)
				}
				if diff := cmp.Diff(want, err.Error()+"\n"); diff != "" {
					t.Error(diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parts["after"], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// patchText applies a patch of one file to its text.
func patchText(patch, text string) (string, error) {
	files, err := parsePatch(patch)
	if err != nil {
		return "", err
	}
	if files[0].header == patchAdd {
		return files[0].content, nil
	}
	return applyHunks(text, files[0].hunks)
}

// TestPatchWithoutLineEnd: the last line of a file stays as it is.
func TestPatchWithoutLineEnd(t *testing.T) {
	change := func(lines ...patchLine) []hunk { return []hunk{{lines: lines}} }
	for _, c := range []struct {
		before, after string
		hunks         []hunk
	}{
		{"a\nb", "a\nc", change(patchLine{'-', "b"}, patchLine{'+', "c"})},
		{"a\nb\n", "a\n", change(patchLine{'-', "b"})},
		{"a", "", change(patchLine{'-', "a"})},
		{"", "a\n", change(patchLine{'+', "a"})},
		{"a\r\nb", "a\r\nx\r\nb", change(patchLine{' ', "a"}, patchLine{'+', "x"}, patchLine{' ', "b"})},
	} {
		if got, err := applyHunks(c.before, c.hunks); err != nil || got != c.after {
			t.Errorf("%q: got %q, %v, want %q", c.before, got, err, c.after)
		}
	}
}

// TestPatchIsBounded: a patch that takes for ever ends in an error.
func TestPatchIsBounded(t *testing.T) {
	text := strings.Repeat("a\n", 100_000)
	old := make([]patchLine, 50_001)
	for i := range old {
		old[i] = patchLine{' ', "a"}
	}
	old[len(old)-1] = patchLine{'-', "b"}
	_, err := applyHunks(text, []hunk{{lines: old}})
	if CodeOf(err) != PatchInvalidDiff || !strings.Contains(err.Error(), "too long") {
		t.Errorf("error = %v", err)
	}
}

// FuzzPatch: no patch and no text has the parser or the application of it fail in another way than with its code, or
// give text that is not UTF-8; and adding lines is all that a patch without removed ones does.
func FuzzPatch(f *testing.F) {
	files, err := filepath.Glob("testdata/patches/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		parts := map[string]string{}
		for _, part := range archive.Files {
			parts[part.Name] = string(part.Data)
		}
		f.Add(parts["patch"], parts["before"])
	}
	f.Fuzz(func(t *testing.T, patch, text string) {
		files, err := parsePatch(patch)
		if err != nil {
			if CodeOf(err) != PatchInvalidDiff {
				t.Errorf("error = %v", err)
			}
			return
		}
		for _, file := range files {
			got, err := applyHunks(text, file.hunks)
			if err != nil && CodeOf(err) != PatchInvalidDiff {
				t.Errorf("error = %v", err)
			}
			if utf8.ValidString(patch) && utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
			if len(file.hunks) == 0 && got != text {
				t.Errorf("%q became %q without a change", text, got)
			}
			if err == nil && strings.Count(got, "\n")-strings.Count(text, "\n") > len(patch)+1 {
				t.Errorf("%d bytes became %d", len(text), len(got))
			}
		}
	})
}
