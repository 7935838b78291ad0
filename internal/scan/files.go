package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Files reads files, and below directories every file whose name ends in .json,
// .jsonl or .ndjson, up to workers of them at a time; others are left out and
// counted in Totals.OtherFiles. What cannot be read is a problem of the scan. When
// ctx ends, so does the reading, which is a problem, too.
func (s *Scan) Files(ctx context.Context, paths []string, workers int) {
	names := make(chan string)
	var group sync.WaitGroup
	for range max(1, workers) {
		group.Go(func() {
			for name := range names {
				s.file(ctx, name)
			}
		})
	}
	for _, path := range paths {
		if err := s.walk(ctx, path, names); err != nil {
			break
		}
	}
	close(names)
	group.Wait()
	if ctx.Err() != nil {
		s.Problem("", ErrInterrupted)
	}
}

// ErrInterrupted is the problem of a scan that was ended before its time.
var ErrInterrupted = errors.New("interrupted: this is a part of what there is")

// walk hands out the files of a path. It returns the error of ctx.
func (s *Scan) walk(ctx context.Context, path string, names chan<- string) error {
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.Problem(name, pathless(err))
			return nil
		case d.IsDir():
			return nil
		case name != path && !isExport(name):
			s.mu.Lock()
			s.totals.OtherFiles++
			s.mu.Unlock()
			return nil
		}
		select {
		case names <- name:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func isExport(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// file reads one file.
func (s *Scan) file(ctx context.Context, name string) {
	f, err := os.Open(name) //nolint:gosec // G304: the user names the files
	if err != nil {
		s.Problem(name, pathless(err))
		return
	}
	defer func() { _ = f.Close() }()             // it was only read
	_ = s.Documents(name, interruptible{ctx, f}) // the scan has the problem
}

type interruptible struct {
	ctx context.Context //nolint:containedctx // a reader has no other way to get it
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, ErrInterrupted
	}
	return i.r.Read(p)
}

// Stream reads documents as [Scan.Documents] does from a reader that may block, such
// as a terminal. When ctx ends it returns at once; r is then still being read and
// must not be used.
func (s *Scan) Stream(ctx context.Context, r io.Reader) error {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = in.CloseWithError(ErrInterrupted) })
	defer stop()
	go func() {
		_, err := io.Copy(in, r)
		_ = in.CloseWithError(err)
	}()
	defer func() { _ = out.Close() }()
	return s.Documents("", out)
}

// pathless leaves the path out of an error of the file system: the problem names
// it.
func pathless(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return err
}
