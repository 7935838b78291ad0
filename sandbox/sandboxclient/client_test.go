package sandboxclient_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestCreateRefuses: run configs that cannot be carried out as they are schedule nothing.
func TestCreateRefuses(t *testing.T) {
	host := "/srv/secret-place"
	limit := sandbox.Limit(3)
	with := func(s sandbox.SandboxRunConfig) sandbox.RunConfig { return sandbox.RunConfig{Sandbox: &s} }
	bound := sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/a"}, {Path: "/b", HostPath: &host}, {Path: "/c", HostPath: &host}}}
	held := sandbox.SessionState{Type: sandbox.ClientUnixLocal, SessionID: sessionID, Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"}}
	for _, c := range []struct {
		name   string
		client *sandboxclient.Client
		config sandbox.RunConfig
		want   string
	}{
		{"no sandbox", client, sandbox.RunConfig{}, "asks for no sandbox"},
		{"another provider", client, with(sandbox.SandboxRunConfig{Client: "docker"}), "another provider"},
		{"limits", client, with(sandbox.SandboxRunConfig{ArchiveLimits: &sandbox.ArchiveLimits{MaxMembers: limit}}), "has limits"},
		{"other limits", client, with(sandbox.SandboxRunConfig{ConcurrencyLimits: &sandbox.ConcurrencyLimits{ManifestEntries: limit}}), "has limits"},
		{"host paths", client, with(sandbox.SandboxRunConfig{Manifest: &bound}), "paths of a host: /b, /c"},
		{"malformed", client, with(sandbox.SandboxRunConfig{Manifest: &sandbox.Manifest{Version: 2}}), "/sandbox/manifest/version"},
		{"resume with host paths", client, with(sandbox.SandboxRunConfig{SessionState: &sandbox.SessionState{
			Type: sandbox.ClientUnixLocal, SessionID: sessionID, Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"}, Manifest: bound,
		}}), "paths of a host: /b, /c"},
		{"resume and manifest", client, with(sandbox.SandboxRunConfig{SessionState: &held, Manifest: &sandbox.Manifest{}}), "leave those out"},
		{"resume and options", client, with(sandbox.SandboxRunConfig{SessionState: &held, Options: &sandbox.ClientOptions{Type: sandbox.ClientUnixLocal}}), "leave those out"},
		{"resume and snapshot", client, with(sandbox.SandboxRunConfig{SessionState: &held, Snapshot: &sandbox.Snapshot{Type: sandbox.SnapshotNoop}}), "leave those out"},
		{"no name", sandboxclient.New("", sandboxclient.Options{}), empty, "no name"},
		{"negative timeout", sandboxclient.New(provider, sandboxclient.Options{ExecTimeout: -time.Second}), empty, "at most 1000000h"},
		{"timeouts that overflow", sandboxclient.New(provider, sandboxclient.Options{ExecTimeout: math.MaxInt64}), empty, "at most 1000000h"},
		{"attempts", sandboxclient.New(provider, sandboxclient.Options{Attempts: -1}), empty, "Attempts is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			if err := run(t, h, func(ctx workflow.Context) error {
				if _, err := c.client.Create(ctx, c.config); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), host) {
					t.Errorf("error = %v, want %q", err, c.want)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if len(h.calls) != 0 {
				t.Errorf("called %v", h.calls)
			}
		})
	}
}

