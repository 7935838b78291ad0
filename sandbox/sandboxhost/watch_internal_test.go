package sandboxhost

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// hanging is a server that answers nothing.
type hanging struct{}

func (hanging) DescribeWorkflowExecution(ctx context.Context, _ *workflowservice.DescribeWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestDeadlines ends a thousand sessions on time, while the server answers none of the questions about their owners.
func TestDeadlines(t *testing.T) {
	const sessions, idle, age = 1000, 20 * time.Minute, 10 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		fake := sandboxtest.NewFake()
		h, err := New("local", fake, Options{Dir: filepath.Join(t.TempDir(), "a"), IdleTimeout: idle})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		for n := range sessions {
			r := record{ID: uuid.NewString(), Epoch: 1, Namespace: "default", WorkflowID: "w", Run: "r", FirstRun: "r", Made: true, Created: now, Used: now}
			if n%2 == 0 { // half of them are old
				r.Created = now.Add(age - h.options.MaxLifetime)
			}
			data, err := encode(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(h.store.session(r.ID), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(h.store.file(r.ID, 1), data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := fake.Create(t.Context(), backend.Spec{ID: r.ID}); err != nil {
				t.Fatal(err)
			}
			s := h.newSession(r)
			s.claimed = true
			h.sessions[r.ID] = s
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- h.serve(ctx, hanging{}, func() (func(), error) { return func() {}, nil })
		}()
		left := func(at time.Duration, want int) {
			t.Helper()
			<-time.After(time.Until(now.Add(at)))
			synctest.Wait()
			if ids, _ := fake.Left(); len(ids) != want {
				t.Errorf("%d sessions after %v, want %d", len(ids), at, want)
			}
		}
		left(age-time.Second, sessions)
		left(age+time.Second, sessions/2)
		left(idle-time.Second, sessions/2)
		left(idle+time.Second, 0)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
