package local

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// refusalRow is a row of the table of refusals: a step, and the answer or "any".
type refusalRow struct{ step, answer string }

// TestRefusalsAreDocumented holds the table of refusals in docs/operations.md to the code: each step has a row for any
// answer, and each remedy one for its own. There are no others.
func TestRefusalsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[refusalRow]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (any|E[A-Z]+) \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(string(text), -1) {
		row := refusalRow{m[1], m[2]}
		if rows[row] {
			t.Errorf("%v has two rows", row)
		}
		rows[row] = true
	}
	want := map[refusalRow]bool{}
	for _, step := range slices.Concat(launchSteps(t), pid1.Steps(), pid1.KeeperSteps()) {
		want[refusalRow{step, "any"}] = true
	}
	for _, r := range remedies {
		answer := "any"
		if r.errno != 0 {
			answer = unix.ErrnoName(r.errno)
		}
		want[refusalRow{r.what, answer}] = true
	}
	for row := range want {
		if !rows[row] {
			t.Errorf("%v has no row", row)
		}
	}
	for row := range rows {
		if !want[row] {
			t.Errorf("the row %v says what the code does not know", row)
		}
	}
}

// TestNumbersAreDocumented holds the numbers of docs/operations.md to the code: the accounts that it looks for, and what
// bounds the watch of a workspace.
func TestNumbersAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("%d to %d", DefaultFirstUID, DefaultFirstUID+accounts-1), fmt.Sprintf("$3 >= %d && $3 < %d", DefaultFirstUID, DefaultFirstUID+accounts),
		fmt.Sprintf("$2 < %d && $2 + $3 > %d", DefaultFirstUID+accounts, DefaultFirstUID),
		fmt.Sprintf("looks every %d ms", lookEvery.Milliseconds()), fmt.Sprintf("more than %d directories in each other", maxDepth),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/operations.md does not say %q", want)
		}
	}
}

// launchSteps are those of the worker itself, as its files name them.
func launchSteps(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*_linux.go")
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:refusal\([\w.]+, |what :?= )"([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			steps = append(steps, m[1])
		}
	}
	if len(steps) == 0 || strings.Contains(strings.Join(steps, ""), "|") {
		t.Fatalf("the steps of launching are %q", steps)
	}
	return steps
}
