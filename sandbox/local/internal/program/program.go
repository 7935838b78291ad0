// Package program finds the programs of commands, on the host and in sandboxes alike. It does without package
// path/filepath, which is initialised after most others: see package pid1, which needs this one.
package program

import (
	"os"
	"path"
	"strings"
)

// Look returns the path of a program, absolute or relative to dir. A name without a slash has it in one of the absolute
// directories of the PATH in env, the command's own.
func Look(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if path.IsAbs(name) {
			return name, Executable(name)
		}
		return name, Executable(path.Join(dir, name))
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for in := range strings.SplitSeq(list, ":") {
			p := path.Join(in, name)
			if path.IsAbs(p) && Executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", os.ErrNotExist
}

// Executable reports an error unless there is a file at the path name that somebody may execute.
func Executable(name string) error {
	info, err := os.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}
