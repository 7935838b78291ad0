//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// maxLinked is how many files with several links are remembered while a tree is measured. Of more, each link counts.
	maxLinked = 1 << 18
	// atOnce is how many names of a directory are held at once, in each that is open.
	atOnce = 128
)

// measure returns what a tree occupies, with inodeSize for each name, or something above enough if it is more than that;
// and how many files it has looked at. It follows no links and stays on one device. The tree may be changed meanwhile, by
// somebody who wants it to be measured wrong: what is moved about may be missed or counted twice.
func measure(ctx context.Context, root *os.Root, enough int64) (size int64, files int, err error) {
	info, err := root.Lstat(".")
	if err != nil {
		return 0, 0, err
	}
	m := measurement{ctx: ctx, enough: enough, linked: map[uint64]struct{}{}}
	if of, ok := statOf(info); ok {
		m.dev = uint64(of.Dev) //nolint:gosec,unconvert,nolintlint // its type is another on each system
	}
	err = m.directory(root, 0)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return m.size, m.files, err
}

type measurement struct {
	ctx    context.Context
	enough int64
	dev    uint64
	linked map[uint64]struct{} // by inode
	size   int64
	files  int
}

// errEnough ends a measurement that has come to its end early.
var errEnough = errors.New("local: it is enough")

func (m *measurement) directory(dir *os.Root, depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for {
		names, err := f.Readdirnames(atOnce)
		for _, name := range names {
			if err := m.file(dir, name, depth); err != nil && !errors.Is(err, fs.ErrNotExist) { // it went away meanwhile
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (m *measurement) file(dir *os.Root, name string, depth int) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	of, ok := statOf(info)
	// Only of directories: overlayfs has files of other devices where its layers are on several.
	if !ok || info.IsDir() && uint64(of.Dev) != m.dev { //nolint:gosec,unconvert,nolintlint // its type is another on each system
		return nil
	}
	m.files++
	if !info.IsDir() && of.Nlink > 1 {
		if _, again := m.linked[of.Ino]; again {
			// Without that there could be links without end, and what is written while they are measured.
			if m.size += inodeSize; m.size > m.enough {
				return errEnough
			}
			return nil
		}
		if len(m.linked) < maxLinked {
			m.linked[of.Ino] = struct{}{}
		}
	}
	if m.size += occupied(info); m.size > m.enough {
		return errEnough
	}
	if !info.IsDir() {
		return nil
	}
	return m.below(dir, name, info, depth)
}

// below measures a directory in another. One that lets its owner not in is opened for the time.
func (m *measurement) below(dir *os.Root, name string, info fs.FileInfo, depth int) error {
	const own = 0o500
	mode := info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	closed := mode&own != own && os.Geteuid() != 0
	if closed {
		if err := dir.Chmod(name, mode|own); err != nil {
			return m.unless(dir, name, info, err)
		}
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return m.unless(dir, name, info, err)
	}
	defer sub.Close()
	if is, err := sub.Lstat("."); err != nil || !os.SameFile(info, is) {
		return errors.Join(err, fs.ErrNotExist)
	}
	if closed {
		defer func() { _ = sub.Chmod(".", mode) }()
	}
	return m.directory(sub, depth+1)
}

// unless returns err unless the directory is not there any more.
func (*measurement) unless(dir *os.Root, name string, info fs.FileInfo, err error) error {
	if is, gone := dir.Lstat(name); gone != nil || !os.SameFile(info, is) {
		return fs.ErrNotExist
	}
	return err
}

// occupied is what a file takes.
func occupied(info fs.FileInfo) int64 {
	of, ok := statOf(info)
	if !ok {
		return info.Size() + inodeSize
	}
	return of.Blocks*512 + inodeSize
}

func statOf(info fs.FileInfo) (*syscall.Stat_t, bool) {
	of, ok := info.Sys().(*syscall.Stat_t)
	return of, ok
}

// inUse is what the file system of a directory has in use, counted as measure counts.
func inUse(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	blocks, files := int64(fs.Blocks)-int64(fs.Bfree), int64(fs.Files)-int64(fs.Ffree) //nolint:gosec // sizes of real file systems
	return blocks*blockSize(&fs) + files*inodeSize, nil
}
