// Package documents_test holds README.md and docs/ to what they speak of: links,
// commands, policies, names and the Go that a reader copies.
package documents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// root is the directory of the repository, seen from this package.
const root = "../.."

// A document is a page of the documentation.
type document struct {
	path     string // from the root, with slashes
	blocks   []block
	headings []string
	// prose is the text outside of blocks.
	prose string
}

// A block is fenced text.
type block struct {
	line     int // of its first line in the document
	language string
	section  string // the heading of the first or second level that it stands under
	text     string
}

var fence = regexp.MustCompile("^( *)```(.*)$")

// read reads a document of the repository.
func read(t *testing.T, path string) document {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	d := document{path: path}
	var open *block
	var indent, section string
	var prose strings.Builder
	for i, line := range strings.Split(string(src), "\n") {
		switch m := fence.FindStringSubmatch(line); {
		case m != nil && open == nil:
			indent = m[1]
			open = &block{line: i + 2, language: m[2], section: section}
		case m != nil:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		default:
			prose.WriteString(line + "\n")
			if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				d.headings = append(d.headings, title)
				if len(line)-len(title) <= len("## ") {
					section = title
				}
			}
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", path, open.line)
	}
	d.prose = prose.String()
	return d
}

// pages are all documents of the repository.
func pages(t *testing.T) []document {
	t.Helper()
	var all []document
	for _, dir := range []string{".", "docs"} {
		found, err := filepath.Glob(filepath.Join(root, dir, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents in %s: %v", dir, err)
		}
		for _, path := range found {
			all = append(all, read(t, filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))))
		}
	}
	return all
}

// guides are the documents whose blocks are examples that a reader copies.
// docs/policy.md is held to the code by package validation.
func guides(t *testing.T) []document {
	t.Helper()
	var all []document
	for _, path := range []string{"README.md", "docs/rollout.md", "docs/threat-model.md", "docs/sandboxes.md", "docs/operations.md"} {
		all = append(all, read(t, path))
	}
	return all
}

// in returns the blocks of some languages.
func (d document) in(languages ...string) []block {
	var found []block
	for _, b := range d.blocks {
		if slices.Contains(languages, b.language) {
			found = append(found, b)
		}
	}
	return found
}

// commands are what a reader is told to type, in the order of the document.
func (d document) commands() []block {
	var found []block
	for _, b := range d.in("sh", "shell", "bash", "console") {
		for i, line := range strings.Split(b.text, "\n") {
			command, ok := strings.CutPrefix(line, "$ ")
			if b.language != "console" {
				command, ok = line, strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#")
			}
			if ok {
				found = append(found, block{line: b.line + i, section: b.section, text: command})
			}
		}
	}
	return found
}

// anchor is the fragment that a heading is reached by.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// code are the texts between single backticks.
func (d document) code() []string {
	var found []string
	for i, text := range strings.Split(d.prose, "`") {
		if i%2 == 1 {
			found = append(found, text)
		}
	}
	return found
}
