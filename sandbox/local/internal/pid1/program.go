//go:build linux

package pid1

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

var errMissing = errors.New("pid1: no such program")

// look returns the path of a program. A name without a slash has it in one of the absolute directories of the
// command's own PATH.
func look(program string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		return program, executable(program)
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, in := range filepath.SplitList(list) {
			p := filepath.Join(in, program)
			if filepath.IsAbs(p) && executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", errMissing
}

func executable(p string) error {
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return errMissing
	}
	return nil
}
