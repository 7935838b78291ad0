package probe

import (
	"errors"
	"strings"
	"testing"
)

// TestJudge: nothing but one whole report of the probe that was asked for says that something is safe.
func TestJudge(t *testing.T) {
	const good = `{"probe":"p","safe":true,"detail":"3 tries"}`
	for _, c := range []struct {
		name, output string
		exit         int
		err          error
		safe         bool
		detail       string
	}{
		{name: "safe", output: good + "\n", safe: true, detail: "3 tries"},
		{name: "unsafe", output: `{"probe":"p","safe":false,"detail":"the door"}`, detail: "the door"},
		{name: "not run", output: good, err: errors.New("no such program"), detail: "the probe could not be run: no such program"},
		{name: "crashed", output: good, exit: 2, detail: "the probe ended with exit code 2"},
		{name: "killed", output: good, exit: -9, detail: "the probe ended with exit code -9"},
		{name: "silent", detail: "the probe gave no report: it put out nothing"},
		{name: "blank", output: " \n\n", detail: "the probe gave no report: it put out nothing"},
		{name: "chatty", output: "PASS\n", detail: "the probe gave no report: its output is not one report"},
		{name: "cut", output: good[:20], detail: "the probe gave no report: its output is not one report"},
		{name: "text before", output: "hello\n" + good, detail: "the probe gave no report: its output is not one report"},
		{name: "text after", output: good + "\nhello", detail: "the probe gave no report: its output is not one report"},
		{name: "two", output: good + "\n" + good, detail: "the probe gave no report: its output is not one report"},
		{name: "another's", output: strings.Replace(good, `"p"`, `"q"`, 1), detail: "the report is that of another probe"},
		{name: "says nothing", output: `{"probe":"p","detail":"3 tries"}`, detail: "the probe gave no report: its output is not one report"},
		{name: "null", output: `{"probe":"p","safe":null,"detail":"3 tries"}`, detail: "the probe gave no report: its output is not one report"},
		{name: "tried nothing", output: `{"probe":"p","safe":true,"detail":""}`, detail: "the probe gave no report: its output is not one report"},
		{name: "no boolean", output: `{"probe":"p","safe":"yes","detail":"3 tries"}`, detail: "the probe gave no report: its output is not one report"},
		{name: "unknown field", output: `{"probe":"p","safe":true,"detail":"x","more":1}`, detail: "the probe gave no report: its output is not one report"},
		{name: "too long", output: good + strings.Repeat(" ", MaxOutput), detail: "the probe gave no report: its output is not one report"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge("p", []byte(c.output), c.exit, c.err)
			if got.IsSafe() != c.safe || got.Detail != c.detail || got.Probe != "p" && c.name != "another's" {
				t.Errorf("safe %v, %q", got.IsSafe(), got.Detail)
			}
		})
	}
}

// FuzzJudge: no output of a probe makes the battery panic, and none without the one right word is safe.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"", "{}", `{"probe":"p","safe":true,"detail":"x"}`, `{"safe":true}`, "[]", "\xff", `{"probe":"p","SAFE":true,"detail":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r := Judge("p", data, 0, nil); r.IsSafe() && (r.Probe != "p" || !strings.Contains(string(data), "true")) {
			t.Errorf("%q is safe", data)
		}
	})
}

func TestFound(t *testing.T) {
	if r := new(found).report("p"); r.IsSafe() {
		t.Error("a probe that tried nothing is safe")
	}
	f := found{}
	f.attempt(errors.New("denied"), "one")
	if r := f.report("p"); !r.IsSafe() || r.Detail != "1 tries" {
		t.Errorf("denied: safe %v, %q", r.IsSafe(), r.Detail)
	}
	for range maxBreaches + 2 {
		f.attempt(nil, "one")
	}
	if r := f.report("p"); r.IsSafe() || r.Detail != "one; one; one; one; one; one; and 2 more" {
		t.Errorf("let through: safe %v, %q", r.IsSafe(), r.Detail)
	}
}