// TestCreateArguments: what a run config says is sent as it is.
func TestCreateArguments(t *testing.T) {
	h := newHost()
	config := sandbox.RunConfig{Model: "m", Sandbox: &sandbox.SandboxRunConfig{
		Client: provider, Snapshot: &sandbox.Snapshot{Type: sandbox.SnapshotNoop},
		Options:  &sandbox.ClientOptions{Type: sandbox.ClientUnixLocal},
		Manifest: &sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": {Type: sandbox.EntryFile, Content: "x"}}},
	}}
	if err := run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, config)
		if err == nil && (box.ID() != sessionID || box.Root() != "/workspace") {
			t.Errorf("made %s at %s", box.ID(), box.Root())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(argsOf[operation.CreateArgs](h)[0])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"snapshot_spec":{"type":"noop"},"manifest":{"entries":{"a":{"type":"file","content":"x"}}},"client_options":{"type":"unix_local"}}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, string(got))); diff != "" {
		t.Error(diff)
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestContinueAsNew: the state that one run hands over is what the next one goes on with.
func TestContinueAsNew(t *testing.T) {
	h := newHost()
	h.queues = []string{ownQueue, "host-8"}
	first := environment(h)
	first.ExecuteWorkflow(func(ctx workflow.Context) (sandboxclient.State, error) {
		box, err := client.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Cwd: "src"}})
		if err != nil {
			return sandboxclient.State{}, err
		}
		return box.State(), nil
	})
	var state sandboxclient.State
	if err := first.GetWorkflowResult(&state); err != nil {
		t.Fatal(err)
	}
	if state.HostQueue != ownQueue || state.Cwd != "src" || state.Session.SessionID != sessionID {
		t.Errorf("state = %+v", state)
	}
	second := environment(h)
	second.ExecuteWorkflow(func(ctx workflow.Context, state sandboxclient.State) error {
		box, err := client.Resume(ctx, state)
		if err != nil {
			return err
		}
		_, err = box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}})
		return err
	}, state)
	if err := second.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := []string{"create@" + baseQueue, "start@" + ownQueue, "resume@" + baseQueue, "start@host-8", "exec@host-8"}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Error(diff)
	}
}

// TestOddAnswers: what a host answers with must be the session that was asked for.
func TestOddAnswers(t *testing.T) {
	none, other := "", "5b8f7c1e-2222-4333-8444-666666666666"
	h := newHost()
	err := run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, empty)
		if err != nil {
			return err
		}
		h.id = &other
		if _, err := client.Resume(ctx, box.State()); err == nil || !strings.Contains(err.Error(), "another session") {
			t.Errorf("resume: %v", err)
		}
		h.id = &none
		if _, err := client.Create(ctx, empty); err == nil || !strings.Contains(err.Error(), "no session id") {
			t.Errorf("create: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestResume: a run config with a session state is resumed; a refused resume leaves the session to be ended.
func TestResume(t *testing.T) {
	state := sandbox.SessionState{Type: sandbox.ClientUnixLocal, SessionID: sessionID, Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"}}
	t.Run("run config", func(t *testing.T) {
		h := newHost()
		err := run(t, h, func(ctx workflow.Context) error {
			_, err := client.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{SessionState: &state}})
			return err
		})
		if diff := cmp.Diff([]string{"resume@" + baseQueue, "start@" + ownQueue}, h.calls); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
	t.Run("no such session", func(t *testing.T) {
		h := newHost()
		h.fails[operation.Resume] = []error{notHere}
		err := run(t, h, func(ctx workflow.Context) error {
			if _, err := client.Resume(ctx, sandboxclient.State{Session: state}); !errors.Is(err, sandboxclient.ErrNotFound) {
				t.Errorf("error = %v", err)
			}
			return nil
		})
		if diff := cmp.Diff([]string{"resume@" + baseQueue}, h.calls); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
	t.Run("refused and ended", func(t *testing.T) {
		h := newHost()
		h.fails[operation.Resume] = []error{answer("sandboxguard.SecretNotGranted")}
		err := run(t, h, func(ctx workflow.Context) error {
			held := sandboxclient.State{Session: state, HostQueue: ownQueue}
			if _, err := client.Resume(ctx, held); !isType("sandboxguard.SecretNotGranted")(err) {
				t.Errorf("error = %v", err)
			}
			box, err := client.Attach(ctx, held)
			if err != nil {
				return err
			}
			return box.Close(ctx)
		})
		want := []string{"resume@" + baseQueue, "stop@" + ownQueue, "shutdown@" + ownQueue, "delete@" + ownQueue}
		if diff := cmp.Diff(want, h.calls); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
	t.Run("no state", func(t *testing.T) {
		h := newHost()
		err := run(t, h, func(ctx workflow.Context) error {
			if _, err := client.Resume(ctx, sandboxclient.State{}); err == nil {
				t.Error("resumed")
			}
			unbound := state
			unbound.UnboundGrants = []string{"/a"}
			if _, err := client.Resume(ctx, sandboxclient.State{Session: unbound}); err == nil {
				t.Error("resumed a state that has lost its grants")
			}
			return nil
		})
		if len(h.calls) != 0 || err != nil {
			t.Error(h.calls, err)
		}
	})
}
