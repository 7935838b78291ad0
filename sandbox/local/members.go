package local

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// members are what an archive holds.
type members struct {
	kinds map[string]byte // by clean path, without the root
	names []string        // in the archive's order
	dirs  []member
	links []member
	size  int64 // of all together
}

// member is a directory or a symbolic link.
type member struct {
	name, target string
	mode         fs.FileMode
}

func unsafeArchive(message string) error {
	return refuse(backend.ArchiveWrite, "the archive is not safe to extract: "+message+": nothing was written")
}

var errArchiveBroken = refuse(backend.ArchiveWrite, "the archive is not a readable tar archive: nothing was written")

// maxSegment is the longest name in a directory that file systems take.
const maxSegment = 255

// readMembers reads an archive to its end and refuses what is not safe.
func (s *box) readMembers(ctx context.Context, spool *os.File) (*members, error) {
	in, err := unpacked(spool)
	if err != nil {
		return nil, errArchiveBroken
	}
	limits := s.backend.options.Archives
	m := &members{kinds: map[string]byte{}}
	for count := int64(1); ; count++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errArchiveBroken
		}
		m.size += h.Size
		if over(count, limits.MaxMembers) || m.size < 0 || over(m.size, limits.MaxExtractedBytes) {
			return nil, errArchiveSize
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if err := m.add(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(io.Discard, withContext{ctx, in}); err != nil {
			return nil, errArchiveBroken
		}
	}
	return m, m.nested()
}

// add looks at one member by itself.
func (m *members) add(h *tar.Header) error {
	switch {
	case strings.HasPrefix(h.Name, "/") || isWindowsAbsolute(h.Name):
		return unsafeArchive("a member has an absolute path")
	case strings.ContainsAny(h.Name, "\\\x00"):
		return unsafeArchive("a member has a backslash in its path")
	case hasUp(h.Name):
		return unsafeArchive(`a member has a ".." segment in its path`)
	case longSegment(h.Name):
		return unsafeArchive("a member has a longer name than file systems take")
	case strings.Count(path.Clean(h.Name), "/") > maxDepth:
		return unsafeArchive("a member is in more than " + strconv.Itoa(maxDepth) + " directories")
	}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeSymlink:
		if linksOut(path.Clean(h.Name), h.Linkname) {
			return unsafeArchive("a symbolic link leads out of the archive")
		}
	default:
		return unsafeArchive("a member is neither a file, a directory nor a symbolic link")
	}
	name := path.Clean(h.Name)
	if name == "." {
		if h.Typeflag != tar.TypeDir {
			return unsafeArchive("the root is not a directory")
		}
		return nil
	}
	if was, ok := m.kinds[name]; ok {
		if was != tar.TypeDir || h.Typeflag != tar.TypeDir {
			return unsafeArchive("two members have the same path")
		}
		return nil
	}
	m.kinds[name] = h.Typeflag
	m.names = append(m.names, name)
	switch h.Typeflag {
	case tar.TypeDir:
		m.dirs = append(m.dirs, member{name: name, mode: permOf(h)})
	case tar.TypeSymlink:
		m.links = append(m.links, member{name: name, target: h.Linkname})
	}
	return nil
}

// linksOut reports whether the target of a link is absolute or leads out of the archive on its way.
func linksOut(name, target string) bool {
	if target == "" || path.IsAbs(target) || isWindowsAbsolute(target) || strings.ContainsAny(target, "\\\x00") {
		return true
	}
	end := path.Join(path.Dir(name), target)
	return end == ".." || strings.HasPrefix(end, "../")
}

// linksUpThrough reports whether the target of a link goes up after another link on its way. Where that leads is up to
// the other one, and not to be seen from the target. isLink is asked for paths without the root.
func linksUpThrough(name, target string, isLink func(name string) bool) bool {
	at, through := path.Dir(name), false
	target = "/" + target + "/"
	last := strings.LastIndex(target, "/../") // what comes after it does not matter
	for seg := range strings.SplitSeq(target[:max(last, 0)], "/") {
		switch seg {
		case "", ".":
		case "..":
			if through {
				return true
			}
			at = path.Join(at, seg) // which is a directory, or was looked at on the way down
		default:
			at = path.Join(at, seg)
			through = through || isLink(at)
		}
	}
	return through
}

func longSegment(name string) bool {
	for seg := range strings.SplitSeq(name, "/") {
		if len(seg) > maxSegment {
			return true
		}
	}
	return false
}

// nested refuses members that are below others which are no directories.
func (m *members) nested() error {
	for _, name := range m.names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if kind, ok := m.kinds[dir]; ok && kind != tar.TypeDir {
				return unsafeArchive("a member is below a file or a symbolic link")
			}
		}
	}
	return nil
}

// fit refuses an archive that the workspace has no place for as it is.
func (m *members) fit(root *os.Root) error {
	for _, name := range m.names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			info, err := root.Lstat(dir)
			if err != nil || info.IsDir() {
				continue
			}
			if _, replaced := m.kinds[dir]; !replaced {
				return unsafeArchive("a file or symbolic link of the workspace is in the place of a directory")
			}
		}
		if info, err := root.Lstat(name); err == nil && info.IsDir() && m.kinds[name] != tar.TypeDir {
			return unsafeArchive("a directory of the workspace is in the place of a file: remove it first")
		}
	}
	for _, link := range m.links {
		if linksUpThrough(link.name, link.target, m.isLink(root)) {
			return unsafeArchive("a symbolic link goes up after another symbolic link on its way")
		}
	}
	return nil
}

// more is how much more the workspace has when the archive is in it.
func (m *members) more(root *os.Root) int64 {
	more := m.size + int64(len(m.names))*inodeSize
	for _, name := range m.names {
		switch info, err := root.Lstat(name); {
		case err != nil:
		case info.IsDir():
			more -= inodeSize
		default:
			more -= occupied(info)
		}
	}
	return more
}

// isLink tells what will be a symbolic link in the workspace.
func (m *members) isLink(root *os.Root) func(string) bool {
	return func(name string) bool {
		if kind, ok := m.kinds[name]; ok {
			return kind == tar.TypeSymlink
		}
		return isLink(root, name)
	}
}

// isLink reports whether there is a symbolic link of that name.
func isLink(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

func permOf(h *tar.Header) fs.FileMode { return fs.FileMode(h.Mode & 0o777) }
