package integration_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// reloaded is a policy file that is replaced while workers run.
type reloaded struct {
	atomic.Pointer[validation.Policies]
}

func (r *reloaded) PolicyFor(q guard.Queue) (validation.Policy, bool) { return r.Load().PolicyFor(q) }

// losing is a provider that answers with an error once it has one.
type losing struct {
	secrets.Resolver
	err atomic.Pointer[error]
}

func (l *losing) Resolve(ctx context.Context, req secrets.Request) (secrets.Resolution, error) {
	if err := l.err.Load(); err != nil {
		return secrets.Resolution{}, *err
	}
	return l.Resolver.Resolve(ctx, req)
}

// parting is what becomes of a session that has lost its secret: types of errors.
type parting struct {
	Exec string
	// MayHaveRun is whether the command counts as one that may have run.
	MayHaveRun  bool
	Stop, Close string
}

func parted(ctx workflow.Context, lingers, ran string) (out parting, err error) {
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	running := box.ExecAsync(ctx, shell(linger, lingers))
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	_, err = box.Exec(ctx, shell(`: >"$1"`, ran))
	out.Exec, out.MayHaveRun = typeOf(err), errors.Is(err, sandboxclient.ErrMayHaveRun)
	out.Stop = typeOf(box.Stop(ctx))
	_ = running.Future().Get(ctx, nil)
	out.Close = typeOf(box.Close(ctx))
	return out, nil
}

// TestRevokedSecretsDoNotKeepSandboxes: whatever becomes of a session's secret, commands are refused, and the session
// is stopped and deleted.
func TestRevokedSecretsDoNotKeepSandboxes(t *testing.T) {
	t.Parallel()
	lost := func(err error) func(*testing.T, *rig, *reloaded, *losing) {
		return func(_ *testing.T, _ *rig, _ *reloaded, l *losing) { l.err.Store(&err) }
	}
	policy := func(entry string) func(*testing.T, *rig, *reloaded, *losing) {
		return func(t *testing.T, r *rig, p *reloaded, _ *losing) {
			t.Helper()
			p.Store(policies(t, queuePolicy(r.queue, entry)))
		}
	}
	for _, tc := range []struct {
		name   string
		happen func(*testing.T, *rig, *reloaded, *losing)
		want   parting
	}{
		{"not granted any more", policy("mode: enforce\nliterals: enforce\n"), parting{Exec: guard.ErrorTypePolicyViolation}},
		{"workflow not listed any more", policy(grantsToken + "workflows: [Another]\n"), parting{Exec: guard.ErrorTypePolicyViolation}},
		{"queue not listed any more", func(t *testing.T, r *rig, p *reloaded, _ *losing) {
			t.Helper()
			p.Store(policies(t, queuePolicy(r.other(), grantsToken)))
		}, parting{Exec: guard.ErrorTypePolicyViolation}},
		{"unset", lost(secrets.ErrNotFound), parting{Exec: guard.ErrorTypeSecretUnresolved}},
		{"revoked", lost(secrets.ErrDenied), parting{Exec: guard.ErrorTypeSecretUnresolved}},
		{"provider down", lost(secrets.ErrUnavailable), parting{Exec: guard.ErrorTypeSecretUnavailable}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx := limited(t)
			source, provider := &reloaded{}, &losing{}
			r := newRig(t, grantsToken, func(r *rig) {
				source.Store(policies(t, queuePolicy(r.queue, grantsToken)))
				provider.Resolver = r.options.Resolver
				r.options.Policies, r.options.Resolver = source, provider
			})
			h := hosts(t, r.client, r.queue, t.TempDir(), r.log, func(w worker.Registry) { named(w, "Parted", parted) }, seldom)
			path, ran := filepath.Join(t.TempDir(), "pids"), filepath.Join(t.TempDir(), "ran")
			run := r.start(ctx, t, r.plain, "Parted", path, ran)
			pids := lingers(ctx, t, run, path)
			tc.happen(t, r, source, provider)
			if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
				t.Fatal(err)
			}
			var out parting
			if err := run.Get(ctx, &out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out); diff != "" {
				t.Errorf("types of errors (-want +got):\n%s", diff)
			}
			if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the command ran")
			}
			h.wantNothingLeft(ctx, t, pids...)
		})
	}
}
