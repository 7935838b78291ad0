package scan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAdvice: what to do depends on where the credential stands.
func TestAdvice(t *testing.T) {
	t.Parallel()
	held := `{"payloads":[` + payload("json/plain", quote(githubToken)) + `]}`
	event := func(typ, attributes, fields string) string {
		return history("w", `{"eventId":"2","eventType":`+quote("EVENT_TYPE_"+typ)+`,`+quote(attributes+"EventAttributes")+`:{`+fields+`}}`, completed)
	}
	memo := `"memo":{"fields":{"m":` + payload("json/plain", quote(githubToken)) + `}}`
	for _, test := range []struct {
		name, docs string
		want       []string
	}{
		{"start", event("WORKFLOW_EXECUTION_STARTED", "workflowExecutionStarted", `"input":`+held), []string{"send-name", "rotate", "expire"}},
		{"signal", event("WORKFLOW_EXECUTION_SIGNALED", "workflowExecutionSignaled", `"signalName":"go","input":`+held), []string{"send-name", "rotate", "expire"}},
		{"child", event("START_CHILD_WORKFLOW_EXECUTION_INITIATED", "startChildWorkflowExecutionInitiated", `"input":`+held), []string{"send-name", "rotate", "expire"}},
		{"signal to another", event("SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED", "signalExternalWorkflowExecutionInitiated", `"input":`+held), []string{"send-name", "rotate", "expire"}},
		{"update", event("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "workflowExecutionUpdateAccepted", `"acceptedRequest":{"input":{"args":`+held+`}}`), []string{"send-name", "rotate", "expire"}},
		{"next run", event("WORKFLOW_EXECUTION_CONTINUED_AS_NEW", "workflowExecutionContinuedAsNew", `"input":`+held), []string{"send-name", "rotate", "expire"}},
		{"memo at the start", event("WORKFLOW_EXECUTION_STARTED", "workflowExecutionStarted", memo), []string{"remove", "rotate", "expire"}},
		{"memo and input at the start", event("WORKFLOW_EXECUTION_STARTED", "workflowExecutionStarted", memo+`,"input":`+held), []string{"send-name", "remove", "rotate", "expire"}},
		{"activity", history("w", scheduled(payload("json/plain", `{"token":`+quote(githubToken)+`}`)), completed), []string{"bind", "rotate", "expire"}},
		{"result", event("ACTIVITY_TASK_COMPLETED", "activityTaskCompleted", `"result":`+held), []string{"stop-returning", "rotate", "expire"}},
		{"schedule", `{"schedule":{"spec":{},"action":{"startWorkflow":{"input":` + held + `}}},"info":{}}`, []string{"update-schedule", "rotate"}},
		{"standalone activity", `{"info":{"activityId":"a","activityType":{"name":"PushTag"},"status":"ACTIVITY_EXECUTION_STATUS_COMPLETED","taskQueue":"deploys"},"input":{"payloads":[` + payload("json/plain", `{"token":`+quote(githubToken)+`}`) + `]}}`, []string{"bind", "send-name", "rotate", "expire"}},
		{"another document", `{"a":"` + githubToken + `"}`, []string{"rotate"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, test.docs)
			if len(r.Credentials) != 1 {
				t.Fatalf("%d credentials", len(r.Credentials))
			}
			var got []string
			for _, a := range r.Credentials[0].Next {
				got = append(got, a.Do)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}
