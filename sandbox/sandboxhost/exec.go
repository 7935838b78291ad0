package sandboxhost

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// exec runs a command, once for all attempts of an activity.
func (h *Host) exec(ctx context.Context, a operation.ExecArgs) (*operation.ExecResult, error) {
	cmd, err := h.command(a)
	if err != nil {
		return nil, early(err)
	}
	out := new(operation.ExecResult)
	return out, h.with(ctx, operation.Exec, a.State, func(s *session, box backend.Sandbox) error {
		name := callerOf(ctx).name()
		if begun, err := h.store.begun(s.id, name); err != nil || begun {
			return errors.Join(early(err), ranBefore(begun))
		}
		release, err := h.slots.command(ctx)
		if err != nil {
			return early(err)
		}
		defer release()
		var given []grant
		if cmd.Env, given, err = s.environment(ctx); err != nil {
			return early(err)
		}
		if err := s.hide(ctx); err != nil {
			return early(err)
		}
		if err := s.note(given); err != nil { // on disk before any command gets it
			return early(err)
		}
		if err := s.startAgain(ctx, box); err != nil {
			return early(err)
		}
		b := bind.From(ctx)
		stdout, stderr := newOutput(b, h.options.MaxOutput), newOutput(b, h.options.MaxOutput)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		if out.ExitCode, err = s.once(ctx, box, name, cmd); err != nil {
			return err
		}
		if out.Stdout, err = stdout.bytes(); err != nil {
			return err
		}
		out.Stderr, err = stderr.bytes()
		return err
	})
}

func ranBefore(begun bool) error {
	if !begun {
		return nil
	}
	return mayHaveRun("an earlier attempt of this activity was about to start it")
}

// once runs a command that no attempt has begun.
func (s *session) once(ctx context.Context, box backend.Sandbox, name string, cmd backend.Command) (int, error) {
	first, err := s.h.store.begin(s.id, name)
	if err != nil || !first {
		return 0, errors.Join(early(err), ranBefore(!first && err == nil))
	}
	// From here on a command that did not start must say so. Whoever has taken the session over since then has read
	// what was noted, or is noticed now.
	if err := s.mine(ctx); err != nil {
		return 0, early(errors.Join(err, s.h.store.undo(s.id, name)))
	}
	result, err := box.Exec(ctx, cmd)
	s.mu.Lock()
	over := s.life != alive
	s.mu.Unlock()
	var own *backend.Error
	switch {
	case err == nil:
		return result.ExitCode, nil
	case backend.CodeOf(err) == backend.ExecTransport:
		return 0, early(errors.Join(err, s.h.store.undo(s.id, name)))
	case over:
		return 0, mayHaveRun("the session ended while it ran")
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case backend.CodeOf(err) == backend.ExecTimeout:
		return 0, backend.TimedOut() // whatever the backend says
	case errors.As(err, &own) && !own.Retryable:
		return 0, err
	}
	s.h.options.Logger.Warn("command failed", logged(s.id, err)...)
	return 0, mayHaveRun("the sandbox failed")
}

// environment resolves the variables of the session, which hides the secrets among them.
func (s *session) environment(ctx context.Context) (env []string, given []grant, err error) {
	s.mu.Lock()
	values := s.rec.Manifest.Environment.Values // never changed
	s.mu.Unlock()
	b := bind.From(ctx)
	for _, variable := range slices.Sorted(maps.Keys(values)) {
		v := values[variable]
		if !v.IsSecret() {
			env = append(env, variable+"="+v.Literal)
			continue
		}
		if b == nil {
			return nil, nil, noGuard()
		}
		bound, err := b.Env(ctx, s.id, variable, v.Secret.Ref())
		if err != nil {
			return nil, nil, &guardError{err}
		}
		value, err := bound.Value.Reveal()
		if err != nil {
			return nil, nil, &guardError{err}
		}
		env = append(env, variable+"="+value)
		given = append(given, s.h.prover.grant(s.id, bound.Given, value))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range given {
		s.hidden[g] = time.Now()
	}
	return env, given, nil
}

// note keeps what tells which values the session is given.
func (s *session) note(given []grant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := len(s.rec.Given)
	for _, g := range given {
		if !slices.Contains(s.rec.Given, g) {
			s.rec.Given = append(s.rec.Given, g)
		}
	}
	if len(s.rec.Given) > known {
		if err := s.save(); err != nil {
			s.rec.Given = s.rec.Given[:known]
			return err
		}
	}
	return nil
}
