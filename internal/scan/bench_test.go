package scan_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// large is a history of about the given size, with the mix of a job that calls
// activities with small and large arguments. Every tenth argument holds a token.
func large(size int) string {
	var b strings.Builder
	b.WriteString(`{"events":[{"eventId":"1","eventTime":"2026-11-01T10:00:00Z","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",` +
		`"workflowExecutionStartedEventAttributes":{"workflowType":{"name":"Release"},"workflowId":"large"}}`)
	log := strings.Repeat("2026-11-01T10:00:00Z INFO fetched table orders part 17 of 230, 18211 rows, sha256 9f86d081884c7d659a2feaa0c55ad015\n", 12)
	for id := 2; b.Len() < size; id += 3 {
		token := ""
		if id%10 == 0 {
			token = githubToken
		}
		in := payload("json/plain", fmt.Sprintf(`{"repository":"acme/orders","version":"v1.%d.0","token":%q,"labels":["a","b"],"options":{"force":false,"depth":%d}}`, id, token, id))
		out := payload("json/plain", fmt.Sprintf(`{"exit_code":0,"stdout":%s}`, quote(log[:id%len(log)])))
		fmt.Fprintf(&b, `,{"eventId":"%d","eventTime":"2026-11-01T10:00:00.123456789Z","eventType":"EVENT_TYPE_ACTIVITY_TASK_SCHEDULED","taskId":"1048587","activityTaskScheduledEventAttributes":`+
			`{"activityId":"%d","activityType":{"name":"PushTag"},"taskQueue":{"name":"deploys","kind":"TASK_QUEUE_KIND_NORMAL"},"header":{},"input":{"payloads":[%s]},`+
			`"scheduleToCloseTimeout":"0s","startToCloseTimeout":"60s","workflowTaskCompletedEventId":"4","retryPolicy":{"initialInterval":"1s","backoffCoefficient":2}}}`, id, id, in)
		fmt.Fprintf(&b, `,{"eventId":"%d","eventTime":"2026-11-01T10:00:00.123456789Z","eventType":"EVENT_TYPE_ACTIVITY_TASK_STARTED","taskId":"1048587","activityTaskStartedEventAttributes":`+
			`{"scheduledEventId":"%d","identity":"1@worker","requestId":"0b8c8c0e-4c5a-4a8e-9a8e-5d6c8a1f2b3c","attempt":1}}`, id+1, id)
		fmt.Fprintf(&b, `,{"eventId":"%d","eventTime":"2026-11-01T10:00:00.123456789Z","eventType":"EVENT_TYPE_ACTIVITY_TASK_COMPLETED","taskId":"1048587","activityTaskCompletedEventAttributes":`+
			`{"result":{"payloads":[%s]},"scheduledEventId":"%d","startedEventId":"%d","identity":"1@worker"}}`, id+2, out, id, id+1)
	}
	return b.String() + "]}"
}

// BenchmarkScan reads 50 MiB of history on one core: at most 1 s is promised.
func BenchmarkScan(b *testing.B) {
	const size = 50 << 20
	docs := large(size)
	b.SetBytes(int64(len(docs)))
	b.ReportAllocs()
	for b.Loop() {
		s := scan.New()
		if err := s.Documents("", strings.NewReader(docs)); err != nil {
			b.Fatal(err)
		}
		if r := s.Report(); len(r.Credentials) != 1 {
			b.Fatalf("%d credentials", len(r.Credentials))
		}
	}
}

// TestMemoryDoesNotGrowWithWorkflows: what a scan keeps after ten times as many
// runs, each with a place and a name of its own, is the same.
func TestMemoryDoesNotGrowWithWorkflows(t *testing.T) {
	kept := func(workflows int) uint64 {
		s := scan.New()
		for i := range workflows {
			doc := history(fmt.Sprintf("workflow-%d", i), scheduled(payload("json/plain", fmt.Sprintf(`{"field-%d":"%s"}`, i, githubToken))))
			if err := s.Documents(fmt.Sprintf("file-%d.json", i), strings.NewReader(doc)); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.GC() // the first one only gives back what pools hold
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if r := s.Report(); r.Credentials[0].Runs != workflows {
			t.Fatalf("%d runs, want %d", r.Credentials[0].Runs, workflows)
		}
		return m.HeapAlloc
	}
	kept(500) // what is allocated once
	few, many := kept(500), kept(5000)
	const slack = 256 << 10
	t.Logf("%d KiB after 500 workflows, %d KiB after 5000", few>>10, many>>10)
	if many > few+slack {
		t.Errorf("%d KiB after 500 workflows, %d KiB after 5000", few>>10, many>>10)
	}
}
