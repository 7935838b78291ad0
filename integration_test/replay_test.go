package integration_test

import (
	"fmt"
	"path/filepath"
	"testing"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/sessions"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// recording loads the histories of a program that cmd/record keeps.
func recording(t *testing.T, collection, name string) []*historypb.History {
	t.Helper()
	runs, err := harness.LoadRuns(filepath.Join("testdata", "histories", collection), name)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// Policies that recorded histories are replayed under, beside the two that they
// were recorded under.
const (
	// moreInputs binds places that no recording bound.
	moreInputs = secretsSection + `default:
  mode: enforce
  literals: enforce
  inputs:
    - {activity: StartJob, argument: 0, path: /config, kind: run_config}
    - {activity: Note, argument: 0, path: /config, kind: run_config}
    - {activity: UseTool, argument: 0, path: /manifest, kind: manifest}
    - {activity: PushTag, argument: 0, path: /notes, kind: manifest}
`
	// otherInputs names none of the inputs that the recordings were made under.
	otherInputs = secretsSection + `default:
  mode: enforce
  literals: enforce
  inputs:
    - {activity: Fallback, argument: 0, path: /config, kind: run_config}
`
	// noInputs neither names nor grants anything, and does not look at text.
	noInputs = "version: 1\ndefault: {mode: enforce, literals: off}\n"
	// stripping binds and rewrites what the old programs send.
	stripping = secretsSection + `default:
  mode: enforce
  literals: enforce
  grants:
    - {secret: deploy, to: {activity: PushTag, input: /0/token}, literal: strip}
    - {secret: deploy, to: {activity: Announce, input: /0/token}, literal: strip}
    - {secret: deploy, to: {activity: SignArchive, input: /0/name}, literal: strip}
    - {secret: deploy, to: {activity: UseTool, input: /0/token}}
`
	// elsewhere covers none of the queues.
	elsewhere = "version: 1\nqueues:\n  another: {mode: enforce}\n"
)

// sources are the policies of the replay table, by name.
func sources(t *testing.T) map[string]guard.PolicySource {
	t.Helper()
	dice, err := gauntlet.Dice(0.5)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]guard.PolicySource{
		"open":                  policies(t, gauntlet.Open),
		"closed":                policies(t, gauntlet.Closed),
		"more inputs":           policies(t, moreInputs),
		"other inputs":          policies(t, otherInputs),
		"no inputs":             policies(t, noInputs),
		"stripping":             policies(t, stripping),
		"no entry for anything": policies(t, elsewhere),
		"random, once":          dice,
		"random, again":         dice,
	}
}

// registered is a way of registering the guard with a replayer.
type registered struct {
	name string
	add  func(*testing.T, guard.Options, *worker.WorkflowReplayerOptions)
}

func registrations() []registered {
	asInterceptor := func(t *testing.T, o guard.Options) interceptor.WorkerInterceptor {
		t.Helper()
		i, err := guard.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	return []registered{
		{"plugin", func(t *testing.T, o guard.Options, r *worker.WorkflowReplayerOptions) {
			t.Helper()
			r.Plugins = append(r.Plugins, plugin(t, o))
		}},
		{"interceptor", func(t *testing.T, o guard.Options, r *worker.WorkflowReplayerOptions) {
			t.Helper()
			r.Interceptors = append(r.Interceptors, asInterceptor(t, o))
		}},
		{"plugin and interceptors with others between", func(t *testing.T, o guard.Options, r *worker.WorkflowReplayerOptions) {
			t.Helper()
			r.Interceptors = append(r.Interceptors, asInterceptor(t, o), &onlooker{}, asInterceptor(t, o), &onlooker{})
			r.Plugins = append(r.Plugins, plugin(t, o))
		}},
	}
}

// onlooker is somebody else's interceptor. It does nothing but stand in the
// chain.
type onlooker struct{ interceptor.InterceptorBase }

func (*onlooker) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &onlookerInbound{}
	i.Next = next
	return i
}

type onlookerInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *onlookerInbound) Init(out interceptor.WorkflowOutboundInterceptor) error {
	o := &onlookerOutbound{}
	o.Next = out
	return i.Next.Init(o)
}

type onlookerOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

// program is a program of the replay table with the code to replay it with.
type program struct {
	collection, name string
	code             string
	register         func(worker.WorkflowRegistry)
	// refused is true for histories that hold refusals.
	refused bool
}

func programs() []program {
	return []program{
		{"guarded", "unguarded", "same code", gauntlet.Register, false},
		{"guarded", "allowed", "same code", gauntlet.Register, false},
		{"guarded", "refused", "same code", gauntlet.Register, true},
		{"guarded", "mixed", "same code", gauntlet.Register, true},
		{"guarded", "ends", "same code", gauntlet.Register, true},
		// It ended in its first task, which replays whatever the code does.
		{"guarded", gauntlet.Ended, "same code", gauntlet.Register, false},
		{"legacy", "release", "same code", legacy.RegisterWorkflows[string], false},
		{"legacy", "release", "field made a Value", legacy.RegisterWorkflows[secrets.Value], false},
		{"legacy", "adopted", "same code", legacy.RegisterWorkflows[string], false},
		{"legacy", "adopted", "field made a Value", legacy.RegisterWorkflows[secrets.Value], false},
		{"legacy", "adopted-refused", "same code", legacy.RegisterWorkflows[string], true},
		{"legacy", "archive", "same code", legacy.RegisterArchive, false},
		{"legacy", "publication", "same code", legacy.RegisterArchive, false},
		{"sandboxes", "session-plain", "same code", sessions.Register, false},
		{"sandboxes", "session-granted", "same code", sessions.Register, false},
		{"sandboxes", "session-refused", "same code", sessions.Register, true},
		{"sandboxes", "tools-plain", "same code", sessions.Register, false},
		{"sandboxes", "tools-granted", "same code", sessions.Register, false},
	}
}

// TestRecordedHistoriesReplay is the replay table: whatever was recorded, with
// or without the guard, replays under any policy.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	for _, p := range programs() {
		for name, source := range sources(t) {
			for _, r := range registrations() {
				t.Run(fmt.Sprintf("%s/%s/%s/%s", p.name, p.code, name, r.name), func(t *testing.T) {
					t.Parallel()
					for _, failTainted := range []bool{false, true} {
						for i, h := range recording(t, p.collection, p.name) {
							options := harness.ReplayOptions{}
							r.add(t, guard.Options{Policies: source, FailTainted: failTainted}, &options.Replayer)
							if err := harness.Replay(h, options, p.register); err != nil {
								t.Errorf("run %d, FailTainted %v: %v", i+1, failTainted, err)
							}
						}
					}
				})
			}
		}
	}
}

// TestTheGuardCanBeRemoved replays everything without refusals on a worker that
// has no guard. Histories with refusals cannot replay there: they are the proof
// that the table above replays something that it could fail at.
func TestTheGuardCanBeRemoved(t *testing.T) {
	t.Parallel()
	for _, p := range programs() {
		t.Run(p.name+"/"+p.code, func(t *testing.T) {
			t.Parallel()
			failed := 0
			for i, h := range recording(t, p.collection, p.name) {
				err := harness.Replay(h, harness.ReplayOptions{}, p.register)
				if err != nil && !p.refused {
					t.Errorf("run %d: %v", i+1, err)
				}
				if err != nil {
					failed++
				}
			}
			if p.refused && failed == 0 {
				t.Error("a history with refusals replays without the guard: the recording is no test of it")
			}
		})
	}
}
