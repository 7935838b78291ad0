//go:build !linux && !darwin

package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

var errPlatform = errors.New("local: local sandboxes need Linux or macOS: run this worker there, or use another backend")

func (process) run(context.Context) (int, error) { return 0, notStarted{} }

func newLauncher(context.Context, Options) (launcher, error) { return nil, errPlatform }

func ownerOf(fs.FileInfo) int { return -1 }

func private(fs.FileInfo, fs.FileMode) error { return errPlatform }

func (b *Backend) endLeftovers() error { return errPlatform }

func (b *Backend) endLeftoversOf(string) error { return errPlatform }

func measure(context.Context, *os.Root, int64) (int64, int, error) { return 0, 0, errPlatform }

func occupied(info fs.FileInfo) int64 { return info.Size() }

func inUse(string) (int64, error) { return 0, errPlatform }

func pollable(master *os.File) *os.File { return master }
