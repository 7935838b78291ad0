package sandboxhost

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

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
		release, err := s.ready(ctx, box, &cmd)
		if err != nil {
			return err
		}
		defer release()
		b := bind.From(ctx)
		stdout, stderr := newOutput(b, h.options.MaxOutput), newOutput(b, h.options.MaxOutput)
		stdout.spool, stderr.spool = newSpool(ctx, box, "stdout", h.options.MaxSpool), newSpool(ctx, box, "stderr", h.options.MaxSpool)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		result, err := s.once(ctx, func() (backend.Result, error) {
			result, err := box.Exec(ctx, cmd)
			s.tell(result, err)
			return result, err
		})
		if slices.ContainsFunc(result.Reached, func(l backend.Limit) bool { return l.Name == "output" }) {
			stdout.spool.cut()
			stderr.spool.cut()
		}
		// Also where the result is not asked for: what is spooled is closed.
		var outErr, errErr error
		out.Stdout, outErr = stdout.bytes()
		out.Stderr, errErr = stderr.bytes()
		if err := cmp.Or(err, outErr, errErr); err != nil {
			return err
		}
		out.ExitCode, out.StdoutBytes, out.StderrBytes = result.ExitCode, stdout.written(), stderr.written()
		for _, l := range result.Reached {
			out.Limits = append(out.Limits, operation.Limit(l))
		}
		return nil
	})
}

// ready waits for the turn of a command that no attempt has begun, and gives it its environment. It has its turn until
// release is called.
func (s *session) ready(ctx context.Context, box backend.Sandbox, cmd *backend.Command) (release func(), err error) {
	if begun, err := s.h.store.begun(s.id, callerOf(ctx).name()); err != nil || begun {
		return nil, errors.Join(early(err), ranBefore(begun))
	}
	release, err = s.h.slots.command(ctx)
	if err != nil {
		return nil, early(err)
	}
	var given []grant
	if cmd.Env, given, err = s.environment(ctx); err == nil {
		err = s.hide(ctx)
	}
	if err == nil {
		err = s.note(given) // on disk before any command gets it
	}
	if err == nil {
		err = s.startAgain(ctx, box)
	}
	if err != nil {
		release()
		return nil, early(err)
	}
	return release, nil
}

func ranBefore(begun bool) error {
	if !begun {
		return nil
	}
	return mayHaveRun("an earlier attempt of this activity was about to start it")
}

// once runs a command that no attempt has begun.
func (s *session) once(ctx context.Context, run func() (backend.Result, error)) (backend.Result, error) {
	var none backend.Result
	name := callerOf(ctx).name()
	first, err := s.h.store.begin(s.id, name)
	if err != nil || !first {
		return none, errors.Join(early(err), ranBefore(!first && err == nil))
	}
	// From here on a command that did not start must say so. Whoever has taken the session over since then has read
	// what was noted, or is noticed now.
	if err := s.mine(ctx); err != nil {
		return none, early(errors.Join(err, s.h.store.undo(s.id, name)))
	}
	result, err := run()
	s.mu.Lock()
	over := s.life != alive
	s.mu.Unlock()
	var own *backend.Error
	switch {
	case err == nil:
		return result, nil
	case backend.CodeOf(err) == backend.ExecTransport:
		return none, early(errors.Join(err, s.h.store.undo(s.id, name)))
	case over:
		return none, mayHaveRun("the session ended while it ran")
	case ctx.Err() != nil:
		return none, ctx.Err()
	case backend.CodeOf(err) == backend.ExecTimeout:
		return none, backend.TimedOut() // whatever the backend says
	case errors.As(err, &own) && !own.Retryable:
		return none, err
	}
	s.h.options.Logger.Warn("command failed", logged(s.id, err)...)
	return none, mayHaveRun("the sandbox failed")
}

// tell logs how a command ended, and as more than a detail that it did not end by itself.
func (s *session) tell(r backend.Result, err error) {
	level := zap.DebugLevel
	if err != nil || len(r.Reached) > 0 {
		level = zap.InfoLevel
	}
	fields := []zap.Field{zap.String("session", s.id), zap.String("emptied", r.Emptied)}
	if err != nil {
		fields = append(fields, zap.String("error", said(err)))
	}
	for _, l := range r.Reached {
		fields = append(fields, zap.String("limit "+l.Name, l.Value+" by "+l.Mechanism))
	}
	s.h.options.Logger.Log(level, "command ended", fields...)
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
		g := s.h.prover.grant(s.id, bound.Given, value)
		if err := s.keepHidden(b, g, value); err != nil {
			return nil, nil, err
		}
		env, given = append(env, variable+"="+value), append(given, g)
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
