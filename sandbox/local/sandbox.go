package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// box is a sandbox: a directory, and the processes that run in it.
type box struct {
	backend  *Backend
	id       string
	manifest sandbox.Manifest
	root     string // of the workspace, in the sandbox's words
	account  account
	// filling is held by those who fill the workspace, and by Persist.
	filling chan struct{}
	disk    *ledger // nil without a limit

	mu       sync.Mutex
	running  bool
	gone     error // why nothing can be done any more
	life     *life // nil while what runs is being ended
	ending   *task // nil while nothing is
	deleting *task
}

var _ backend.Sandbox = (*box)(nil)

// life is the time between two ends of all that runs.
type life struct {
	ctx  context.Context
	end  context.CancelFunc
	jobs sync.WaitGroup // what has processes; Add only while the life is the sandbox's
}

// ErrStopped is returned by what Stop, Delete or Close ended.
var ErrStopped = errors.New("local: the sandbox was stopped before the operation was done")

func newBox(b *Backend, spec backend.Spec, a account) *box {
	s := &box{
		backend: b, id: spec.ID, manifest: spec.Manifest, root: rootOf(spec.Manifest), account: a,
		filling: make(chan struct{}, 1), life: newLife(),
	}
	s.disk = s.newDisk()
	return s
}

func newLife() *life {
	ctx, end := context.WithCancel(context.Background())
	return &life{ctx: ctx, end: end}
}

// dir is a path of the host in the sandbox's directory.
func (s *box) dir(name string) string { return filepath.Join(s.backend.dir, s.id, name) }

// begin begins an operation: its context ends with the sandbox's life, too, with [ErrStopped] as its cause.
func (s *box) begin(ctx context.Context) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		return nil, nil, s.gone
	}
	if s.life == nil {
		return nil, nil, ErrStopped
	}
	ctx, done := s.life.during(ctx)
	return ctx, done, nil
}

// beginJob begins an operation with processes, which those who end them wait for.
func (s *box) beginJob(ctx context.Context, command bool) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone != nil:
		return nil, nil, s.gone
	case s.life == nil && !command:
		return nil, nil, ErrStopped
	case command && !s.running:
		return nil, nil, refuse(backend.ExecTransport, "the sandbox is not started: start it before a command")
	}
	l := s.life
	l.jobs.Add(1)
	ctx, done := l.during(ctx)
	return ctx, func() { done(); l.jobs.Done() }, nil
}

func (l *life) during(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(ErrStopped) })
	return ctx, func() { stop(); cancel(nil) }
}

// fill waits for the turn to change the workspace as a whole.
func (s *box) fill(ctx context.Context) (func(), error) {
	select {
	case s.filling <- struct{}{}:
		return func() { <-s.filling }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// workspace opens the directory of the workspace.
func (s *box) workspace() (*workspace, error) {
	dir, err := os.OpenRoot(s.dir(""))
	if err != nil {
		return nil, notOpened(err)
	}
	defer dir.Close()
	// Through a root, so that a link in the workspace's place leads nowhere.
	root, err := dir.OpenRoot(workspaceName)
	if err != nil {
		return nil, notOpened(err)
	}
	return &workspace{Root: root, account: s.account}, nil
}

// notOpened is why the directory of a workspace was not opened.
func notOpened(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return errNoDescriptors
	}
	return errRoot
}

// Running reports whether commands can run.
func (s *box) Running(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running, nil
}

// Start applies the manifest and lets commands run.
func (s *box) Start(ctx context.Context) error {
	if err := s.backend.check(backend.Spec{ID: s.id, Manifest: s.manifest}); err != nil {
		return err
	}
	grants, err := s.backend.options.grants(s.manifest)
	if err == nil {
		err = checkGranted(grants, backend.ConfigInvalid) // rather than with every command
	}
	if err != nil {
		return err
	}
	ctx, done, err := s.beginJob(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	full, err := s.fill(ctx)
	if err != nil {
		return err
	}
	defer full()
	if err := s.applyWithin(ctx); err != nil {
		return err
	}
	if err := s.setFilled(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil { // who ends this start waits for it, so no other life has begun
		return ErrStopped
	}
	s.running = true
	return nil
}

// filled reports whether the workspace was filled before, by a manifest or an archive.
func (s *box) filled() bool {
	_, err := os.Lstat(s.dir(filledName))
	return err == nil
}

func (s *box) setFilled() error {
	if err := os.WriteFile(s.dir(filledName), nil, 0o600); err != nil {
		return failed(backend.StartFailed, "the sandbox could not be marked as filled")
	}
	return nil
}
