// Package program finds the programs of commands, on the host and in sandboxes alike.
package program

import (
	"os"
	"path/filepath"
	"strings"
)

// Look returns the path of a program, absolute or relative to dir. A name without a slash has it in one of the absolute
// directories of the PATH in env, the command's own.
func Look(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) {
			return name, Executable(name)
		}
		return name, Executable(filepath.Join(dir, name))
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, in := range filepath.SplitList(list) {
			p := filepath.Join(in, name)
			if filepath.IsAbs(p) && Executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", os.ErrNotExist
}

// Executable reports an error unless there is a file at a path that somebody may execute.
func Executable(path string) error {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}
