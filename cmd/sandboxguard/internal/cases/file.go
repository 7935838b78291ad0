package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sandboxguard/sandboxguard/validation"
)

// File is a file of cases in YAML or JSON.
type File struct {
	// Today is the day by which reviews are judged, today when absent.
	Today string `yaml:"today"`
	// Cases are tried in order, each by itself.
	Cases []Case `yaml:"cases"`

	now time.Time
}

// Case is one call of an activity.
type Case struct {
	// Name says what the case shows. Required.
	Name string `yaml:"name"`
	// Queue is the worker's task queue. Required.
	Queue string `yaml:"queue"`
	// Activity is the type of the activity. Required.
	Activity string `yaml:"activity"`
	// Workflow and WorkflowID are those of the workflow that makes the call.
	// "Workflow" and "workflow-1" when absent.
	Workflow   string `yaml:"workflow"`
	WorkflowID string `yaml:"workflow_id"`
	// Arguments are those of the activity. {$secret: "env:NAME"} stands for a field
	// of type secrets.Value, and makes a struct of each mapping around it; others are
	// maps. {$credential: true} stands for text with the form of a credential, which
	// is made up anew each time.
	Arguments []yaml.Node `yaml:"arguments"`
	// Expect is what must become of the call.
	Expect Outcome `yaml:"expect"`
	// Rules are the ids of the rules that must be named, all of them and no others.
	// Absent, any will do.
	Rules []string `yaml:"rules"`

	line int
}

// Outcome is what becomes of a call.
type Outcome string

// The outcomes.
const (
	Allow  Outcome = "allow"  // it runs, and nothing is found
	Report Outcome = "report" // it runs, and what was found is reported
	Refuse Outcome = "refuse" // it is refused
)

// Parse reads a file of cases. The error names the line; it quotes no value.
func Parse(src []byte) (*File, error) {
	f := &File{}
	d := yaml.NewDecoder(bytes.NewReader(src))
	d.KnownFields(true)
	if err := d.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.New("cases: must be a mapping of today and cases, each with known keys: " + places(err))
	}
	if len(f.Cases) == 0 {
		return nil, errors.New("cases: must have at least one case")
	}
	if f.Today != "" {
		day, err := time.Parse(time.DateOnly, f.Today)
		if err != nil {
			return nil, errors.New("cases: today must be a day such as 2027-03-31")
		}
		f.now = day
	} else {
		f.now = time.Now()
	}
	f.lines(src)
	for n, c := range f.Cases {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("cases: case %d, line %d: %w", n+1, c.line, err)
		}
	}
	return f, nil
}

func (c *Case) check() error {
	switch {
	case c.Name == "" || c.Queue == "" || c.Activity == "":
		return errors.New("must have name, queue and activity")
	case c.Expect != Allow && c.Expect != Report && c.Expect != Refuse:
		return errors.New("expect must be allow, report or refuse")
	case c.Expect == Allow && len(c.Rules) > 0:
		return errors.New("must not name rules beside expect: allow")
	}
	known := map[string]bool{}
	for _, r := range validation.Rules() {
		known[r.ID] = true
	}
	for _, id := range c.Rules {
		if !known[id] {
			return errors.New("rules must be ids of docs/errors.md")
		}
	}
	return nil
}

// lines finds out where each case stands.
func (f *File) lines(src []byte) {
	var doc struct{ Cases []yaml.Node }
	if yaml.Unmarshal(src, &doc) != nil || len(doc.Cases) != len(f.Cases) {
		return
	}
	for n := range doc.Cases {
		f.Cases[n].line = doc.Cases[n].Line
	}
}

// places keeps the line numbers of an error of the YAML library, whose text quotes
// what it could not read.
func places(err error) string {
	var lines []string
	for _, word := range strings.FieldsFunc(err.Error(), func(r rune) bool { return r == ':' || r == '\n' }) {
		if word = strings.TrimSpace(word); strings.HasPrefix(word, "line ") && strings.Trim(word[len("line "):], "0123456789") == "" {
			lines = append(lines, word)
		}
	}
	if len(lines) == 0 {
		return "is not YAML"
	}
	return strings.Join(lines, ", ")
}
