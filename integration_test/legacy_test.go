package integration_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// releaseGrants binds the token of a release's activities.
func releaseGrants(literal string) string {
	return "mode: enforce\nliterals: report\ngrants:\n" +
		"  - {secret: deploy, to: {activity: PushTag, input: /0/token}, literal: " + literal + "}\n" +
		"  - {secret: deploy, to: {activity: Announce, input: /0/token}, literal: " + literal + "}\n"
}

// archiveGrants binds a protobuf field, a leaf of a map, bytes, and an element
// of a list behind a pointer.
func archiveGrants(literal string) string {
	entry := "mode: enforce\nliterals: report\ngrants:\n"
	for _, place := range []string{
		"activity: SignArchive, input: /0/name", "activity: Upload, input: /0/auth/token",
		"activity: Stamp, input: /0/key", "activity: Stamp, input: /0/deep/tokens/1",
	} {
		entry += "  - {secret: deploy, to: {" + place + "}, literal: " + literal + "}\n"
	}
	return entry
}

// publicationGrants binds a member of a google.protobuf.Struct.
func publicationGrants(literal string) string {
	return "mode: enforce\nliterals: report\ngrants:\n" +
		"  - {secret: deploy, to: {activity: Publish, input: /0/token}, literal: " + literal + "}\n"
}

func registerRelease(seen *legacy.Seen) func(worker.Registry) {
	return func(r worker.Registry) {
		legacy.RegisterWorkflows[string](r)
		legacy.RegisterActivities[string](r, seen)
	}
}

func registerArchive(seen *legacy.Seen) func(worker.Registry) {
	return func(r worker.Registry) {
		legacy.RegisterArchive(r)
		legacy.RegisterArchiveActivities(r, seen)
	}
}

// TestBoundFieldsGetTheCurrentSecret runs programs that know nothing of the
// guard and that began with a dead token. Every activity must get the current
// one, which must be nowhere; with strip the dead one is in no event after the
// start either.
func TestBoundFieldsGetTheCurrentSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, workflow string
		grants         func(literal string) string
		input          any
		register       func(*legacy.Seen) func(worker.Registry)
		seen           map[string]int
	}{
		{
			name: "struct fields", workflow: legacy.ReleaseType, grants: releaseGrants,
			input: legacy.Order[string]{Tag: "v1", Token: legacy.DeadToken}, register: registerRelease,
			seen: map[string]int{"PushTag": 2, "Announce": 1},
		},
		{
			name: "protobuf, maps and bytes", workflow: legacy.ArchiveType, grants: archiveGrants,
			input: legacy.DeadToken, register: registerArchive,
			seen: map[string]int{"SignArchive": 1, "Upload": 1, "Stamp": 2},
		},
		{
			name: "protobuf without fields", workflow: legacy.PublicationType, grants: publicationGrants,
			input: legacy.DeadToken, register: registerArchive,
			seen: map[string]int{"Publish": 1},
		},
	}
	for _, test := range tests {
		for _, literal := range []string{"replace", "strip"} {
			t.Run(test.name+"/"+literal, func(t *testing.T) {
				t.Parallel()
				ctx := limited(t)
				r := newRig(t, test.grants(literal))
				seen := &legacy.Seen{}
				r.worker(t, test.register(seen))
				if err := r.start(ctx, t, r.plain, test.workflow, test.input).Get(ctx, nil); err != nil {
					t.Fatal(err)
				}
				for activity, times := range test.seen {
					if got := seen.Tokens(activity); !slices.Equal(got, slices.Repeat([]string{r.secret}, times)) {
						t.Errorf("%s did not get the current secret %d times", activity, times)
					}
				}
				r.absent(ctx, t, r.secret)

				family := r.family(ctx, t)
				var dead []string
				for _, run := range family {
					for _, e := range run.History.GetEvents() {
						if len(harness.Search(legacy.DeadToken, event(t, e))) > 0 {
							dead = append(dead, e.GetEventType().String())
						}
					}
				}
				if len(dead) == 0 || dead[0] != enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED.String() {
					t.Errorf("the dead token is not in the start, only in %v: the search is broken", dead)
				}
				if literal == "strip" && len(dead) > 1 {
					t.Errorf("the dead token is in %v, want the start only", dead)
				}
				if literal == "replace" && len(dead) < 2 {
					t.Errorf("the dead token is in %v: without strip, calls are recorded as they were made", dead)
				}
				for _, action := range []audit.Action{audit.ActionResolve, audit.ActionInject} {
					for _, record := range r.sink.of(action) {
						if record.Secret != deploy || record.Ref != ref || record.Queue != r.queue || record.Owner != "release-eng" {
							t.Errorf("record of %s is %+v", action, record)
						}
					}
					if len(r.sink.of(action)) == 0 {
						t.Errorf("no record of %s", action)
					}
				}
			})
		}
	}
}

