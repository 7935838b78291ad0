package sandboxtest

import (
	"archive/tar"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// A placed entry is one of a manifest, with its path in the workspace.
type placed struct {
	path      string
	node      node
	ephemeral bool // or in a directory that is
}

// placesOf lists the entries of a manifest, directories before what is in them.
func placesOf(entries map[string]sandbox.Entry) ([]placed, error) {
	all, err := place(nil, "", entries, false)
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.path, b.path) })
	return all, err
}

func place(all []placed, dir string, entries map[string]sandbox.Entry, ephemeral bool) ([]placed, error) {
	for name, e := range entries {
		name = strings.ReplaceAll(name, `\`, "/")
		if path.IsAbs(name) || isWindowsAbsolute(name) || hasUp(name) || strings.ContainsRune(name, 0) || path.Clean(name) == "." {
			return nil, &backend.Error{Code: backend.InvalidManifestPath, Message: "paths of entries must name something inside the workspace"}
		}
		p := placed{path: path.Join(dir, name), node: fileOf([]byte(e.Content)), ephemeral: ephemeral || e.Ephemeral}
		if e.Type == sandbox.EntryDir || len(e.Children) > 0 {
			p.node = node{kind: tar.TypeDir}
		}
		var err error
		if all, err = place(append(all, p), p.path, e.Children, p.ephemeral); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// apply puts the entries into the workspace: all of them into an empty one, later only the ephemeral ones.
func (c *contents) apply() {
	for _, p := range c.entries {
		if !c.applied || p.ephemeral {
			c.tree.put(p.path, p.node)
		}
	}
	c.applied = true
}

// passes reports whether a path is kept out of archives.
func (c *contents) passes(name string) bool {
	return slices.ContainsFunc(c.entries, func(p placed) bool { return p.ephemeral && isBelow(name, p.path) })
}
