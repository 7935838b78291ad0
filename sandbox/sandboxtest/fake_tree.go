package sandboxtest

import (
	"archive/tar"
	"path"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// A tree is what is in a workspace, by clean paths below its root.
type tree map[string]node

// A node is a file, a directory or a symbolic link.
type node struct {
	kind   byte // the type that it has in an archive
	data   []byte
	target string // of a link
}

func fileOf(data []byte) node { return node{kind: tar.TypeReg, data: data} }

func (t tree) isDir(at string) bool { return at == "." || t[at].kind == tar.TypeDir }

// parents are the directories that a path is in, from the inside out.
func parents(at string) (dirs []string) {
	for at = path.Dir(at); at != "."; at = path.Dir(at) {
		dirs = append(dirs, at)
	}
	return dirs
}

// put puts a node in the place of what is there, and makes the directories on the way. A directory that is there
// keeps what is in it.
func (t tree) put(at string, n node) {
	for _, dir := range parents(at) {
		t[dir] = node{kind: tar.TypeDir}
	}
	if n.kind != tar.TypeDir {
		t.remove(at)
	}
	t[at] = n
}

// remove removes a node and what is in it.
func (t tree) remove(at string) {
	for name := range t {
		if isBelow(name, at) {
			delete(t, name)
		}
	}
}

func isBelow(name, at string) bool { return name == at || strings.HasPrefix(name, at+"/") }

// maxLinks bounds the links on the way to a file.
const maxLinks = 40

// resolve follows the links of a path. There may be nothing at its end.
func (t tree) resolve(name string) (string, error) {
	at, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		switch n := t[next]; {
		case next == "..", links > maxLinks:
			return "", errOutside
		case n.kind == tar.TypeSymlink:
			links++
			rest = append(strings.Split(n.target, "/"), rest...)
		default:
			at = next
		}
	}
	return at, nil
}

var errOutside = &backend.Error{Code: backend.InvalidManifestPath, Message: "the path must stay within the workspace"}

// below returns the path below a root that a path names.
func below(root, name string) (string, error) {
	at := name
	if !path.IsAbs(at) {
		at = path.Join(root, at)
	}
	at = path.Clean(at)
	switch {
	case strings.ContainsRune(name, 0), isWindowsAbsolute(name):
		return "", errOutside
	case at == root:
		return ".", nil
	}
	at, ok := strings.CutPrefix(at, root+"/")
	if !ok {
		return "", errOutside
	}
	return at, nil
}

// isWindowsAbsolute reports whether a path would be absolute on Windows: it is nobody's name for something in a
// workspace.
func isWindowsAbsolute(p string) bool {
	return strings.HasPrefix(p, `\`) || len(p) >= 2 && p[1] == ':' && p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z'
}

// hasUp reports whether a path has a segment that leads up.
func hasUp(p string) bool {
	for segment := range strings.SplitSeq(p, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}
