package interceptor_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/interceptor"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestEveryTextOfTheClientsOptions: each string that the SDK lets a client send is
// refused or cleaned when it holds a value, but for those that are listed. A field
// that a newer SDK adds fails here until somebody has looked at it.
func TestEveryTextOfTheClientsOptions(t *testing.T) {
	reads := []string{
		"DescribeActivity", "DescribeNexusOperation", "DescribeWorkflow", "GetActivityHandle", "GetNexusOperationHandle",
		"GetWorkflowHistory", "GetWorkflowResult", "GetWorkflowRun",
		"PollActivityResult", "PollNexusOperationResult", "PollWorkflowUpdate",
	}
	// What ends or pauses something is never refused, whatever name the something has.
	ends := []string{".WorkflowID", ".RunID", ".FirstExecutionRunID", ".ActivityID", ".OperationID"}
	// What the SDK shows to no interceptor; the nets see it.
	unseen := map[string]bool{
		"UpdateWithStartWorkflow .StartWorkflowOperation internal.WithStartWorkflowOperation": true,
	}
	opts := options(t, "")
	opts.Policies = policies(t, "default: {mode: enforce}\n")
	opts.Hidden = knowing(t, canary)
	methods := reflect.TypeFor[interceptor.ClientOutboundInterceptor]()
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		if !m.IsExported() || slices.Contains(reads, m.Name) {
			continue
		}
		ending := slices.ContainsFunc([]string{"Cancel", "Terminate", "Pause", "Unpause"}, func(prefix string) bool { return strings.HasPrefix(m.Name, prefix) })
		inputs, odd := planted(m.Type.In(1).Elem(), canary)
		for _, o := range odd {
			if !unseen[m.Name+" "+o] {
				t.Errorf("%s: nobody has looked at %s", m.Name, o)
			}
			delete(unseen, m.Name+" "+o)
		}
		for at, in := range inputs {
			s := &server{}
			out := reflect.ValueOf(clientOf(t, opts, s)).MethodByName(m.Name).Call([]reflect.Value{reflect.ValueOf(t.Context()), in})
			err, _ := out[len(out)-1].Interface().(error)
			var ok bool
			switch {
			case !ending:
				ok = guard.IsRefused(err) && len(s.got) == 0 && !holdsText(err, canary)
			case slices.Contains(ends, at):
				ok = err == nil && len(s.got) == 1
			default:
				ok = err == nil && len(s.got) == 1 && !holds(s.got, canary)
			}
			if !ok {
				t.Errorf("%s%s: %v, and %d requests went out", m.Name, at, err, len(s.got))
			}
		}
	}
	if len(unseen) > 0 {
		t.Errorf("not there any more: %v", unseen)
	}
}
