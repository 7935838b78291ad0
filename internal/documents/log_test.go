package documents_test

import (
	"regexp"
	"slices"
	"testing"
)

// TestLogOfHostsIsDocumented holds the table of docs/operations.md to what hosts of sandboxes log, each line to the other.
func TestLogOfHostsIsDocumented(t *testing.T) {
	t.Parallel()
	logged := map[string]bool{}
	call := regexp.MustCompile(`(?:Logger|log|to)\.(?:Info|Warn|Error|Log)\((?:level, )?"([^"]+)"`)
	for _, m := range call.FindAllStringSubmatch(sources(t, "sandbox/sandboxhost"), -1) {
		logged[m[1]] = true
	}
	if len(logged) < 15 {
		t.Fatalf("only %d lines were found in the sources", len(logged))
	}
	page := read(t, "docs/operations.md")
	var told []string
	row := regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| (?:debug|info|warn|error) \\|")
	for _, m := range row.FindAllStringSubmatch(page.prose, -1) {
		for _, line := range (document{prose: m[1]}).code() {
			told = append(told, line)
			if !logged[line] {
				t.Errorf("docs/operations.md: hosts do not log `%s`", line)
			}
		}
	}
	for line := range logged {
		if !slices.Contains(told, line) {
			t.Errorf("docs/operations.md does not say what %q means", line)
		}
	}
}
