package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems bounds what one error lists.
const maxProblems = 50

// FileError says why a policy file was not loaded: every problem at once, up to
// 50, in the order in which they stand in the file.
type FileError struct {
	Name     string // of the file, without its directory
	Problems []Problem
	Omitted  int // problems beyond those listed
}

// Problem is one fault of a policy file. Its text never quotes a value of the
// file: it names known keys, and unknown ones by the rule of [SafeSegment].
type Problem struct {
	Line, Column int    // from 1; Column counts characters; 0 when there is no place
	Path         string // such as "queues.agents.grants[0].to", "" is the file
	Text         string
}

// Error returns a first line with the count, then one line a problem:
// "file:line:column: path: text".
func (e *FileError) Error() string {
	total := len(e.Problems) + e.Omitted
	var b strings.Builder
	fmt.Fprintf(&b, "validation: policy file %s not loaded: %d %s", e.Name, total, plural(total, "problem"))
	for _, p := range e.Problems {
		b.WriteString("\n  " + e.Name)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		if p.Path != "" {
			b.WriteString(": " + p.Path)
		}
		b.WriteString(": " + p.Text)
	}
	if e.Omitted > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.Omitted)
	}
	return b.String()
}

// plural returns word for one, word with an s for any other count.
func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// problems collects the faults of one file.
type problems struct {
	list []Problem
}

func (ps *problems) add(at place, path, format string, args ...any) {
	ps.list = append(ps.list, Problem{
		Line: at.line, Column: at.column, Path: path, Text: fmt.Sprintf(format, args...),
	})
}

// err returns the collected faults as an error, nil when there is none.
func (ps *problems) err(name string) error {
	if len(ps.list) == 0 {
		return nil
	}
	slices.SortStableFunc(ps.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	list := slices.Compact(ps.list)
	omitted := max(0, len(list)-maxProblems)
	return &FileError{Name: name, Problems: list[:len(list)-omitted], Omitted: omitted}
}

// place is a position in the file, from 1.
type place struct{ line, column int }
