package scan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/scan"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestEveryFormIsLookedInto plants a credential in one place of each form that a
// history has.
func TestEveryFormIsLookedInto(t *testing.T) {
	t.Parallel()
	input := func(p string) string { return history("w", scheduled(p)) }
	const argument = "ActivityTaskScheduled PushTag input/0"
	attribute := func(typ, attributes string) string {
		return history("w", `{"eventId":"5","eventTime":"2026-11-01T10:00:05Z","eventType":`+quote(typ)+`,`+attributes+`}`)
	}
	tests := []struct {
		name, docs, want string
	}{
		{"field", input(payload("json/plain", `{"token":"`+githubToken+`"}`)), argument + "/token"},
		{"whole argument", input(payload("json/plain", quote(githubToken))), argument},
		{"second argument", input(payload("json/plain", `1`) + `,` + payload("json/plain", quote(githubToken))), "ActivityTaskScheduled PushTag input/1"},
		{"list", input(payload("json/plain", `{"args":["x",{"y":["--token","`+githubToken+`"]}]}`)), argument + "/args/1/y/1"},
		{"protobuf in JSON", input(payload("json/protobuf", `{"token":"`+githubToken+`"}`)), argument + "/token"},
		{"bytes", input(payload("binary/plain", "\x00\x01token "+githubToken+"\n\x00")), argument},
		{"protobuf", input(payload("binary/protobuf", "\x0a\x28"+githubToken)), argument},
		{"another encoding in JSON", input(payload("json/other", quote(githubToken))), argument},
		{"compressed", input(compressed(t, `{"token":"`+githubToken+`"}`)), argument + "/token"},
		{"payload data that is no JSON", input(payload("json/plain", `token `+githubToken)), argument},
		{"data before metadata", input(`{"data":"` + b64(quote(githubToken)) + `","metadata":{"encoding":"` + b64("json/plain") + `"}}`), argument},
		{"metadata", input(`{"metadata":{"encoding":"` + b64("json/plain") + `","origin":"` + b64(githubToken) + `"},"data":"` + b64(`1`) + `"}`), argument + "/metadata/origin"},
		{"JSON in a text", input(payload("json/plain", `{"body":`+quote(`{"auth":{"token":"`+githubToken+`"}}`)+`}`)), argument + "/body/(text)/auth/token"},
		{"base64 in a text", input(payload("json/plain", `{"env":"`+b64("TOKEN is "+githubToken)+`"}`)), argument + "/env/(base64)"},
		{"base64 within a longer text", input(payload("json/plain", `{"log":"kubectl: `+b64(`{"t":"`+githubToken+`"}`)+` done"}`)), argument + "/log/(base64)/(text)/t"},
		{"base64 in lines", input(payload("json/plain", `{"file":`+quote(lines(b64(strings.Repeat("comment\n", 20)+githubToken)))+`}`)), argument + "/file/(base64)"},
		{"payloads in payload data", input(payload("json/plain", `{"payloads":[`+payload("json/plain", `{"k":"`+githubToken+`"}`)+`]}`)), argument + "/payloads/0/k"},
		{"map key", input(payload("json/plain", `{"`+githubToken+`":1}`)), argument + "/0/(key)"},
		{"escaped", input(payload("json/plain", `{"t\u006fken":"\u0067hp_`+githubToken[4:]+`"}`)), argument + "/token"},
		{"shorthand", history("w", `{"eventId":"2","eventType":"ActivityTaskScheduled","activityTaskScheduledEventAttributes":{"activityType":{"name":"PushTag"},"input":[{"token":"`+githubToken+`"}]}}`), argument + "/token"},
		{"type as a number", history("w", `{"eventId":"2","eventType":10,"activityTaskScheduledEventAttributes":{"activityType":{"name":"PushTag"},"input":["`+githubToken+`"]}}`), argument},
		{"memo", attribute("EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED", `"workflowPropertiesModifiedEventAttributes":{"upsertedMemo":{"fields":{"deploy":`+payload("json/plain", quote(githubToken))+`}}}`), "WorkflowPropertiesModified upsertedMemo/deploy"},
		{"search attribute", attribute("EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES", `"upsertWorkflowSearchAttributesEventAttributes":{"searchAttributes":{"indexedFields":{"CustomText":`+payload("json/plain", quote(githubToken))+`}}}`), "UpsertWorkflowSearchAttributes searchAttributes/CustomText"},
		{"failure", attribute("EVENT_TYPE_WORKFLOW_EXECUTION_FAILED", `"workflowExecutionFailedEventAttributes":{"failure":{"message":"no","cause":{"message":"push with `+githubToken+`"}}}`), "WorkflowExecutionFailed Release failure/cause/message"},
		{"summary", attribute("EVENT_TYPE_TIMER_STARTED", `"userMetadata":{"summary":`+payload("json/plain", quote(githubToken))+`}`), "TimerStarted userMetadata/summary"},
		{"signal", attribute("WorkflowExecutionSignaled", `"workflowExecutionSignaledEventAttributes":{"signalName":"go","input":{"payloads":[`+payload("json/plain", quote(githubToken))+`]}}`), "WorkflowExecutionSignaled go input/0"},
		{"event of a later server", attribute("EVENT_TYPE_FROM_LATER", `"fromLaterEventAttributes":{"x":"`+githubToken+`"}`), "EVENT_TYPE_FROM_LATER x"},
		{"result", history("w", scheduled(payload("json/plain", "1")), `{"eventId":"4","eventType":"EVENT_TYPE_ACTIVITY_TASK_COMPLETED","activityTaskCompletedEventAttributes":{"scheduledEventId":"2","result":{"payloads":[`+payload("json/plain", quote(githubToken))+`]}}}`), "ActivityTaskCompleted PushTag result/0"},
		{"event a line", `{"eventId":"1","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED"}` + "\n" + `{"eventId":"2","eventType":"EVENT_TYPE_TIMER_STARTED","x":"` + githubToken + `"}` + "\n", "TimerStarted x"},
		{"answer of the API", `{"history":` + input(payload("json/plain", quote(githubToken))) + `,"nextPageToken":""}`, argument},
		{"archive", `{"header":{},"body":[` + input(payload("json/plain", quote(githubToken))) + `]}`, argument},
		{"list", `[{"execution":{"workflowId":"w","runId":"r"},"type":{"name":"Release"},"status":"WORKFLOW_EXECUTION_STATUS_RUNNING","memo":{"fields":{"m":` + payload("json/plain", quote(githubToken)) + `}}}]`, "describe Release memo/m"},
		{"description", `{"workflowExecutionInfo":{"execution":{"workflowId":"w"},"type":{"name":"Release"},"status":"WORKFLOW_EXECUTION_STATUS_RUNNING"},"pendingActivities":[{"activityType":{"name":"PushTag"},"heartbeatDetails":{"payloads":[` + payload("json/plain", `{"at":"`+githubToken+`"}`) + `]}}]}`, "pending activity PushTag heartbeatDetails/0/at"},
		{"schedule", `{"schedule":{"spec":{},"action":{"startWorkflow":{"input":{"payloads":[` + payload("json/plain", quote(githubToken)) + `]}}}},"info":{}}`, "schedule schedule/action/startWorkflow/input/0"},
		{"activity", `{"runId":"r","info":{"activityId":"a","activityType":{"name":"PushTag"},"status":"ACTIVITY_EXECUTION_STATUS_RUNNING","taskQueue":"deploys"},"input":{"payloads":[` + payload("json/plain", `{"token":"`+githubToken+`"}`) + `]}}`, "activity PushTag input/0/token"},
		{"outcome of an activity", `{"info":{"activityId":"a","activityType":{"name":"PushTag"},"status":"ACTIVITY_EXECUTION_STATUS_COMPLETED"},"outcome":{"result":{"payloads":[` + payload("json/plain", quote(githubToken)) + `]}},"longPollToken":"` + b64(password+password) + `"}`, "activity PushTag result/0"},
		{"heartbeat of an activity", `{"info":{"activityId":"a","activityType":{"name":"PushTag"},"status":"ACTIVITY_EXECUTION_STATUS_RUNNING","heartbeatDetails":{"payloads":[` + payload("json/plain", quote(githubToken)) + `]}}}`, "activity PushTag heartbeatDetails/0"},
		{"list of activities", `[{"activityId":"a","runId":"r","activityType":{"name":"PushTag"},"status":"ACTIVITY_EXECUTION_STATUS_RUNNING","searchAttributes":{"indexedFields":{"K":` + payload("json/plain", quote(githubToken)) + `}}}]`, "activity PushTag searchAttributes/K"},
		{"anything else", `{"a":{"b":["` + githubToken + `"]}}`, "document a/b/0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, test.docs)
			if diff := cmp.Diff(map[string][]string{"github-token": {test.want}}, places(r)); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
			if !r.Complete {
				t.Errorf("incomplete: %v, %v", r.NotScanned, r.Problems)
			}
			absent(t, r)
		})
	}
}

