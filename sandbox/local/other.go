//go:build !linux && !darwin

package local

import (
	"context"
	"errors"
	"io/fs"
)

var errPlatform = errors.New("local: local sandboxes need Linux or macOS: run this worker there, or use another backend")

type unisolated struct{}

func (unisolated) run(context.Context, process) (int, error) { return 0, notStarted{} }

func private(fs.FileInfo) error { return errPlatform }

func (b *Backend) endLeftovers() error { return errPlatform }

func (b *Backend) endLeftoversOf(string) error { return errPlatform }
