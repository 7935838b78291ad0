package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// at does something with the contents and the place that a path leads to.
func (b *fakeBox) at(name string, do func(c *contents, at string) error) error {
	return b.with(func(c *contents) error {
		at, err := below(c.root, name)
		if err == nil {
			at, err = c.tree.resolve(at)
		}
		if err != nil {
			return err
		}
		return do(c, at)
	})
}

// Read returns the contents of a file.
func (b *fakeBox) Read(_ context.Context, name string) (data []byte, err error) {
	err = b.at(name, func(c *contents, at string) error {
		b.world.did("read", b.id, at)
		n, ok := c.tree[at]
		switch {
		case c.tree.isDir(at):
			return &backend.Error{Code: backend.ArchiveRead, Message: "the path is a directory"}
		case !ok:
			return backend.FileNotFound(name)
		}
		data = bytes.Clone(n.data)
		return nil
	})
	return data, err
}

// Write replaces the contents of a file.
func (b *fakeBox) Write(_ context.Context, name string, data []byte) error {
	return b.at(name, func(c *contents, at string) error {
		if c.tree.isDir(at) {
			return &backend.Error{Code: backend.ArchiveWrite, Message: "the path is a directory"}
		}
		if slices.ContainsFunc(parents(at), func(dir string) bool { return c.tree[dir].kind == tar.TypeReg }) {
			return &backend.Error{Code: backend.ArchiveWrite, Message: "the path leads through a file"}
		}
		b.world.did("write", b.id, at)
		c.tree.put(at, fileOf(bytes.Clone(data)))
		return nil
	})
}

// Spool returns what writes a file when it is closed.
func (b *fakeBox) Spool(ctx context.Context, name string) (io.WriteCloser, error) {
	return &fakeSpool{ctx: ctx, box: b, name: name}, nil
}

type fakeSpool struct {
	bytes.Buffer
	ctx  context.Context //nolint:containedctx // it lives as long as the command
	box  *fakeBox
	name string
}

func (s *fakeSpool) Close() error { return s.box.Write(s.ctx, s.name, s.Bytes()) }
