package sandboxtest

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Persist writes what is not ephemeral.
func (b *fakeBox) Persist(_ context.Context, w io.Writer) error {
	t := tree{}
	err := b.with(func(c *contents) error {
		b.world.did("persist", b.id)
		for name, n := range c.tree {
			if !c.passes(name) && name != backend.SpoolDir && !strings.HasPrefix(name, backend.SpoolDir+"/") {
				t[name] = n
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	out := tar.NewWriter(w)
	if err := out.WriteHeader(&tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755}); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		n := t[name]
		h := &tar.Header{Name: "./" + name, Typeflag: n.kind, Mode: 0o644, Size: int64(len(n.data)), Linkname: n.target}
		if n.kind == tar.TypeDir {
			h.Name, h.Mode = h.Name+"/", 0o755
		}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := out.Write(n.data); err != nil {
			return err
		}
	}
	return out.Close()
}

var errUnsafe = &backend.Error{Code: backend.ArchiveWrite, Message: "the archive is broken or not safe, nothing was written"}

// Hydrate puts what is in an archive into the workspace. Packed archives are not read.
func (b *fakeBox) Hydrate(_ context.Context, r io.Reader) error {
	members, err := readArchive(r)
	if err != nil {
		return err
	}
	return b.with(func(c *contents) error {
		if !c.tree.takes(members) {
			return errUnsafe
		}
		b.world.did("hydrate", b.id)
		for name, n := range members {
			c.tree.put(name, n)
		}
		c.applied = true
		return nil
	})
}

// readArchive reads an archive that can be extracted anywhere without leading out of there.
func readArchive(r io.Reader) (tree, error) {
	in := bufio.NewReader(r)
	if _, err := in.Peek(1); err != nil {
		return nil, errUnsafe
	}
	members := tree{}
	for archive := tar.NewReader(in); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || !isSafe(h) {
			return nil, errUnsafe
		}
		data, err := io.ReadAll(archive)
		name := path.Clean(h.Name)
		was, again := members[name]
		switch dir := h.Typeflag == tar.TypeDir; {
		case err != nil, again && !(dir && was.kind == tar.TypeDir), name == "." && !dir:
			return nil, errUnsafe
		case name != ".":
			members[name] = node{kind: h.Typeflag, data: data, target: h.Linkname}
		}
	}
	for name := range members {
		for _, dir := range parents(name) {
			if n, ok := members[dir]; ok && n.kind != tar.TypeDir {
				return nil, errUnsafe
			}
		}
	}
	return members, nil
}

// isSafe looks at a member by itself.
func isSafe(h *tar.Header) bool {
	const longest = 255 // name in a directory of most file systems
	if path.IsAbs(h.Name) || isWindowsAbsolute(h.Name) || hasUp(h.Name) || strings.ContainsAny(h.Name, "\\\x00") ||
		slices.ContainsFunc(strings.Split(h.Name, "/"), func(segment string) bool { return len(segment) > longest }) {
		return false
	}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
		return true
	case tar.TypeSymlink:
		return staysInside(path.Dir(path.Clean(h.Name)), h.Linkname)
	}
	return false
}

// staysInside reports whether the target of a link in a directory is inside the archive, as far as the text tells.
func staysInside(dir, target string) bool {
	end := path.Join(dir, target)
	return target != "" && !path.IsAbs(target) && !isWindowsAbsolute(target) && !strings.ContainsAny(target, "\\\x00") &&
		end != ".." && !strings.HasPrefix(end, "../")
}

// takes reports whether t has a place for the members of an archive as it is: nothing is lost for a file, and what
// stands in the way of a directory only if the archive has that directory.
func (t tree) takes(members tree) bool {
	for name, n := range members {
		if n.kind != tar.TypeDir && t[name].kind == tar.TypeDir {
			return false
		}
		for _, dir := range parents(name) {
			was, there := t[dir]
			if _, own := members[dir]; there && was.kind != tar.TypeDir && !own {
				return false
			}
		}
	}
	return true
}
