package local

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Backend keeps sandboxes below one directory. It must be closed.
type Backend struct {
	options  Options
	dir      string // without symbolic links, so that it can be compared
	launcher launcher
	unlock   func() error
	// life ends when the backend is closed.
	life context.Context
	end  context.CancelFunc

	mu     sync.Mutex
	closed bool
	boxes  map[string]*box
	turn   int // of the accounts, the one that is given next
}

var (
	_ backend.Backend   = (*Backend)(nil)
	_ backend.Describer = (*Backend)(nil)
)

// New returns a backend over the sandboxes that are in Options.Dir. What a former process left running in them is
// ended first. The error lists everything that is wrong with the options.
func New(o Options) (*Backend, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	launch, err := newLauncher(context.Background(), o)
	if err != nil {
		return nil, err
	}
	dir, unlock, err := claim(o.Dir, o.dirMode())
	if err != nil {
		return nil, errors.Join(err, launch.close())
	}
	if o.Launcher.Isolated() {
		if err := o.checkApart(dir); err != nil {
			return nil, errors.Join(err, launch.close(), unlock())
		}
	}
	if p, ok := launch.(placed); ok {
		if err := p.place(dir); err != nil {
			return nil, errors.Join(err, launch.close(), unlock())
		}
	}
	b := &Backend{options: o, dir: dir, launcher: launch, unlock: unlock, boxes: map[string]*box{}}
	b.turn = rand.IntN(accounts) //nolint:gosec // so that two backends of a host, or a new worker, hardly give the same
	b.life, b.end = context.WithCancel(context.Background())
	if err := errors.Join(b.endLeftovers(), b.removeRemains()); err != nil {
		return nil, errors.Join(err, launch.close(), unlock())
	}
	return b, nil
}

// Kind returns the kind of local sandboxes.
func (b *Backend) Kind() string { return sandbox.ClientUnixLocal }

// Isolation names the launcher.
func (b *Backend) Isolation() string { return b.options.Launcher.String() }

// Describe returns what [Probe] lists, each in a line.
func (b *Backend) Describe() []string {
	var lines []string
	for _, c := range b.launcher.capabilities() {
		lines = append(lines, c.String())
	}
	return lines
}

// Create makes a sandbox, or returns the one that is there. Users, groups, mounts, ports and client
// options of other kinds are refused: nothing here could keep what they promise.
func (b *Backend) Create(_ context.Context, spec backend.Spec) (backend.Sandbox, error) {
	if err := checkID(spec.ID); err != nil {
		return nil, err
	}
	if err := b.check(spec); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch s, err := b.open(spec); {
	case err == nil && s.isGone():
		return nil, failed(backend.StartFailed, "a sandbox of that id is not fully removed yet: delete it again first")
	case err == nil:
		return s, nil
	case !errors.Is(err, backend.ErrNotFound):
		return nil, err
	}
	if err := b.makeDir(spec.ID); err != nil {
		return nil, failed(backend.StartFailed, "the directory of the sandbox could not be made: look at the space and rights of the backend's directory")
	}
	s, err := b.open(spec)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Open returns the sandbox with that id. Its manifest is not looked at before Start. One that is not fully removed yet
// can only be deleted.
func (b *Backend) Open(_ context.Context, spec backend.Spec) (backend.Sandbox, error) {
	if err := checkID(spec.ID); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.open(spec)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open is called with the lock held.
func (b *Backend) open(spec backend.Spec) (*box, error) {
	if b.closed {
		return nil, errClosed
	}
	if s, ok := b.boxes[spec.ID]; ok {
		return s, nil
	}
	a, err := b.accountOf(spec.ID)
	if err != nil && backend.CodeOf(err) != backend.RootNotFound {
		return nil, err
	}
	s := newBox(b, spec, a)
	info, err := os.Lstat(filepath.Join(b.dir, spec.ID))
	if errors.Is(err, os.ErrNotExist) {
		s.gone = errRoot
		info, err = os.Lstat(filepath.Join(b.dir, gonePrefix+spec.ID))
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, backend.ErrNotFound
	case err != nil || !info.IsDir():
		return nil, failed(backend.StartFailed, "the directory of the sandbox cannot be read")
	}
	b.boxes[spec.ID] = s
	return s, nil
}

// List returns the ids of all sandboxes, sorted, with those that are not fully removed yet.
func (b *Backend) List(context.Context) ([]string, error) {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil, errors.New("local: the backend's directory cannot be read")
	}
	var ids []string
	for _, e := range entries {
		if id := strings.TrimPrefix(e.Name(), gonePrefix); e.IsDir() && isID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Delete ends and removes a sandbox. It needs no manifest, and succeeds if there is no such sandbox.
func (b *Backend) Delete(ctx context.Context, id string) error {
	s, err := b.Open(ctx, backend.Spec{ID: id})
	switch {
	case errors.Is(err, backend.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return s.Delete(ctx)
}

// Close ends all processes of all sandboxes and gives the directory free. Workspaces stay. Closing again does
// nothing.
func (b *Backend) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	b.end()
	boxes := maps.Clone(b.boxes)
	b.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range boxes {
		wg.Go(s.close) // leftovers of all sandboxes are looked for below
	}
	wg.Wait()
	return errors.Join(b.endLeftovers(), b.launcher.close(), b.unlock())
}

var errClosed = errors.New("local: the backend is closed")

// checkID refuses what could be something else than a name of a directory of ours.
func checkID(id string) error {
	if !isID(id) {
		return refuse(backend.ConfigInvalid, "the id of a sandbox must be a lower-case UUID")
	}
	return nil
}

// isID reports whether s is a lower-case UUID with hyphens.
func isID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' || strings.ToLower(s) != s {
		return false
	}
	_, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	return err == nil && strings.Count(s, "-") == 4
}
