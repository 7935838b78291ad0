package local

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// maxDepth is how many directories something may be in where the host goes through them, one below the other. Each
// costs the host a step for each one above it; where a workspace is measured, all of them are open at once.
const maxDepth = 256

var (
	errTooMany = errors.New("local: there are more entries than the host goes through")
	errTooDeep = errors.New("local: there are more directories inside each other than the host goes through")
)

// A walker goes through a directory, sorted by names, each directory before what is in it. Names may be any bytes, unlike
// those of package fs. Commands may change the tree meanwhile: what went away is left out, and no link is followed.
type walker struct {
	root *os.Root
	// most bounds the entries, also those that visit wants nothing of.
	most sandbox.Limit
	// visit is called with the path of each. If it returns [fs.SkipDir], what is in it is left out.
	visit func(name string, d fs.DirEntry) error

	seen int64
}

// walk begins with the root itself, whose path is ".".
func (w *walker) walk() error {
	info, err := w.root.Stat(".")
	if err != nil {
		return err
	}
	if err := w.count(1); err != nil {
		return err
	}
	return w.meet(".", fs.FileInfoToDirEntry(info), 0)
}

// count notes what costs as much as so many entries.
func (w *walker) count(n int) error {
	w.seen += int64(n)
	if over(w.seen, w.most) {
		return errTooMany
	}
	return nil
}

// meet visits what has so many segments in its path.
func (w *walker) meet(name string, d fs.DirEntry, segments int) error {
	if segments > maxDepth+1 {
		return errTooDeep
	}
	switch err := w.visit(name, d); {
	case errors.Is(err, fs.SkipDir):
		return nil
	case err != nil || !d.IsDir():
		return err
	}
	entries, err := w.read(name)
	if err != nil {
		if _, gone := w.root.Lstat(name); errors.Is(gone, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range entries {
		if err := w.meet(path.Join(name, e.Name()), e, segments+1); err != nil {
			return err
		}
	}
	return nil
}

// read returns what is in a directory, and stops where that is too much.
func (w *walker) read(name string) ([]fs.DirEntry, error) {
	dir, err := enter(w.root, name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var all []fs.DirEntry
	for {
		entries, err := next(f)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
		if err := w.count(len(entries)); err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return all, nil
}
