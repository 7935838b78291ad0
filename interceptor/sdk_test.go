package interceptor_test

import (
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// unguarded is the exact list of methods of the linked SDK that this version of
// the guard does not know. Every test that makes a guard accepts it, so that the
// suite also runs against the next SDK; TestMethodsOfThisSDK holds it to the SDK.
func unguarded(tb testing.TB) []string {
	tb.Helper()
	names, ok := unguardedBySDK()
	if !ok {
		tb.Fatalf("no list for SDK %s: classify its new methods and add it", temporal.SDKVersion)
	}
	return names
}

func unguardedBySDK() (names []string, ok bool) {
	switch temporal.SDKVersion {
	case "1.50.0":
		return nil, true
	case "1.51.0":
		return []string{
			"GetVersionWithOptions", "GetWorkflowHistory", "GetWorkflowResult", "GetWorkflowRun",
			"RequestCancelExternalWorkflowWithOptions", "SignalChildWorkflowWithOptions",
			"SignalExternalWorkflowWithOptions", "SignalWithStartWorkflow", "UpsertMemoWithOptions",
			"UpsertTypedSearchAttributesWithOptions",
		}, true
	}
	return nil, false
}

// constructors are the three ways to make a guard.
func constructors() map[string]func(guard.Options) error {
	return map[string]func(guard.Options) error{
		"New":       func(o guard.Options) error { _, err := guard.New(o); return err },
		"NewClient": func(o guard.Options) error { _, err := guard.NewClient(o); return err },
		"NewPlugin": func(o guard.Options) error { _, err := guard.NewPlugin(o); return err },
	}
}

func TestMethodsOfThisSDK(t *testing.T) {
	want := unguarded(t)
	for name, make := range constructors() {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Unguarded = nil
			err := make(opts)
			if len(want) == 0 {
				if err != nil {
					t.Fatalf("this SDK has no unknown methods, got %v", err)
				}
				return
			}
			_, list, ok := strings.Cut(err.Error(), "does not know: ")
			list, _, _ = strings.Cut(list, "\n")
			if !ok || list != strings.Join(want, ", ") {
				t.Errorf("unknown methods %q, want %q", list, strings.Join(want, ", "))
			}
		})
	}
}

func TestUnguardedAcceptsExactNamesOnly(t *testing.T) {
	for i, accepted := range unguarded(t) {
		opts := options(t, "")
		opts.Unguarded = append(append([]string(nil), unguarded(t)[:i]...), unguarded(t)[i+1:]...)
		_, err := guard.New(opts)
		if err == nil || !strings.Contains(err.Error(), accepted) {
			t.Errorf("without %s: got %v", accepted, err)
		}
	}
	opts := options(t, "")
	opts.Unguarded = append(unguarded(t), "NoSuchMethod")
	if _, err := guard.New(opts); err != nil {
		t.Errorf("a name that no SDK has is harmless, got %v", err)
	}
}