// lines wraps base64 as many tools do.
func lines(s string) string {
	var b strings.Builder
	for ; len(s) > 76; s = s[76:] {
		b.WriteString(s[:76] + "\n")
	}
	return b.String() + s
}

// absent fails the test if a report holds a planted value.
func absent(t *testing.T, r scan.Report) {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	secretstest.AssertAbsent(t, []string{githubToken, password}, data)
}

// TestNamesTellCredentials: a value without a form of its own is known by the
// field, whatever is between the two.
func TestNamesTellCredentials(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"field":          `{"password":"` + password + `"}`,
		"text":           quote(`{"password":"` + password + `"}`),
		"name and value": `{"env":[{"name":"DB_PASSWORD","value":"` + password + `"}]}`,
		"list":           `{"passwords":1,"api_tokens":["` + password + `"]}`,
		"base64":         `{"password":"` + b64(password) + `"}`,
		"nested payload": `{"password":` + payload("json/plain", quote(password)) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := read(t, history("w", scheduled(payload("json/plain", data))))
			if len(r.Credentials) != 1 || r.Credentials[0].Rule != "random-secret" {
				t.Errorf("found %v, want one random secret", places(r))
			}
			absent(t, r)
		})
	}
}

// TestOneCredentialIsOneFinding groups by value over events, forms, runs and
// streams, and counts who still runs.
func TestOneCredentialIsOneFinding(t *testing.T) {
	t.Parallel()
	s := scan.New()
	var events []string
	for i := range 2000 {
		for _, data := range []string{`{"token":"` + githubToken + `"}`, `{"log":"pushed with ` + githubToken + `"}`} {
			events = append(events, fmt.Sprintf(`{"eventId":"%d","eventTime":"2026-11-01T%02d:00:00Z","eventType":"EVENT_TYPE_ACTIVITY_TASK_SCHEDULED",`+
				`"activityTaskScheduledEventAttributes":{"activityType":{"name":"PushTag"},"taskQueue":{"name":"deploys"},"input":{"payloads":[%s]}}}`,
				len(events)+2, i%24, payload("json/plain", data)))
		}
	}
	running := history("running", events...)
	ended := history("ended", scheduled(payload("json/plain", quote(githubToken))), completed)
	clean := history("clean", scheduled(payload("json/plain", `"nothing"`)))
	for _, docs := range []string{running, ended + "\n" + clean} {
		if err := s.Documents("h.json", strings.NewReader(docs)); err != nil {
			t.Fatal(err)
		}
	}
	r := s.Report()
	if len(r.Credentials) != 1 {
		t.Fatalf("%d credentials, want 1: %v", len(r.Credentials), places(r))
	}
	c := r.Credentials[0]
	if c.Count != 4001 || c.Runs != 2 || c.Running != 1 {
		t.Errorf("count %d in %d runs, %d running; want 4001, 2, 1", c.Count, c.Runs, c.Running)
	}
	if want := (scan.Totals{Documents: 3, Runs: 3, Running: 2, Events: 4006, Payloads: 4002, Bytes: int64(len(running+ended+clean) + 1)}); r.Scanned != want {
		t.Errorf("scanned %+v, want %+v", r.Scanned, want)
	}
	wantPlaces := []scan.Counted{
		{Place: scan.Place{Event: "ActivityTaskScheduled", Name: "PushTag", Queue: "deploys", Field: "input", Path: "/0/log"}, Count: 2000},
		{Place: scan.Place{Event: "ActivityTaskScheduled", Name: "PushTag", Queue: "deploys", Field: "input", Path: "/0/token"}, Count: 2000},
		{Place: scan.Place{Event: "ActivityTaskScheduled", Name: "PushTag", Queue: "deploys", Field: "input", Path: "/0"}, Count: 1},
	}
	if diff := cmp.Diff(wantPlaces, c.Places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if c.Samples[0].WorkflowID != "running" || !c.Samples[0].Running || c.Samples[1].WorkflowID != "ended" || c.Samples[1].Running {
		t.Errorf("samples %+v, want the running one first", c.Samples)
	}
	if first, last := c.FirstSeen.Format(time.RFC3339), c.LastSeen.Format(time.RFC3339); first != "2026-11-01T00:00:00Z" || last != "2026-11-01T23:00:00Z" {
		t.Errorf("seen from %s to %s", first, last)
	}
	absent(t, r)
}

// TestFingerprintsTellApart: two values are two findings; another scan gives the
// same value another fingerprint, so that reports cannot be used to test guesses.
func TestFingerprintsTellApart(t *testing.T) {
	t.Parallel()
	docs := history("w", scheduled(payload("json/plain", `{"token":"`+githubToken+`","password":"`+password+`"}`)))
	a, b := read(t, docs), read(t, docs)
	if len(a.Credentials) != 2 || a.Credentials[0].Fingerprint == a.Credentials[1].Fingerprint {
		t.Errorf("credentials %+v", a.Credentials)
	}
	for i := range a.Credentials {
		if a.Credentials[i].Rule == b.Credentials[i].Rule && a.Credentials[i].Fingerprint == b.Credentials[i].Fingerprint {
			t.Errorf("%s has the same fingerprint in two scans", a.Credentials[i].Rule)
		}
	}
}

// TestNamesThatHoldAValueAreMasked: also one that only a field elsewhere gives
// away.
func TestNamesThatHoldAValueAreMasked(t *testing.T) {
	t.Parallel()
	s := scan.New()
	for _, doc := range []string{
		history("job-"+githubToken, scheduled(payload("json/plain", `{"x":{"`+password+`":"`+githubToken+`"}}`))),
		history("job-"+password, scheduled(payload("json/plain", `{"password":"`+password+`"}`))),
		`{"eventId":"1","eventType":"` + githubToken + `"}`,
	} {
		if err := s.Documents("/files/"+password+".json", strings.NewReader(doc)); err != nil {
			t.Fatal(err)
		}
	}
	s.Problem("/files/"+githubToken, errors.New("open "+password+": no such file"))
	r := s.Report()
	if len(r.Credentials) != 2 {
		t.Errorf("found %v", places(r))
	}
	absent(t, r)
}

func TestWhatCannotBeLookedIntoIsCounted(t *testing.T) {
	t.Parallel()
	stored := `{"metadata":{"encoding":"` + b64("json/protobuf") + `","messageType":"` + b64("temporal.api.sdk.v1.ExternalStorageReference") + `"},"data":"` + b64(`{}`) + `","externalPayloads":[{"sizeBytes":"9"}]}`
	for _, test := range []struct {
		name, payload, reason string
	}{
		{"encrypted", payload("binary/encrypted", "\x80\x81"), "encoding binary/encrypted"},
		{"stored", stored, "external storage"},
		{"stored by an early SDK", payload("json/external-storage-reference", `{}`), "external storage"},
		{"not base64", `{"metadata":{"encoding":"` + b64("json/plain") + `"},"data":"***"}`, "payload not decoded"},
		{"not compressed", payload("binary/zlib", "plain"), "encoding binary/zlib"},
		{"deep", payload("json/plain", strings.Repeat("[", 1200)+strings.Repeat("]", 1200)), "nested too deep"},
		{"encoding that is a credential", payload(githubToken, "\x80"), "encoding (hidden)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, history("w", scheduled(test.payload)))
			if diff := cmp.Diff([]scan.NotScanned{{Reason: test.reason, Count: 1}}, r.NotScanned); diff != "" || r.Complete {
				t.Errorf("complete %v, not scanned (-want +got):\n%s", r.Complete, diff)
			}
		})
	}
}

