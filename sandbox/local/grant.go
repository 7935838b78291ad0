package local

import (
	"cmp"
	"errors"
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
	// Source is what it is on the host: absolute and clean, without symbolic links on the way, apart from Options.Dir.
	// Empty means Path.
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

// fault says what is wrong with p for a launcher, empty if nothing is.
func (p Path) fault(l Launcher) string {
	switch {
	case unclean(p.Path):
		return "its Path must be a clean absolute path, and not /"
	case unclean(p.source()):
		return "its Source must be a clean absolute path, and not /"
	case in(reserved, p.Path) && !l.inPlace(): // it would be hidden there, or hide something
		return "its Path must not be at or in a directory of the system, such as /usr or /tmp: commands find it elsewhere than it is on the host with a Source of its own"
	case in([]string{"/dev", "/proc", "/sys"}, p.source()):
		return "its Source must not be at or in /dev, /proc or /sys, which show the host itself"
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

// gone is the error of a grant whose source is not there.
func (g grant) gone() error {
	return errors.New("there is nothing behind the path grant /" + show(g.path[1:]) + ", or a symbolic link is on the way to it: " +
		"whoever runs the worker must put it where Options.Paths leads")
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
		if i := slices.IndexFunc(out, func(g grant) bool { return g.path == found.path }); i >= 0 {
			out[i].writable = out[i].writable && found.writable
			continue
		}
		out = append(out, found)
	}
	// The longest last, as they are mounted.
	slices.SortStableFunc(out, func(a, b grant) int { return cmp.Compare(len(a.path), len(b.path)) })
	return out, reachable(out)
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
	p, rel, ok := o.behind(name)
	switch {
	case !ok:
		return grant{}, refuse(backend.ConfigInvalid, "there is nothing behind the path grant "+"/"+show(name[1:])+" here: the worker must name it in Options.Paths")
	case !g.ReadOnly && !p.Writable:
		return grant{}, refuse(backend.ConfigInvalid, "the path grant "+"/"+show(name[1:])+" must be read_only here")
	}
	return grant{path: name, source: filepath.Join(p.source(), filepath.FromSlash(rel)), writable: !g.ReadOnly}, nil
}

// behind returns the longest of Options.Paths that a path is at or below.
func (o Options) behind(name string) (found Path, rel string, ok bool) {
	for _, p := range o.Paths {
		if r, in := within(p.Path, name); in && (!ok || len(p.Path) > len(found.Path)) {
			found, rel, ok = p, r, true
		}
	}
	return found, rel, ok
}

// reachable refuses a grant below another where commands could change the way to it: a link that one puts there would lead
// the next one's first process elsewhere.
func reachable(grants []grant) error {
	for i, inner := range grants {
		for _, outer := range grants[:i] {
			rel, ok := within(outer.path, inner.path)
			if !ok {
				continue
			}
			parent := path.Dir(path.Join(outer.source, rel))
			if slices.ContainsFunc(grants, func(w grant) bool { _, in := within(w.source, parent); return w.writable && in }) {
				return refuse(backend.ConfigInvalid, "the path grant /"+show(inner.path[1:])+" must not lie below one that can be written: "+
					"make that read_only, or grant directories beside each other")
			}
		}
	}
	return nil
}

// locate returns where a path of an operation leads: below the longest path grant that it is in, or below the workspace,
// with no grant then.
func (s *box) locate(name string) (*grant, string, error) {
	rel, err := relative(s.root, name)
	if err == nil || !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return nil, rel, err
	}
	grants, refused := s.backend.options.grants(s.manifest)
	if refused != nil {
		return nil, "", refused
	}
	for _, g := range slices.Backward(grants) {
		if rel, ok := within(g.path, name); ok {
			return &g, rel, nil
		}
	}
	return nil, "", err
}
