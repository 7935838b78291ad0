package output_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/scan"
	"github.com/sandboxguard/sandboxguard/internal/scan/output"
)

const token = "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"

func report(t *testing.T, docs ...string) scan.Report {
	t.Helper()
	s := scan.New()
	for i, doc := range docs {
		if err := s.Documents("dir with space/"+string(rune('a'+i))+".json", strings.NewReader(doc)); err != nil {
			t.Log(err) // a broken document is part of the report
		}
	}
	return s.Report()
}

// TestSARIF checks what the specification demands of the parts that we write.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := output.Write(&b, output.FormatSARIF, report(t, `{"a":"`+token+`"}`, `{"b":"`+token+`"}`, `{`)); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Invocations []struct {
				ExecutionSuccessful        *bool
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name != "sandboxguard" || len(run.Results) != 1 {
		t.Fatalf("driver %q, %d results, want one", run.Tool.Driver.Name, len(run.Results))
	}
	result := run.Results[0]
	if rules := run.Tool.Driver.Rules; result.RuleIndex >= len(rules) || rules[result.RuleIndex].ID != result.RuleID || result.RuleID != "github-token" {
		t.Errorf("rule %q at %d of %v", result.RuleID, result.RuleIndex, rules)
	}
	if result.Level != "error" || result.Message.Text == "" || len(result.Locations) != 2 {
		t.Errorf("level %q, message %q, %d locations", result.Level, result.Message.Text, len(result.Locations))
	}
	if uri := result.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "dir%20with%20space/a.json" {
		t.Errorf("uri %q", uri)
	}
	if in := run.Invocations[0]; in.ExecutionSuccessful == nil || *in.ExecutionSuccessful || len(in.ToolExecutionNotifications) != 1 {
		t.Errorf("invocation %+v, want one that failed and says why", in)
	}
}

// TestNothingFound: programs get empty lists and not null.
func TestNothingFound(t *testing.T) {
	for _, format := range []output.Format{output.FormatJSON, output.FormatSARIF} {
		var b bytes.Buffer
		if err := output.Write(&b, format, report(t, `{}`)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "null") {
			t.Errorf("%s has a null:\n%s", format, b.String())
		}
	}
}

func TestFormats(t *testing.T) {
	var f output.Format
	if err := f.Set("sarif"); err != nil || f.String() != "sarif" {
		t.Errorf("Set(sarif) = %v, format %q", err, f)
	}
	if err := f.Set("yaml"); err == nil || f != output.FormatSARIF {
		t.Errorf("Set(yaml) = %v, format %q", err, f)
	}
}