// TestDataThatIsNotDecodedIsReadAsItIs: it is counted, and looked at all the same.
func TestDataThatIsNotDecodedIsReadAsItIs(t *testing.T) {
	t.Parallel()
	r := read(t, history("w", scheduled(`{"metadata":{"encoding":"`+b64("json/plain")+`"},"data":"say `+githubToken+`"}`)))
	if diff := cmp.Diff(map[string][]string{"github-token": {"ActivityTaskScheduled PushTag input/0/data"}}, places(r)); diff != "" || r.Complete {
		t.Errorf("complete %v, places (-want +got):\n%s", r.Complete, diff)
	}
}

func TestBrokenDocuments(t *testing.T) {
	t.Parallel()
	good := history("w", scheduled(payload("json/plain", quote(githubToken))))
	for name, rest := range map[string]string{
		"cut":             `{"events":[{"eventId":`,
		"cut in a string": `{"events":["`,
		"words":           `events`,
		"wrong brackets":  `{"events":]`,
		"no colon":        `{"events" []}`,
		"no comma":        `{"events":[{} {}]}`,
		"bad escape":      `{"a":"\x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scan.New()
			err := s.Documents("h.json", strings.NewReader(good+"\n"+rest))
			if !errors.Is(err, scan.ErrDocument) {
				t.Errorf("error %v, want one that wraps ErrDocument", err)
			}
			r := s.Report()
			if r.Complete || len(r.Problems) != 1 || len(r.Credentials) != 1 {
				t.Errorf("complete %v with problems %v and %d credentials; want the ones before the break", r.Complete, r.Problems, len(r.Credentials))
			}
		})
	}
}

// TestRecordedHistories: no field of a real history is taken for a credential,
// and the planted ones are found.
func TestRecordedHistories(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]int{"samples": 0, "guarded": 1, "legacy": 1} {
		s := scan.New()
		files, err := filepath.Glob(filepath.Join("..", "..", "integration_test", "testdata", "histories", dir, "*.json"))
		if err != nil || len(files) < 5 {
			t.Fatalf("%d files in %s, error %v", len(files), dir, err)
		}
		for _, path := range files {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Documents(filepath.Base(path), f); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		r := s.Report()
		if r.Scanned.Runs != len(files) || r.Scanned.Payloads < 20 {
			t.Errorf("%s: %d files, scanned %+v", dir, len(files), r.Scanned)
		}
		if len(r.Credentials) != want {
			t.Errorf("%s: %d credentials, want %d: %v", dir, len(r.Credentials), want, places(r))
		}
		if dir == "samples" {
			if diff := cmp.Diff([]scan.NotScanned{{Reason: "encoding binary/encrypted", Count: 11}}, r.NotScanned); diff != "" {
				t.Errorf("not scanned (-want +got):\n%s", diff)
			}
		}
	}
}
