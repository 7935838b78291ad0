package sandboxhost

import (
	"bytes"
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Register adds the activities of the provider to a worker. The worker must be able to run more activities at a time
// than Options.MaxConcurrent, eleven times as many to be sure that what waits for its turn cannot hold up the others.
// Like every registration of the SDK it panics if the worker has a provider of that name already.
func (h *Host) Register(r worker.ActivityRegistry) {
	answers(h, r, operation.Create, h.create)
	answers(h, r, operation.Resume, h.resume)
	does(h, r, operation.Delete, h.delete)
	does(h, r, operation.Start, h.start)
	does(h, r, operation.Stop, func(ctx context.Context, a operation.StopArgs) error { return h.stop(ctx, operation.Stop, a.State) })
	does(h, r, operation.Shut, func(ctx context.Context, a operation.StopArgs) error { return h.stop(ctx, operation.Shut, a.State) })
	answers(h, r, operation.Running, h.running)
	answers(h, r, operation.Exec, h.exec)
	answers(h, r, operation.Read, h.read)
	does(h, r, operation.Write, h.write)
	answers(h, r, operation.Persist, h.persist)
	does(h, r, operation.Hydrate, h.hydrate)
	answers(h, r, operation.PTYExec, h.openTerminal)
	answers(h, r, operation.PTYSend, h.writeStdin)
}

// answers registers an operation with a result.
func answers[A operation.Argument, R any](h *Host, r worker.ActivityRegistry, name operation.Name, do func(context.Context, A) (*R, error)) {
	r.RegisterActivityWithOptions(func(ctx context.Context, a A) (*R, error) {
		done, err := h.take(ctx, name, a)
		if err != nil {
			return nil, err
		}
		defer done()
		out, err := do(ctx, a)
		if err != nil {
			return nil, h.answer(ctx, name, err)
		}
		return out, nil
	}, activity.RegisterOptions{Name: name.Activity(h.provider)})
}

// does registers an operation without a result.
func does[A operation.Argument](h *Host, r worker.ActivityRegistry, name operation.Name, do func(context.Context, A) error) {
	r.RegisterActivityWithOptions(func(ctx context.Context, a A) error {
		done, err := h.take(ctx, name, a)
		if err != nil {
			return err
		}
		defer done()
		return h.answer(ctx, name, do(ctx, a))
	}, activity.RegisterOptions{Name: name.Activity(h.provider)})
}

// unguarded is logged where the guard logs that it guards a worker. It is no refusal: who has no policy needs no guard, and
// what needs one, a session with secrets, is refused.
const unguarded = "sandbox operations come to this worker without the guard: no policy is in force for them here, and secrets are not resolved; " +
	"register interceptor.NewPlugin on the client that the worker is made from, and give it to Host.Run"

// take begins an operation, which goes on until done is called, unless its argument is refused or there are too many.
func (h *Host) take(ctx context.Context, name operation.Name, a operation.Argument) (done func(), err error) {
	if bind.From(ctx) == nil {
		h.warned.Do(func() { activity.GetLogger(ctx).Warn(unguarded, "provider", h.provider) })
	}
	if err := h.judge(ctx, a); err != nil {
		return nil, err
	}
	leave, err := h.slots.enter(name)
	if err != nil {
		return nil, h.answer(ctx, name, early(err))
	}
	stop := keepAlive(ctx)
	return func() {
		stop()
		leave()
	}, nil
}

// judge refuses, with a record, what no caller of this module sends.
func (h *Host) judge(ctx context.Context, a operation.Argument) error {
	if err := a.Fault(); err != nil {
		h.record(ctx, callerOf(ctx), a.Session(), "the argument does not decode")
		return invalid(err.Error())
	}
	if field := a.Foreign(); field != "" {
		return h.refuse(ctx, callerOf(ctx), a.Session(), "the state was changed: "+field)
	}
	return nil
}

// keepAlive says again and again that the attempt is alive, so that the server notices a lost worker, and the attempt
// that it was cancelled.
func keepAlive(ctx context.Context) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(callerOf(ctx).interval())
	go func() {
		defer close(ended)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// with does something with the sandbox of a caller's session.
func (h *Host) with(ctx context.Context, name operation.Name, given sandbox.SessionState, do func(*session, backend.Sandbox) error) error {
	s, err := h.admit(ctx, name, given)
	if err != nil {
		return early(err)
	}
	done, err := s.use()
	if err != nil {
		return early(err)
	}
	defer done()
	defer func() {
		if ctx.Err() != nil { // perhaps its workflow has ended
			s.askSoon()
		}
	}()
	release, err := h.slots.transfer(ctx, name)
	if err != nil {
		return early(err)
	}
	defer release()
	box, err := s.open(ctx)
	if err != nil {
		return early(err)
	}
	return do(s, box)
}

func (h *Host) start(ctx context.Context, a operation.StateArgs) error {
	return h.with(ctx, operation.Start, a.State, func(s *session, box backend.Sandbox) error {
		return s.start(ctx, box)
	})
}

func (h *Host) running(ctx context.Context, a operation.StateArgs) (*operation.RunningResult, error) {
	out := new(operation.RunningResult)
	return out, h.with(ctx, operation.Running, a.State, func(_ *session, box backend.Sandbox) (err error) {
		out.IsRunning, err = box.Running(ctx)
		return err
	})
}

// stop ends the processes of a session. Nothing runs in one that was not opened.
func (h *Host) stop(ctx context.Context, name operation.Name, given sandbox.SessionState) error {
	s, err := h.admit(ctx, name, given)
	if err != nil {
		return err
	}
	if errors.Is(s.mine(ctx), errSuperseded) {
		return errSuperseded
	}
	s.mu.Lock()
	box := s.box
	s.touch(time.Now())
	s.mu.Unlock()
	s.ptys.clear()
	if box != nil {
		if !h.tenure.hold() {
			return errSuperseded // perhaps not yet
		}
		err = h.inTime(ctx, func(ctx context.Context) error {
			return within(ctx, func() error {
				defer h.tenure.done()
				return box.Stop(ctx)
			})
		})
	}
	if err == nil {
		err = s.started(false)
	}
	return err
}

func (h *Host) delete(ctx context.Context, a operation.StopArgs) error {
	s, err := h.admit(ctx, operation.Delete, a.State)
	if err != nil {
		return err
	}
	return h.inTime(ctx, func(ctx context.Context) error { return s.end(ctx, "its owner deleted it") })
}

func (h *Host) read(ctx context.Context, a operation.ReadArgs) (*operation.DataResult, error) {
	out := new(operation.DataResult)
	return out, h.with(ctx, operation.Read, a.State, func(s *session, box backend.Sandbox) error {
		if err := s.hide(ctx); err != nil {
			return err
		}
		data, err := box.Read(ctx, a.Path)
		if backend.CodeOf(err) == backend.ReadNotFound {
			return backend.FileNotFound(a.Path) // whatever the backend says
		}
		if err != nil {
			return err
		}
		if len(data) <= h.options.MaxData {
			data, err = hiddenText(ctx, data) // which may be longer: names stand for secrets
		}
		if err == nil && len(data) > h.options.MaxData {
			return &backend.Error{Code: backend.ArchiveRead, Message: "the file is too long to be returned: read parts of it with a command"}
		}
		out.Data = data
		return err
	})
}

func (h *Host) write(ctx context.Context, a operation.WriteArgs) error {
	return h.with(ctx, operation.Write, a.State, func(_ *session, box backend.Sandbox) error { return box.Write(ctx, a.Path, a.Data) })
}

func (h *Host) persist(ctx context.Context, a operation.StateArgs) (*operation.DataResult, error) {
	out := new(operation.DataResult)
	return out, h.with(ctx, operation.Persist, a.State, func(s *session, box backend.Sandbox) error {
		if err := s.hide(ctx); err != nil {
			return err
		}
		archive := bounded{max: h.options.MaxData}
		err := box.Persist(ctx, &archive)
		if archive.over {
			return &backend.Error{Code: backend.ArchiveRead, Message: "the archive of the workspace is too long to be returned: remove what is not needed, or make entries ephemeral"}
		}
		if err != nil {
			return err
		}
		out.Data, err = unedited(ctx, archive.buf.Bytes())
		return err
	})
}

func (h *Host) hydrate(ctx context.Context, a operation.HydrateArgs) error {
	return h.with(ctx, operation.Hydrate, a.State, func(_ *session, box backend.Sandbox) error {
		return box.Hydrate(ctx, bytes.NewReader(a.Data))
	})
}
