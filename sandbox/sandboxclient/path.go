package sandboxclient

import (
	"path"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// path is the absolute form of a path: below the workspace root, where relative ones begin, or below a path grant.
// It is a matter of text: a host follows links and looks at where they lead.
func (b *Sandbox) path(name string) (string, error) {
	root := path.Clean(b.Root())
	full := path.Clean(name)
	if !path.IsAbs(full) {
		full = path.Join(root, full)
	}
	if hasNUL(name) {
		return "", &Error{Op: "path", Code: backend.InvalidManifestPath, message: "a path holds a NUL, which no system can pass on"}
	}
	if within(full, root) {
		return full, nil
	}
	for _, grant := range b.state.Session.Manifest.ExtraPathGrants {
		if within(full, path.Clean(grant.Path)) {
			return full, nil
		}
	}
	return "", &Error{
		Op: "path", Code: backend.InvalidManifestPath,
		message: "a path leads out of the workspace and of all path grants: name one within them",
	}
}

// within reports whether an absolute path is dir or below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
