package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// within returns a path relative to the workspace.
func within(name string) (string, error) {
	at := name
	if !path.IsAbs(at) {
		at = path.Join(sandbox.DefaultRoot, at)
	}
	at = path.Clean(at)
	if at == sandbox.DefaultRoot {
		return ".", nil
	}
	at, ok := strings.CutPrefix(at, sandbox.DefaultRoot+"/")
	if !ok {
		return "", &backend.Error{Code: backend.InvalidManifestPath, Message: "the path must stay within the workspace"}
	}
	return at, nil
}

// Read returns the contents of a file.
func (b *fakeBox) Read(_ context.Context, name string) (data []byte, err error) {
	at, err := within(name)
	if err != nil {
		return nil, err
	}
	err = b.with(func(c *contents) error {
		b.world.did("read", b.id, at)
		f, ok := c.files[at]
		if !ok {
			return backend.FileNotFound(name)
		}
		data = bytes.Clone(f.data)
		return nil
	})
	return data, err
}

// Write replaces the contents of a file.
func (b *fakeBox) Write(_ context.Context, name string, data []byte) error {
	at, err := within(name)
	if err != nil {
		return err
	}
	if at == "." {
		return &backend.Error{Code: backend.ArchiveWrite, Message: "the path is a directory"}
	}
	return b.with(func(c *contents) error {
		b.world.did("write", b.id, at)
		c.files[at] = file{data: bytes.Clone(data)}
		return nil
	})
}

// Persist writes the files that are not ephemeral.
func (b *fakeBox) Persist(_ context.Context, w io.Writer) error {
	var files map[string]file
	err := b.with(func(c *contents) error {
		b.world.did("persist", b.id)
		files = maps.Clone(c.files)
		return nil
	})
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		if f.ephemeral {
			continue
		}
		if err := archive.WriteHeader(&tar.Header{Name: "./" + name, Mode: 0o600, Size: int64(len(f.data)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

// Hydrate puts the files of an archive into the workspace.
func (b *fakeBox) Hydrate(_ context.Context, r io.Reader) error {
	unsafe := &backend.Error{Code: backend.ArchiveWrite, Message: "the archive is broken or not safe, nothing was written"}
	files := map[string]file{}
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || path.IsAbs(header.Name) {
			return unsafe
		}
		at, err := within(header.Name)
		if err != nil || slices.Contains(strings.Split(header.Name, "/"), "..") {
			return unsafe
		}
		switch header.Typeflag {
		case tar.TypeDir:
			continue
		case tar.TypeReg:
		default:
			return unsafe
		}
		const most = 64 << 20
		data, err := io.ReadAll(io.LimitReader(archive, most))
		if err != nil || at == "." {
			return unsafe
		}
		files[at] = file{data: data}
	}
	return b.with(func(c *contents) error {
		b.world.did("hydrate", b.id)
		maps.Copy(c.files, files)
		c.applied = true
		return nil
	})
}
