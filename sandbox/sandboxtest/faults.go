package sandboxtest

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Point is a moment in an operation of a backend: its name alone is before anything was done, with "+" after it is
// when all was done and the caller does not know yet.
type Point string

// The points where something can be made to happen.
const (
	Create  Point = "create"
	Open    Point = "open"
	List    Point = "list"
	Remove  Point = "remove" // Delete of the backend
	Start   Point = "start"
	Running Point = "running"
	Exec    Point = "exec"
	Read    Point = "read"
	Write   Point = "write"
	Persist Point = "persist"
	Hydrate Point = "hydrate"
	Stop    Point = "stop"
	Delete  Point = "delete" // of a sandbox

	OpenTerminal Point = "open terminal"
)

// After is the point when all was done.
func (p Point) After() Point { return p + "+" }

// Faults is a [backend.Backend] in which things go wrong. Make it with [NewFaults].
type Faults struct {
	backend.Backend

	mu    sync.Mutex
	fails map[Point][]error
	gates map[Point]*Gate
}

// NewFaults returns b, in which nothing goes wrong yet.
func NewFaults(b backend.Backend) *Faults {
	return &Faults{Backend: b, fails: map[Point][]error{}, gates: map[Point]*Gate{}}
}

// Fail makes the next operation at p fail, and one more for each further error. A nil error lets one pass.
func (f *Faults) Fail(p Point, errs ...error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails[p] = append(f.fails[p], errs...)
}

// Hold makes all operations at p wait from now on, until the gate is opened or their context ends.
func (f *Faults) Hold(p Point) *Gate {
	g := &Gate{reached: make(chan struct{}), opened: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gates[p] = g
	return g
}

// Gate is where operations wait.
type Gate struct {
	reach, open     sync.Once
	reached, opened chan struct{}
}

// Reached is closed when an operation waits, or has waited.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets operations pass. Opening again does nothing.
func (g *Gate) Open() { g.open.Do(func() { close(g.opened) }) }

// at is called at each point.
func (f *Faults) at(ctx context.Context, p Point) error {
	f.mu.Lock()
	gate := f.gates[p]
	var err error
	if errs := f.fails[p]; len(errs) > 0 {
		err, f.fails[p] = errs[0], errs[1:]
	}
	f.mu.Unlock()
	if gate != nil {
		gate.reach.Do(func() { close(gate.reached) })
		select {
		case <-gate.opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// around does something between its two points.
func around[T any](ctx context.Context, f *Faults, p Point, do func() (T, error)) (T, error) {
	var none T
	if err := f.at(ctx, p); err != nil {
		return none, err
	}
	out, err := do()
	if err == nil {
		err = f.at(ctx, p.After())
	}
	if err != nil {
		return none, err
	}
	return out, nil
}

func only(do func() error) func() (struct{}, error) {
	return func() (struct{}, error) { return struct{}{}, do() }
}

// Create makes a sandbox, unless something goes wrong.
func (f *Faults) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return around(ctx, f, Create, func() (backend.Sandbox, error) { return f.wrap(f.Backend.Create(ctx, spec)) })
}

// Open returns a sandbox, unless something goes wrong.
func (f *Faults) Open(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return around(ctx, f, Open, func() (backend.Sandbox, error) { return f.wrap(f.Backend.Open(ctx, spec)) })
}

func (f *Faults) wrap(s backend.Sandbox, err error) (backend.Sandbox, error) {
	if err != nil {
		return nil, err
	}
	if with, ok := s.(backend.Terminals); ok {
		return &faultyTerminals{faulty{s, f}, with}, nil
	}
	return &faulty{s, f}, nil
}

// List returns the ids, unless something goes wrong.
func (f *Faults) List(ctx context.Context) ([]string, error) {
	return around(ctx, f, List, func() ([]string, error) { return f.Backend.List(ctx) })
}

// Delete removes a sandbox, unless something goes wrong.
func (f *Faults) Delete(ctx context.Context, id string) error {
	_, err := around(ctx, f, Remove, only(func() error { return f.Backend.Delete(ctx, id) }))
	return err
}

// faulty is a sandbox of a backend in which things go wrong.
type faulty struct {
	s backend.Sandbox
	f *Faults
}

func (s *faulty) Start(ctx context.Context) error {
	_, err := around(ctx, s.f, Start, only(func() error { return s.s.Start(ctx) }))
	return err
}

func (s *faulty) Running(ctx context.Context) (bool, error) {
	return around(ctx, s.f, Running, func() (bool, error) { return s.s.Running(ctx) })
}

func (s *faulty) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	return around(ctx, s.f, Exec, func() (backend.Result, error) { return s.s.Exec(ctx, cmd) })
}

func (s *faulty) Read(ctx context.Context, path string) ([]byte, error) {
	return around(ctx, s.f, Read, func() ([]byte, error) { return s.s.Read(ctx, path) })
}

func (s *faulty) Write(ctx context.Context, path string, data []byte) error {
	_, err := around(ctx, s.f, Write, only(func() error { return s.s.Write(ctx, path, data) }))
	return err
}

func (s *faulty) Persist(ctx context.Context, w io.Writer) error {
	_, err := around(ctx, s.f, Persist, only(func() error { return s.s.Persist(ctx, w) }))
	return err
}

func (s *faulty) Hydrate(ctx context.Context, r io.Reader) error {
	_, err := around(ctx, s.f, Hydrate, only(func() error { return s.s.Hydrate(ctx, r) }))
	return err
}

func (s *faulty) Stop(ctx context.Context) error {
	_, err := around(ctx, s.f, Stop, only(func() error { return s.s.Stop(ctx) }))
	return err
}

func (s *faulty) Delete(ctx context.Context) error {
	_, err := around(ctx, s.f, Delete, only(func() error { return s.s.Delete(ctx) }))
	return err
}

// Spool fails where the sandbox does not have it.
func (s *faulty) Spool(ctx context.Context, path string) (io.WriteCloser, error) {
	inner, ok := s.s.(backend.Spooler)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return inner.Spool(ctx, path)
}

// faultyTerminals is one that has terminals.
type faultyTerminals struct {
	faulty
	with backend.Terminals
}

func (s *faultyTerminals) OpenTerminal(ctx context.Context, cmd backend.Command, tty bool) (backend.Terminal, error) {
	return around(ctx, s.f, OpenTerminal, func() (backend.Terminal, error) { return s.with.OpenTerminal(ctx, cmd, tty) })
}
