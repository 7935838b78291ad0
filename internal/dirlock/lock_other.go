//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package dirlock

import (
	"errors"
	"os"
)

const noFollow = 0

func lock(*os.File) error { return errors.ErrUnsupported }
