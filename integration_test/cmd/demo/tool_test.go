package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// toolIn runs the tool in a directory of its own with some files.
func toolIn(t *testing.T, files map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code, ok := runTool(append([]string{toolName}, args...), &out, &errs)
	if !ok {
		t.Fatal("the name does not ask for the tool")
	}
	return code, out.String(), errs.String()
}

func TestAnalyseFindsWhatIsOutOfLine(t *testing.T) {
	const heading = "week,store,region,orders,revenue_eur,refunds\n"
	reference := "store,town,region,expected_orders,expected_basket_eur,max_refund_rate\nS01,Ghent,north,100,50,0.05\n"
	for _, tc := range []struct{ name, row, want string }{
		{"in line", "2026-W01,S01,north,110,5500,3\n", "0 anomalies"},
		{"many orders", "2026-W01,S01,north,130,6500,3\n", "orders     130, expected    100  (+30 %)"},
		{"no orders", "2026-W01,S01,north,0,0,0\n", "orders       0, expected    100  (-100 %)"},
		{"small baskets", "2026-W01,S01,north,100,3000,3\n", "basket   30.00, expected  50.00  (-40 %)"},
		{"many refunds", "2026-W01,S01,north,100,5000,20\n", "refunds  20.0%, at most    5.0%"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, errs := toolIn(t, map[string]string{
				"analysis.json": `{"orders": 0.25, "basket": 0.20}`, "orders.csv": heading + tc.row, "reference.csv": reference,
			}, "analyse", "orders.csv", "reference.csv")
			if code != 0 || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %q\n%s%s", code, tc.want, out, errs)
			}
		})
	}
	for _, row := range []string{"2026-W01,S99,north,1,1,1\n", "2026-W01,S01,north,many,1,1\n", "short\n", ""} {
		code, _, errs := toolIn(t, map[string]string{
			"analysis.json": "{}", "orders.csv": heading + row, "reference.csv": reference,
		}, "analyse", "orders.csv", "reference.csv")
		if code == 0 || errs == "" {
			t.Errorf("row %q: exit code %d, %q", row, code, errs)
		}
	}
}

func TestFetchNeedsTheToken(t *testing.T) {
	service, err := startAPI(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer service.stop()
	old := service.issueReports()
	token := service.issueReports()
	t.Setenv(envURL, service.url)
	for _, tc := range []struct {
		name, token string
		args        []string
		code        int
		want        string // in standard error
	}{
		{"current address", token, []string{"fetch", "/v2/tables/reference", "table.csv"}, 0, ""},
		{"old address", token, []string{"fetch", "/v1/tables/reference", "table.csv"}, 1, "410 Gone"},
		{"verbose", token, []string{"fetch", "-verbose", "/v1/tables/reference", "table.csv"}, 1, "> Authorization: Bearer " + token},
		{"revoked", old, []string{"fetch", "/v2/tables/reference", "table.csv"}, 1, "401 Unauthorized"},
		{"no token", "", []string{"fetch", "/v2/tables/reference", "table.csv"}, 1, "401 Unauthorized"},
		{"usage", token, []string{"fetch"}, 1, "usage"},
		{"no command", token, nil, 1, "usage"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(envToken, tc.token)
			code, _, errs := toolIn(t, nil, tc.args...)
			if code != tc.code || !strings.Contains(errs, tc.want) {
				t.Errorf("exit code %d, want %d with %q in %q", code, tc.code, tc.want, errs)
			}
			if table, err := os.ReadFile("table.csv"); (err == nil) != (code == 0) || err == nil && !bytes.Equal(table, referenceTable) {
				t.Errorf("the table was stored: %v", err == nil)
			}
		})
	}
}

func TestLookTellsWhatIsInReach(t *testing.T) {
	service, err := startAPI(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, err := startAPI(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone.stop()
	defer service.stop()
	for _, tc := range []struct {
		name, url, file string
		want            sight
	}{
		{"both", service.url, "there", sight{API: true, File: true}},
		{"the API alone", service.url, "missing", sight{API: true}},
		{"the file alone", gone.url, "there", sight{File: true}},
		{"neither", gone.url, "missing", sight{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, errs := toolIn(t, map[string]string{"there": ""}, "look", tc.url, tc.file)
			var got sight
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
				t.Fatalf("exit code %d, %v, %s", code, err, errs)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(sight{}, "Processes")); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSightsAreJudged: what is in reach must be all for a launcher that keeps nothing apart, and nothing for others.
func TestSightsAreJudged(t *testing.T) {
	for _, tc := range []struct {
		launcher local.Launcher
		seen     sight
		ok       bool
	}{
		{local.Native, sight{}, true},
		{local.Native, sight{API: true}, false},
		{local.Native, sight{File: true}, false},
		{local.Bubblewrap, sight{API: true, File: true}, false},
		{local.Unisolated, sight{API: true, File: true}, true},
		{local.Unisolated, sight{API: true}, false},
		{local.Unisolated, sight{File: true}, false},
	} {
		if err := tc.seen.judge(tc.launcher); (err == nil) != tc.ok {
			t.Errorf("%s with %+v: %v", tc.launcher, tc.seen, err)
		}
	}
}
