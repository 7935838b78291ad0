package local

import (
	"bytes"
	"context"
	"io/fs"
	"path"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// applyWithin applies the manifest within the limit of disk. What a workspace that was filled before has does not count.
func (s *box) applyWithin(ctx context.Context) error {
	watched, stop := s.watchDisk(ctx, s.filled())
	err := s.apply(watched)
	if over := stop(); over && ctx.Err() == nil { // whatever failed for that
		return overDisk(backend.StartFailed, s.disk.limit, "the sandbox was not started")
	}
	return err
}

// apply puts the entries of the manifest into the workspace: all of them into a fresh one, and only the ephemeral
// ones into one that was filled before.
func (s *box) apply(ctx context.Context) error {
	root, err := s.workspace()
	if err != nil {
		return err
	}
	defer root.Close()
	steps, err := plan(s.manifest.Entries)
	if err != nil {
		return err
	}
	if s.filled() {
		steps = ephemeral(steps)
	}
	// Everything that is copied is looked at before anything is written.
	if err := s.checkSources(ctx, steps); err != nil {
		return err
	}
	for _, st := range steps {
		if err := s.put(ctx, root, st); err != nil {
			return putError(ctx, root, st, err)
		}
	}
	// From the inside out, since a directory may be about to let nobody in.
	for i := len(steps) - 1; i >= 0; i-- {
		if err := root.Chmod(steps[i].path, modeOf(steps[i].entry)); err != nil {
			return putError(ctx, root, steps[i], err)
		}
	}
	return nil
}

func ephemeral(steps []step) []step {
	var out []step
	for _, st := range steps {
		if st.ephemeral {
			out = append(out, st)
		}
	}
	return out
}

// put writes one entry; its mode is set when all are written.
func (s *box) put(ctx context.Context, root *workspace, st step) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(st.path), 0o755); err != nil {
		return err
	}
	switch e := st.entry; e.Type {
	case sandbox.EntryFile:
		return replaceFile(root, st.path, bytes.NewReader([]byte(e.Content)), 0o600)
	case sandbox.EntryLocalFile:
		return s.putLocalFile(ctx, root, st)
	case sandbox.EntryDir:
		return makeDir(root, st.path, 0o700)
	case sandbox.EntryLocalDir:
		if err := makeDir(root, st.path, 0o700); err != nil || e.Src == "" {
			return err
		}
		return s.putLocalDir(ctx, root, st)
	case sandbox.EntryGitRepo:
		if err := makeDir(root, st.path, 0o700); err != nil {
			return err
		}
		return s.putRepo(ctx, root, st)
	}
	return refuse(backend.ConfigInvalid, "the entry "+show(st.path)+" has a type that local sandboxes do not have")
}

// makeDir makes a directory. One that is there is kept.
func makeDir(root *workspace, name string, mode fs.FileMode) error {
	if err := root.MkdirAll(name, mode); err != nil {
		return err
	}
	return root.Chmod(name, mode)
}

// putError is what the caller is told of an error at an entry.
func putError(ctx context.Context, root *workspace, st step, err error) error {
	if backend.CodeOf(err) != "" {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return orEscape(root.Root, err, failed(backend.StartFailed, "the entry "+show(st.path)+
		" could not be written: look whether something else is in its place, and at the space that is left"))
}
