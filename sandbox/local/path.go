package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/validation"
)

// refuse is an error that trying again does not help.
func refuse(code backend.Code, message string) error {
	return &backend.Error{Code: code, Message: "local: " + message}
}

// refuseFirst is an error of an operation that trying again does not help, and that has done nothing.
func refuseFirst(code backend.Code, message string) error {
	return &backend.Error{Code: code, Message: "local: " + message, NotBegun: true}
}

// failed is an error that trying again may help.
func failed(code backend.Code, message string) error {
	return &backend.Error{Code: code, Message: "local: " + message, Retryable: true}
}

var (
	errAbsolute = refuse(backend.InvalidManifestPath, "the path must be relative to the workspace, or lie below its root or a path grant")
	errEscape   = refuse(backend.InvalidManifestPath, "the path must not lead out of the workspace or its path grant; absolute symbolic links count as leading out")
	errNUL      = refuse(backend.InvalidManifestPath, "the path must not hold NUL")
	errRoot     = refuse(backend.RootNotFound, "the workspace is gone: create another sandbox")
	// errNoDescriptors is no word of the workspace, which is there, or of the launcher, which can.
	errNoDescriptors = &backend.Error{Code: backend.ExecTransport, Message: "local: nothing was done: " + noDescriptors, Retryable: true, NotBegun: true}
)

// unopened is the error of a workspace that could not be opened.
func unopened(err error) error {
	if outOfDescriptors(err) {
		return errNoDescriptors
	}
	return errRoot
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// outOfResources reports whether something failed for want of what there may be again soon.
func outOfResources(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

const noDescriptors = "the worker has no descriptors left: raise its limit of open files"

// rootOf is the root of a manifest's workspace in the sandbox's words.
func rootOf(m sandbox.Manifest) string {
	if m.Root == "" {
		return sandbox.DefaultRoot
	}
	return path.Clean(m.Root)
}

// within returns the part of an absolute path below root, "." for root itself.
func within(root, p string) (string, bool) {
	p = path.Clean(p)
	if p == root {
		return ".", true
	}
	return strings.CutPrefix(p, root+"/")
}

// relative returns the path below the workspace that p names.
func relative(root, p string) (string, error) {
	switch {
	case strings.ContainsRune(p, 0):
		return "", errNUL
	case strings.HasPrefix(p, "/"):
		if rel, ok := within(root, p); ok {
			return rel, nil
		}
		return "", errAbsolute
	case isWindowsAbsolute(p):
		return "", errAbsolute
	}
	rel := path.Clean(p)
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", errEscape
	}
	return rel, nil
}

// entryPath returns the clean form of the path of an entry. Unlike the paths of operations it may have no way up,
// and a backslash is a separator.
func entryPath(p string) (string, error) {
	p = strings.ReplaceAll(p, `\`, "/")
	switch {
	case strings.ContainsRune(p, 0):
		return "", errNUL
	case strings.HasPrefix(p, "/") || isWindowsAbsolute(p):
		return "", refuse(backend.InvalidManifestPath, "paths of entries must be relative to the workspace")
	case hasUp(p):
		return "", refuse(backend.InvalidManifestPath, `paths of entries must not have ".." segments`)
	}
	if p = path.Clean(p); p == "." {
		return "", refuse(backend.InvalidManifestPath, "paths of entries must name something inside the workspace")
	}
	return p, nil
}

// hasUp reports whether p has a ".." segment.
func hasUp(p string) bool {
	for seg := range strings.SplitSeq(p, "/") {
		if seg == ".." {
			return true
		}
	}
	return false
}

// isWindowsAbsolute reports whether p would be outside of any workspace on a Windows host.
func isWindowsAbsolute(p string) bool {
	return strings.HasPrefix(p, `\`) ||
		len(p) >= 2 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}

// show returns a path of a manifest as errors may show it: a segment that could be something else than a name is
// replaced by its index in the path.
func show(p string) string {
	segs := strings.Split(p, "/")
	for i, seg := range segs {
		segs[i] = validation.SafeSegment(seg, i)
	}
	return strings.Join(segs, "/")
}

// named returns what an error may say about a program.
func named(program string) string {
	if base := path.Base(program); validation.SafeSegment(base, -1) != strconv.Itoa(-1) {
		return "the program " + base
	}
	return "the program"
}

// escapes reports whether err says that a path leads out of an [os.Root]. The package has no name for that error,
// so it is asked for one.
func escapes(root *os.Root, err error) bool {
	var sentinel *fs.PathError
	_, probe := root.Lstat("..")
	return errors.As(probe, &sentinel) && errors.Is(err, sentinel.Err)
}

// orEscape returns errEscape if that is what err is, and otherwise the other error.
func orEscape(root *os.Root, err, other error) error {
	if escapes(root, err) {
		return errEscape
	}
	return other
}