// TestARefusedLiteralEndsTheAttempt is the default: a bound field that holds
// text of its own is an error, and the activity does not run.
func TestARefusedLiteralEndsTheAttempt(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, releaseGrants("refuse"))
	seen := &legacy.Seen{}
	r.worker(t, registerRelease(seen))
	err := r.start(ctx, t, r.plain, legacy.ReleaseType, legacy.Order[string]{Tag: "v1", Token: legacy.DeadToken}).Get(ctx, nil)
	if diff := cmp.Diff([]string{"/0/token literal-in-secret-field"}, rules(err)); diff != "" {
		t.Errorf("violations (-want +got):\n%s\nof %v", diff, err)
	}
	if got := seen.Tokens("PushTag"); len(got) != 0 {
		t.Errorf("the activity ran %d times", len(got))
	}
	r.absent(ctx, t, r.secret)
}

// TestARunningWorkflowGetsTheGuard begins without the guard, with a literal,
// and is gone on with by a worker that has it. The calls made before replay as
// they were; the calls after are what policy makes of them.
func TestARunningWorkflowGetsTheGuard(t *testing.T) {
	t.Parallel()
	t.Run("bound", func(t *testing.T) {
		t.Parallel()
		ctx := limited(t)
		r := newRig(t, releaseGrants("replace"))
		before, after := &legacy.Seen{}, &legacy.Seen{}
		halfWay(t, r, before)
		r.worker(t, registerRelease(after))
		goOn(t, r)
		if err := r.plain.GetWorkflow(ctx, r.queue, "").Get(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if got := before.Tokens("PushTag"); !slices.Equal(got, []string{legacy.DeadToken}) {
			t.Error("the first call was not made without the guard")
		}
		if got := after.Tokens("PushTag"); !slices.Equal(got, []string{r.secret}) {
			t.Errorf("the second call was made %d times, or not with the current secret", len(got))
		}
		r.absent(ctx, t, r.secret)
	})
	t.Run("enforced", func(t *testing.T) {
		t.Parallel()
		ctx := limited(t)
		r := newRig(t, "mode: enforce\nliterals: enforce\n")
		before, after := &legacy.Seen{}, &legacy.Seen{}
		halfWay(t, r, before)
		r.worker(t, registerRelease(after))
		goOn(t, r)
		err := r.plain.GetWorkflow(ctx, r.queue, "").Get(ctx, nil)
		if diff := cmp.Diff([]string{"/0/token literal-credential"}, rules(err)); diff != "" {
			t.Errorf("violations (-want +got):\n%s\nof %v", diff, err)
		}
		if got := after.Tokens("PushTag"); len(got) != 0 {
			t.Error("the refused call was made")
		}
	})
	t.Run("after the field became a Value", func(t *testing.T) {
		t.Parallel()
		ctx := limited(t)
		r := newRig(t, releaseGrants("refuse"))
		before, after := &legacy.Seen{}, &legacy.Seen{}
		halfWay(t, r, before)
		r.worker(t, func(w worker.Registry) {
			legacy.RegisterWorkflows[secrets.Value](w)
			legacy.RegisterActivities[secrets.Value](w, after)
		})
		goOn(t, r)
		if err := r.plain.GetWorkflow(ctx, r.queue, "").Get(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if got := after.Tokens("PushTag"); !slices.Equal(got, []string{r.secret}) {
			t.Errorf("the second call was made %d times, or not with the current secret", len(got))
		}
		r.absent(ctx, t, r.secret)
	})
}

// halfWay runs a release on an unguarded worker up to its wait, and stops the
// worker.
func halfWay(t *testing.T, r *rig, seen *legacy.Seen) {
	t.Helper()
	ctx := limited(t)
	r.handedOver = true
	w := harness.Worker(t, r.plain, r.queue, worker.Options{}, registerRelease(seen))
	r.start(ctx, t, r.plain, legacy.ReleaseType, legacy.Order[string]{Tag: "v1", Token: legacy.DeadToken, Wait: true})
	// The marker of the local activity is the last event before the wait.
	if _, err := harness.AwaitEvent(ctx, r.plain, r.queue, "", harness.OfType(enumspb.EVENT_TYPE_MARKER_RECORDED)); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	// Workers of one process share the cache. Without it the next worker begins
	// with the history, as one in another process would.
	worker.PurgeStickyWorkflowCache()
}

func goOn(t *testing.T, r *rig) {
	t.Helper()
	if err := r.plain.SignalWorkflow(limited(t), r.queue, "", legacy.GoOn, nil); err != nil {
		t.Fatal(err)
	}
}
