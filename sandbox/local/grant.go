package local

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Path is a file or directory of the host that manifests may ask for, with extra_path_grants.
type Path struct {
	// Path is where commands find it: absolute and clean. A manifest may ask for it, or for something below it.
	Path string
	// Source is what it is on the host: absolute and clean, without symbolic links on the way. Empty means Path.
	Source string
	// Writable allows grants that are not read-only. What may be written there is for the rights of the account that
	// commands have.
	Writable bool
}

func (p Path) source() string {
	if p.Source == "" {
		return p.Path
	}
	return p.Source
}

// fault says what is wrong with p, empty if nothing is.
func (p Path) fault() string {
	for _, name := range []string{p.Path, p.source()} {
		if !path.IsAbs(name) || path.Clean(name) != name || name == "/" || strings.ContainsRune(name, 0) {
			return "Paths must hold clean absolute paths, and not /"
		}
	}
	if in(reserved, p.Path) {
		return "Paths must not be at or in a directory of the system, such as /usr or /tmp"
	}
	return ""
}

// reserved are the directories of the system, in which a sandbox has nothing but what it needs.
var reserved = []string{"/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/tmp", "/usr", "/var"}

// in reports whether a clean path is one of the directories or below one.
func in(dirs []string, name string) bool {
	for _, dir := range dirs {
		if _, ok := within(dir, name); ok {
			return true
		}
	}
	return false
}

// grant is a path grant of a manifest, and what is behind it.
type grant struct {
	path, source string
	writable     bool
}

// grants looks up what a manifest asks for. Each must be in Options.Paths, and in nothing else that the sandbox has.
func (o Options) grants(m sandbox.Manifest) ([]grant, error) {
	if len(m.ExtraPathGrants) == 0 {
		return nil, nil
	}
	if !o.Launcher.Isolated() {
		return nil, refuse(backend.ConfigInvalid, "path grants need a launcher that isolates: leave extra_path_grants out of the manifest")
	}
	var out []grant
	for _, g := range m.ExtraPathGrants {
		found, err := o.grant(g, rootOf(m))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(g grant) bool { return g.path == found.path }) {
			return nil, refuse(backend.ConfigInvalid, "two path grants have the path /"+show(found.path[1:]))
		}
		out = append(out, found)
	}
	return out, nil
}

func (o Options) grant(g sandbox.PathGrant, root string) (grant, error) {
	if g.HostPath != nil {
		return grant{}, refuse(backend.ConfigInvalid, "path grants must not have a host_path: what is behind one is for Options.Paths")
	}
	if strings.ContainsRune(g.Path, 0) {
		return grant{}, errNUL
	}
	name := path.Clean(g.Path)
	_, inside := within(root, name)
	_, around := within(name, root)
	if inside || around {
		return grant{}, refuse(backend.ConfigInvalid, "path grants must lie outside the workspace")
	}
	for _, p := range o.Paths {
		rel, ok := within(p.Path, name)
		if !ok {
			continue
		}
		if !g.ReadOnly && !p.Writable {
			return grant{}, refuse(backend.ConfigInvalid, "the path grant "+"/"+show(name[1:])+" must be read_only here")
		}
		return grant{path: name, source: filepath.Join(p.source(), filepath.FromSlash(rel)), writable: !g.ReadOnly}, nil
	}
	return grant{}, refuse(backend.ConfigInvalid, "there is nothing behind the path grant "+"/"+show(name[1:])+" here: the worker must name it in Options.Paths")
}
