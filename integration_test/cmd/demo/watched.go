package main

import (
	"context"
	"errors"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// A watched backend tells of each command that ended, while its sandbox is there.
type watched struct {
	backend.Backend
	ended func(cmd backend.Command, exit int) error
}

func (w watched) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return w.watch(w.Backend.Create(ctx, spec))
}

func (w watched) Open(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return w.watch(w.Backend.Open(ctx, spec))
}

func (w watched) watch(box backend.Sandbox, err error) (backend.Sandbox, error) {
	if err != nil {
		return nil, err
	}
	return watchedBox{Sandbox: box, ended: w.ended}, nil
}

type watchedBox struct {
	backend.Sandbox
	ended func(cmd backend.Command, exit int) error
}

func (b watchedBox) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	result, err := b.Sandbox.Exec(ctx, cmd)
	return result, errors.Join(err, b.ended(cmd, result.ExitCode))
}
