package secrets

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// FileOptions are the options of [NewFileProvider]. The zero FileOptions denies
// every file.
type FileOptions struct {
	// Allow lists the names that may be read, exactly as they stand in
	// references: slash-separated paths within the directory. Nil and empty
	// lists deny all; AllowAll{} opens the whole directory. It is copied.
	Allow Allowlist
	// KeepNewline returns files as they are. Otherwise exactly one newline at
	// the end ("\n" or "\r\n") is not part of the secret, since most tools that
	// write one file for a secret put it there.
	KeepNewline bool
}

// FileProvider is a [Resolver] for references to files in one directory, such
// as the mount of a Kubernetes secret. Make it with [NewFileProvider]; the zero
// FileProvider denies everything. It may be used by several goroutines.
type FileProvider struct {
	root  *os.Root
	allow allowed
	keep  bool
}

// NewFileProvider opens dir and returns the provider of the files in it. The
// directory stays open until [FileProvider.Close]; one that is later put in its
// place under the same name is not seen, whereas files and the links within it
// may change at any time.
//
// The error wraps [ErrInvalid] for a listed name that no file can have, and
// [ErrNotFound], [ErrDenied] or [ErrUnavailable] for a directory that cannot be
// opened. It does not name the directory.
func NewFileProvider(dir string, o FileOptions) (*FileProvider, error) {
	a, err := newAllowed(providerFile, o.Allow)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		_, kind := fileKind(err)
		return nil, fail(Ref{}, kind, "the directory of the file provider cannot be opened")
	}
	return &FileProvider{root: root, allow: a, keep: o.KeepNewline}, nil
}

// Close releases the directory. Later requests fail with [ErrUnavailable].
func (p *FileProvider) Close() error {
	if p.root == nil {
		return nil
	}
	if err := p.root.Close(); err != nil {
		return fail(Ref{}, ErrUnavailable, "the directory of the file provider cannot be closed")
	}
	return nil
}

// Resolve reads a file anew for each request, without the one newline at its
// end (see [FileOptions]). Links are followed within the
// directory and denied where they lead out of it; what is not a regular file is
// denied without being opened.
//
// It fails with [ErrNotMinted], [ErrDenied] (not listed, outside the directory,
// not a regular file, no permission), [ErrNotFound], [ErrEmpty], [ErrTooLarge],
// [ErrInvalid] and [ErrUnavailable].
func (p *FileProvider) Resolve(ctx context.Context, req Request) (Resolution, error) {
	if err := admit(req, providerFile, p.allow); err != nil {
		return Resolution{}, err
	}
	if err := ctx.Err(); err != nil {
		return Resolution{}, err
	}
	value, err := p.read(req.Ref)
	if err != nil {
		return Resolution{}, err
	}
	if !p.keep {
		value = dropNewline(value)
	}
	res := NewResolution(value, ResolutionInfo{})
	if err := checkContents(req, res); err != nil {
		return Resolution{}, err
	}
	return res, nil
}

// readAttempts is how often a file that is not there is looked for. Kubernetes
// publishes a new version by renaming one link and then removes the old
// version; between following the link and opening the file it may be gone.
const readAttempts = 10

func (p *FileProvider) read(ref Ref) (string, error) {
	if p.root == nil {
		return "", fail(ref, ErrDenied, "")
	}
	for attempt := 1; ; attempt++ {
		value, err := p.readOnce(ref)
		if attempt < readAttempts && errors.Is(err, ErrNotFound) {
			continue
		}
		return value, err
	}
}

func (p *FileProvider) readOnce(ref Ref) (string, error) {
	// Some devices and pipes do something when they are opened, so look first.
	info, err := p.root.Stat(ref.Name)
	if err != nil {
		return "", fileError(ref, err)
	}
	if !info.Mode().IsRegular() {
		return "", fail(ref, ErrDenied, "it is not a regular file")
	}
	// It may have become another file by now: opening must not block, and what
	// was opened is looked at again.
	f, err := p.root.OpenFile(ref.Name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return "", fileError(ref, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err = f.Stat()
	if err != nil {
		return "", fileError(ref, err)
	}
	if !info.Mode().IsRegular() {
		return "", fail(ref, ErrDenied, "it is not a regular file")
	}
	var b strings.Builder
	// Two bytes for the newline, and one to see that there are more.
	if _, err := io.Copy(&b, io.LimitReader(f, MaxValueSize+3)); err != nil {
		return "", fileError(ref, err)
	}
	return b.String(), nil
}

// dropNewline removes one newline at the end, if there is one.
func dropNewline(s string) string {
	if t, ok := strings.CutSuffix(s, "\n"); ok {
		return strings.TrimSuffix(t, "\r")
	}
	return s
}

// fileError returns the error about ref for one of the operating system, whose
// own text names the path.
func fileError(ref Ref, err error) error {
	detail, kind := fileKind(err)
	return fail(ref, kind, detail)
}

// fileKind maps an error of the operating system to one of ours and what there
// is to say about it. What neither is one of the system nor a known one comes
// from os.Root: a path that leads out of it.
func fileKind(err error) (detail string, kind error) {
	const outside = "it lies outside the provider's directory or may not be read"
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "there is no such file in the provider's directory", ErrNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		return outside, ErrDenied
	case errors.Is(err, fs.ErrClosed), errors.As(err, &errno):
		return "", ErrUnavailable
	default:
		return outside, ErrDenied
	}
}
