package local

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// step is one entry of a manifest, with its path in the workspace.
type step struct {
	path  string
	entry sandbox.Entry
	// ephemeral is whether the entry, or a directory that it is in, is kept out of archives.
	ephemeral bool
}

// check refuses what the sandbox could not do as asked.
func (b *Backend) check(spec backend.Spec) error {
	m := spec.Manifest
	switch o := spec.Options; {
	case o != nil && o.Type != sandbox.ClientUnixLocal:
		return refuse(backend.ConfigInvalid, "the client options must be of the kind unix_local")
	case o != nil && len(o.ExposedPorts) > 0:
		return refuse(backend.ConfigInvalid, "ports cannot be exposed here: leave exposed_ports out")
	case !path.IsAbs(rootOf(m)) || rootOf(m) == "/" || strings.ContainsRune(m.Root, 0):
		return refuse(backend.ConfigInvalid, "the root of the manifest must be an absolute path below /")
	case len(m.Users) > 0 || len(m.Groups) > 0:
		return refuse(backend.ConfigInvalid, "users and groups cannot be made here: leave them out of the manifest")
	}
	if _, err := b.options.grants(m); err != nil {
		return err
	}
	steps, err := plan(m.Entries)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := b.checkEntry(s); err != nil {
			return err
		}
	}
	return nil
}

// plan lists all entries, directories before what is in them.
func plan(entries map[string]sandbox.Entry) ([]step, error) {
	steps, err := flatten(nil, "", entries, false)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.path, b.path) })
	files := map[string]bool{}
	for i, s := range steps {
		if i > 0 && steps[i-1].path == s.path {
			return nil, refuse(backend.InvalidManifestPath, "two entries have the path "+show(s.path))
		}
		files[s.path] = s.entry.Type != sandbox.EntryDir
	}
	for _, s := range steps {
		for dir := path.Dir(s.path); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return nil, refuse(backend.InvalidManifestPath, "the entry "+show(s.path)+" is inside another that is not a dir")
			}
		}
	}
	return steps, nil
}

func flatten(steps []step, in string, entries map[string]sandbox.Entry, ephemeral bool) ([]step, error) {
	for name, e := range entries {
		p, err := entryPath(name)
		if err != nil {
			return nil, err
		}
		s := step{path: path.Join(in, p), entry: e, ephemeral: ephemeral || e.Ephemeral}
		steps = append(steps, s)
		if steps, err = flatten(steps, s.path, e.Children, s.ephemeral); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// The forms of what becomes an argument of git, or a part of a URL.
var (
	gitHost = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)
	gitRepo = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)
	gitRef  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`)
)

// checkEntry looks at one entry, without its children.
func (b *Backend) checkEntry(s step) error {
	e := s.entry
	at := "the entry " + show(s.path) + " "
	switch {
	case e.IsMount():
		return refuse(backend.MountConfigInvalid, at+"is a mount, which local sandboxes do not have")
	case e.Group != nil:
		return refuse(backend.ConfigInvalid, at+"names a group, which cannot be set here: leave it out")
	case !validMode(e.Permissions):
		return refuse(backend.ConfigInvalid, at+"must have permissions between 0 and 7")
	}
	switch e.Type {
	case sandbox.EntryFile, sandbox.EntryDir:
		return nil
	case sandbox.EntryLocalFile:
		_, _, err := b.sourceOf(e.Src, backend.LocalFileRead)
		return err
	case sandbox.EntryLocalDir:
		if e.Src == "" {
			return nil
		}
		_, _, err := b.sourceOf(e.Src, backend.LocalDirRead)
		return err
	case sandbox.EntryGitRepo:
		return checkGit(e, at)
	}
	return refuse(backend.ConfigInvalid, at+"has a type that local sandboxes do not have")
}

// checkGit checks what a git_repo entry says.
func checkGit(e sandbox.Entry, at string) error {
	switch {
	case e.Host != "" && !gitHost.MatchString(e.Host):
		return refuse(backend.ConfigInvalid, at+"must name a host, without user-info")
	case !gitRepo.MatchString(e.Repo) || path.Clean(e.Repo) != e.Repo || hasUp(e.Repo):
		return refuse(backend.ConfigInvalid, at+"must name a repository as owner/name")
	case !gitRef.MatchString(e.Ref) || strings.Contains(e.Ref, "..") || strings.HasSuffix(e.Ref, "/"):
		return refuse(backend.ConfigInvalid, at+"must name a branch, a tag or a commit as ref")
	}
	if _, err := subpathOf(e); err != nil {
		return err
	}
	return nil
}

// subpathOf is the part of a repository that is wanted, "." for all of it.
func subpathOf(e sandbox.Entry) (string, error) {
	p := strings.TrimSpace(e.Subpath)
	if p == "" {
		return ".", nil
	}
	if strings.ContainsAny(p, "\\\x00") || path.IsAbs(p) || isWindowsAbsolute(p) || hasUp(p) {
		return "", refuse(backend.GitSubpath, `the subpath of a repository must be relative, with "/", and have no ".." segments`)
	}
	return path.Clean(p), nil
}

func validMode(p *sandbox.Permissions) bool {
	in := func(n int) bool { return n >= 0 && n <= 7 }
	return p == nil || in(p.Owner) && in(p.Group) && in(p.Other)
}

// modeOf is the mode of an entry.
func modeOf(e sandbox.Entry) fs.FileMode {
	if e.Permissions == nil {
		return 0o755
	}
	p := e.Permissions
	return fs.FileMode(p.Owner<<6|p.Group<<3|p.Other) & fs.ModePerm //nolint:gosec // masked
}
