package sandboxhost_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// silent is a backend whose sandboxes return as little as they may.
type silent struct{ backend.Backend }

func (b silent) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	box, err := b.Backend.Create(ctx, spec)
	return silentBox{box}, err
}

type silentBox struct{ backend.Sandbox }

func (silentBox) Read(context.Context, string) ([]byte, error) { return nil, nil }
func (silentBox) Persist(context.Context, io.Writer) error     { return nil }
func (silentBox) Exec(context.Context, backend.Command) (backend.Result, error) {
	return backend.Result{}, nil
}

// TestNoNull returns what readers of the format take, who refuse null in place of bytes, texts and objects.
func TestNoNull(t *testing.T) {
	for name, b := range map[string]bind.Binder{"without a guard": nil, "with a guard": newBinder(t, nil)} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.host = r.newHost(silent{r.fake}, func(o *sandboxhost.Options) { o.Dir = filepath.Join(t.TempDir(), "own") })
			r.serve()
			w := owner
			w.binder = b
			result := func(name operation.Name, args any) map[string]any {
				t.Helper()
				out, err := call[json.RawMessage](r, w, name, args)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if strings.Contains(string(out), "null") {
					t.Errorf("%s returned %s", name, out)
				}
				var fields map[string]any
				if err := json.Unmarshal(out, &fields); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return fields
			}
			made := result(operation.Create, operation.CreateArgs{})
			state, err := json.Marshal(made["state"])
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[operation.Name]map[string]any{
				operation.Resume:  made,
				operation.Running: {"is_running": false},
				operation.Exec:    {"stdout": "", "stderr": "", "exit_code": 0.0},
				operation.Read:    {"data": ""},
				operation.Persist: {"data": ""},
			} {
				got := result(name, json.RawMessage(strings.Replace(operations[name], "%", string(state), 1)))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// containers is a backend of a kind whose states need more than the session.
type containers struct{ backend.Backend }

func (containers) Kind() string { return sandbox.ClientDocker }

// TestUnreadableState returns no state that its callers could not read, who would hang: neither one that was asked for
// nor one of a record that somebody changed.
func TestUnreadableState(t *testing.T) {
	r := newRig(t)
	dir := filepath.Join(t.TempDir(), "own")
	begin := func() {
		r.host = r.newHost(containers{r.fake}, func(o *sandboxhost.Options) { o.Dir, o.KeepOnStop = dir, true })
		r.serve()
	}
	begin()
	if _, err := call[any](r, owner, operation.Create, operation.CreateArgs{}); errorType(err) != operation.InvalidArgument || !final(err) {
		t.Errorf("create without an image: %v", err)
	}
	if left, _ := r.fake.Left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	made, err := call[operation.SessionResult](r, owner, operation.Create, operation.CreateArgs{
		ClientOptions: &sandbox.ClientOptions{Type: sandbox.ClientDocker, Image: "python:3.12-slim"},
	})
	if err != nil || made.State.Image != "python:3.12-slim" || made.State.ContainerID != made.State.SessionID {
		t.Fatalf("create: %+v, %v", made.State, err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, made.State.SessionID, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("records %q, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.ReplaceAll(string(data), "python:3.12-slim", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	begin()
	made.State.Image = ""
	_, err = call[any](r, owner, operation.Resume, json.RawMessage(`{"state":`+asJSON(t, made.State)+`}`))
	if errorType(err) != "workspace_start_error" || !final(err) || !strings.Contains(err.Error(), "client_options") {
		t.Errorf("resume: %v", err)
	}
}

func asJSON(tb testing.TB, s sandbox.SessionState) string {
	tb.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}
