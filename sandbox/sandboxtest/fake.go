package sandboxtest

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Fake is a [backend.Backend] in memory. Make it with [NewFake].
type Fake struct {
	world *world

	mu      sync.Mutex
	handles map[string]*fakeBox
}

// world is what several processes of a host share.
type world struct {
	mu       sync.Mutex
	boxes    map[string]*contents
	effects  []string
	programs map[string]Program
}

// contents are what a sandbox has besides processes.
type contents struct {
	root    string
	entries []placed
	tree    tree
	applied bool
	runs    int // commands that run, in all processes of the host
}

// NewFake returns a backend without sandboxes.
func NewFake() *Fake {
	return &Fake{world: &world{boxes: map[string]*contents{}}, handles: map[string]*fakeBox{}}
}

// Another returns the backend as another process of the host has it: with the same sandboxes, and without what f
// started in them.
func (f *Fake) Another() *Fake { return &Fake{world: f.world, handles: map[string]*fakeBox{}} }

// Kill ends all commands that f started, as the end of its process does. What it started is not counted as running
// any more.
func (f *Fake) Kill() {
	f.mu.Lock()
	handles := slices.Collect(maps.Values(f.handles))
	f.handles = map[string]*fakeBox{}
	f.mu.Unlock()
	for _, box := range handles {
		box.kill(false)
	}
}

// Effects returns what was done to sandboxes, in order: the operation, the sandbox, and what it was done with.
func (f *Fake) Effects() []string {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	return slices.Clone(f.world.effects)
}

// Left returns the ids of the sandboxes there are, sorted, and how many commands run in them.
func (f *Fake) Left() (sandboxes []string, commands int) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	for _, c := range f.world.boxes {
		commands += c.runs
	}
	return slices.Sorted(maps.Keys(f.world.boxes)), commands
}

func (w *world) did(what ...string) { w.effects = append(w.effects, strings.Join(what, " ")) }

// Kind returns that of local sandboxes.
func (f *Fake) Kind() string { return sandbox.ClientUnixLocal }

// Isolation says that there is nothing to isolate.
func (f *Fake) Isolation() string { return "in memory" }

// Create makes a sandbox.
func (f *Fake) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return f.get(ctx, spec, true)
}

// Open returns a sandbox.
func (f *Fake) Open(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	return f.get(ctx, spec, false)
}

func (f *Fake) get(ctx context.Context, spec backend.Spec, create bool) (backend.Sandbox, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if id, err := uuid.Parse(spec.ID); err != nil || id.String() != spec.ID {
		return nil, &backend.Error{Code: backend.ConfigInvalid, Message: "the id of a sandbox must be a lower-case UUID"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if f.world.boxes[spec.ID] == nil {
		if !create {
			return nil, backend.ErrNotFound
		}
		fresh, err := contentsOf(spec.Manifest)
		if err != nil {
			return nil, err
		}
		f.world.did("create", spec.ID)
		f.world.boxes[spec.ID] = fresh
	}
	if f.handles[spec.ID] == nil {
		f.handles[spec.ID] = &fakeBox{world: f.world, id: spec.ID, commands: map[*process]struct{}{}}
	}
	return f.handles[spec.ID], nil
}

// contentsOf are those of a sandbox that was not started.
func contentsOf(m sandbox.Manifest) (*contents, error) {
	root := sandbox.DefaultRoot
	if m.Root != "" {
		root = path.Clean(m.Root)
	}
	entries, err := placesOf(m.Entries)
	return &contents{root: root, entries: entries, tree: tree{}}, err
}

// List returns the ids of all sandboxes.
func (f *Fake) List(context.Context) ([]string, error) {
	ids, _ := f.Left()
	return ids, nil
}

// Delete removes a sandbox.
func (f *Fake) Delete(ctx context.Context, id string) error {
	f.mu.Lock()
	box := f.handles[id]
	delete(f.handles, id)
	f.mu.Unlock()
	if box == nil {
		box = &fakeBox{world: f.world, id: id, commands: map[*process]struct{}{}}
	}
	return box.Delete(ctx)
}

// fakeBox is a sandbox as one process of the host has it.
type fakeBox struct {
	world *world
	id    string

	mu       sync.Mutex
	started  bool
	commands map[*process]struct{}
}

// process is a command that runs.
type process struct {
	kill  context.CancelCauseFunc
	ended chan struct{}
}

var errKilled = errors.New("killed")

// with does something with the contents.
func (b *fakeBox) with(do func(*contents) error) error {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	c := b.world.boxes[b.id]
	if c == nil {
		return &backend.Error{Code: backend.RootNotFound, Message: "workspace root not found"}
	}
	return do(c)
}

// Start puts the files of the manifest into the workspace.
func (b *fakeBox) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := b.with(func(c *contents) error {
		b.world.did("start", b.id)
		c.apply()
		return nil
	})
	if err == nil {
		b.mu.Lock()
		b.started = true
		b.mu.Unlock()
	}
	return err
}

// Running reports whether it was started here and not stopped.
func (b *fakeBox) Running(context.Context) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.started, nil
}

// Stop ends the commands that this process started.
func (b *fakeBox) Stop(context.Context) error {
	b.world.mu.Lock()
	b.world.did("stop", b.id)
	b.world.mu.Unlock()
	b.kill(true)
	return nil
}

// Delete ends the commands and removes the sandbox.
func (b *fakeBox) Delete(context.Context) error {
	b.kill(true)
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	if b.world.boxes[b.id] != nil {
		b.world.did("delete", b.id)
	}
	delete(b.world.boxes, b.id)
	return nil
}

// kill ends the commands, and may wait until they have ended.
func (b *fakeBox) kill(wait bool) {
	b.mu.Lock()
	b.started = false
	commands := slices.Collect(maps.Keys(b.commands))
	b.mu.Unlock()
	for _, p := range commands {
		p.kill(errKilled)
	}
	for _, p := range commands {
		if wait {
			<-p.ended
		}
	}
}
