package sandboxhost

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// create makes a sandbox that is not started. All attempts of one activity get the same.
func (h *Host) create(ctx context.Context, a operation.CreateArgs) (*operation.SessionResult, error) {
	c := callerOf(ctx)
	if c.standalone() {
		return nil, h.refuse(ctx, c, "", "an activity without a workflow owns no session")
	}
	r, err := h.asked(a)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r.ID, r.Epoch, r.Created, r.Used = c.session(), 1, now, now
	r.Namespace, r.WorkflowID, r.Run = c.info.Namespace, c.workflowID(), c.run()
	if t := c.info.WorkflowType; t != nil {
		r.Workflow = t.Name
	}
	if err := checked(state(h.kind, r)); err != nil {
		return nil, invalid("the options of the sandbox are not complete")
	}
	s, err := h.sessionFor(ctx, c, r)
	if err != nil {
		return nil, err
	}
	if s, err = h.add(s); err != nil {
		return nil, err
	}
	defer h.making.Done()
	if s.digest() != r.Digest {
		return nil, invalid("this activity has a sandbox with another manifest")
	}
	done, err := s.use()
	if err != nil {
		return nil, retried(backend.StartFailed, "an earlier sandbox of this activity is still being removed", "none, the attempt is made again")
	}
	defer done()
	if err := h.make(ctx, s); err != nil {
		return nil, err
	}
	h.wake()
	return h.result(s)
}

// sessionFor returns the session that an earlier attempt made, or a new one.
func (h *Host) sessionFor(ctx context.Context, c caller, r record) (*session, error) {
	s := h.find(r.ID, false)
	if s == nil {
		owner, err := h.chain(ctx, r.Namespace, r.WorkflowID, r.Run)
		switch {
		case errors.Is(err, errNoServer):
			return nil, notRunning()
		case err != nil:
			return nil, retried(backend.StartFailed, "the server does not answer who the caller is, no sandbox was made", "none, the attempt is made again")
		case owner.first == "":
			return nil, h.refuse(ctx, c, r.ID, "the workflow does not exist")
		}
		r.FirstRun = owner.first
		s = h.newSession(r)
		s.fresh = true
	}
	return s, nil
}

func (s *session) digest() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec.Digest
}

// make makes the sandbox, or removes what there is of it.
func (h *Host) make(ctx context.Context, s *session) error {
	if err := s.setup.lock(ctx); err != nil {
		return err
	}
	defer s.setup.unlock()
	_, err := s.opened(ctx, h.backend.Create)
	if err == nil || errors.Is(err, errSuperseded) {
		return err
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.options.StopTimeout)
	defer cancel()
	_ = s.end(end, "it could not be made") // tried again if it fails
	return err
}

// resume takes a session over: from an earlier host on the same directory, or once more. A sandbox that is gone is
// replaced by an empty one that is not started.
func (h *Host) resume(ctx context.Context, a operation.StateArgs) (*operation.SessionResult, error) {
	s, err := h.admit(ctx, operation.Resume, a.State)
	if err != nil {
		return nil, err
	}
	if s, err = h.add(s); err != nil {
		return nil, err
	}
	defer h.making.Done()
	done, err := s.use()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := s.setup.lock(ctx); err != nil {
		return nil, err
	}
	defer s.setup.unlock()
	if err := s.claim(); err != nil {
		if errors.Is(err, errSuperseded) {
			s.lose(ctx)
		}
		return nil, err
	}
	_, err = s.opened(ctx, func(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
		box, err := h.backend.Open(ctx, spec)
		if errors.Is(err, backend.ErrNotFound) {
			_ = s.started(false) // it is written with the session
			box, err = h.backend.Create(ctx, spec)
		}
		return box, err
	})
	if err != nil {
		return nil, err
	}
	h.wake()
	return h.result(s)
}

// asked checks the arguments of create.
func (h *Host) asked(a operation.CreateArgs) (r record, err error) {
	if spec := a.SnapshotSpec; spec != nil {
		// The directory of a local one is the caller's idea of this host, and the default of a foreign runner.
		if !spec.IsSpec() && spec.Type != sandbox.SnapshotNoop {
			return record{}, &backend.Error{Code: backend.SnapshotNotRestorable, Message: "this host cannot restore a snapshot, nothing was done: create the sandbox without one"}
		}
		if spec.Type == sandbox.SnapshotRemote {
			return record{}, &backend.Error{Code: backend.ConfigInvalid, Message: "this host stores no remote snapshots, nothing was done: create the sandbox without one"}
		}
	}
	if a.Manifest != nil {
		if r.Manifest, err = strictly(*a.Manifest); err != nil {
			return record{}, err
		}
	}
	if root := r.Manifest.Root; root != "" && root != sandbox.DefaultRoot {
		return record{}, invalid("manifest.root must be " + sandbox.DefaultRoot + " or be left out")
	}
	for _, g := range r.Manifest.ExtraPathGrants {
		if g.HostPath != nil {
			return record{}, invalid("manifest.extra_path_grants must not have a host_path")
		}
	}
	for _, v := range r.Manifest.Environment.Values {
		if v.IsSecret() && v.Secret.Ref().IsZero() {
			return record{}, invalid("manifest.environment must hold references where it holds secrets")
		}
	}
	if r.Digest, err = r.Manifest.Digest(); err != nil {
		return record{}, invalid("the manifest is not valid")
	}
	if a.ClientOptions != nil {
		options, err := strictly(*a.ClientOptions)
		if err != nil {
			return record{}, err
		}
		if options.Type != h.kind {
			return record{}, invalid("client_options.type must be " + h.kind + " for this provider")
		}
		r.Options = &options
	}
	return r, nil
}

// strictly reads v once more, exactly as the format has it.
func strictly[T sandbox.Manifest | sandbox.ClientOptions](v T) (T, error) {
	data, err := json.Marshal(v)
	if err == nil {
		v, err = sandbox.Decode[T](data, sandbox.Strict)
	}
	var faults *sandbox.Error
	switch {
	case errors.As(err, &faults):
		return v, invalid(faults.Error())
	case err != nil:
		return v, invalid("the manifest or the options have no JSON form")
	}
	return v, nil
}
