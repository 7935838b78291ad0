package local

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ownEtc is what sandboxes have of their own of /etc.
var ownEtc = []string{"/etc", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/nsswitch.conf", "/etc/passwd", "/etc/resolv.conf"}

// systemFault says what is wrong with an entry of Options.System, empty if nothing is.
func systemFault(name string) string {
	switch {
	case unclean(name):
		return "must be a clean absolute path, and not /"
	case in([]string{"/dev", "/proc"}, name), slices.Contains(ownEtc, name):
		return "must not be in /dev or /proc, /etc itself or a file such as /etc/passwd, of which sandboxes have their own: name what programs need of it"
	}
	return ""
}

func unclean(name string) bool {
	return !path.IsAbs(name) || path.Clean(name) != name || name == "/" || strings.ContainsRune(name, 0)
}

// shownParts have what sandboxes see of the host whatever the options say.
var shownParts = []string{"/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"}

// checkApart refuses to show commands the directory of the backend, in which the workspaces of all sandboxes are, or a
// part of it. dir is without links.
func (o Options) checkApart(dir string) error {
	var faults []error
	if in(shownParts, dir) {
		faults = append(faults, errors.New("local: Dir must not be in /usr, /etc or another directory of the system that all sandboxes see: it holds their workspaces"))
	}
	check := func(source, format string, i int) {
		if real, err := filepath.EvalSymlinks(source); err == nil {
			source = real
		}
		_, inside := within(dir, source)
		_, around := within(source, dir)
		if inside || around {
			faults = append(faults, fmt.Errorf("local: "+format+" must lie apart from Dir, which holds the workspaces of all sandboxes: name a directory that Dir is not in, or move Dir", i))
		}
	}
	for i, name := range o.System {
		check(name, "System[%d]", i)
	}
	for i, p := range o.Paths {
		check(p.source(), "the Source of Paths[%d]", i)
	}
	return errors.Join(faults...)
}
