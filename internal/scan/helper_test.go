package scan_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// Credentials that nobody has.
const (
	githubToken = "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"
	password    = "q8Zt" + "R4nW2mXv7Kd9" // known by its field only
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// payload is a payload as protobuf writes it in JSON.
func payload(encoding, data string) string {
	return `{"metadata":{"encoding":"` + b64(encoding) + `"},"data":"` + b64(data) + `"}`
}

// history is a history of a workflow whose events after the first are given.
func history(id string, events ...string) string {
	all := []string{`{"eventId":"1","eventTime":"2026-11-01T10:00:00Z","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",` +
		`"workflowExecutionStartedEventAttributes":{"workflowType":{"name":"Release"},"workflowId":` + quote(id) + `,"originalExecutionRunId":"run-of-` + b64(id)[:4] + `"}}`}
	return `{"events":[` + strings.Join(append(all, events...), ",") + `]}`
}

// scheduled is the event of an activity with one argument.
func scheduled(argument string) string {
	return `{"eventId":"2","eventTime":"2026-11-01T10:00:02Z","eventType":"EVENT_TYPE_ACTIVITY_TASK_SCHEDULED",` +
		`"activityTaskScheduledEventAttributes":{"activityId":"a","activityType":{"name":"PushTag"},"taskQueue":{"name":"deploys"},` +
		`"input":{"payloads":[` + argument + `]}}}`
}

const completed = `{"eventId":"9","eventTime":"2026-11-01T10:00:09Z","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED","workflowExecutionCompletedEventAttributes":{}}`

// compressed is what the SDK's zlib codec makes of a payload.
func compressed(tb testing.TB, data string) string {
	tb.Helper()
	return payload("binary/zlib", compressedData(tb, data))
}

func compressedData(tb testing.TB, data string) string {
	tb.Helper()
	inner, err := proto.Marshal(&commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(data)})
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(inner); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// read scans one stream.
func read(tb testing.TB, docs string) scan.Report {
	tb.Helper()
	s := scan.New()
	if err := s.Documents("", strings.NewReader(docs)); err != nil {
		tb.Fatal(err)
	}
	return s.Report()
}

// places lists where each credential of a report stands.
func places(r scan.Report) map[string][]string {
	out := map[string][]string{}
	for _, c := range r.Credentials {
		for _, p := range c.Places {
			out[c.Rule] = append(out[c.Rule], p.String())
		}
	}
	return out
}
