package cgroup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// place is a hierarchy and the directory of the worker's own group in it.
type place struct {
	controllers []string // none in version 2, whose controllers are listed in a file
	dirs        []string // empty if no mount shows the group; the one mounted last comes first
}

func (p place) v2() bool { return len(p.controllers) == 0 }

// locate reads /proc/self/mountinfo and /proc/self/cgroup. Named hierarchies, which limit nothing, are left out.
func locate(mounts, groups string) []place {
	infos, err := mountinfo.GetMountsFromReader(strings.NewReader(mounts), func(m *mountinfo.Info) (skip, stop bool) {
		return m.FSType != "cgroup" && m.FSType != "cgroup2", false
	})
	if err != nil {
		infos = nil
	}
	var places []place
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 || strings.HasPrefix(f[1], "name=") || (f[1] == "") != (f[0] == "0") {
			continue
		}
		p := place{}
		if f[1] != "" {
			p.controllers = strings.Split(f[1], ",")
		}
		for _, m := range slices.Backward(infos) {
			if dir, ok := below(m, f[2]); ok && p.mountedBy(m) {
				p.dirs = append(p.dirs, dir)
			}
		}
		places = append(places, p)
	}
	return places
}

func (p place) mountedBy(m *mountinfo.Info) bool {
	if p.v2() {
		return m.FSType == "cgroup2"
	}
	options := strings.Split(m.VFSOptions, ",")
	return m.FSType == "cgroup" && !slices.ContainsFunc(p.controllers, func(c string) bool {
		return !slices.Contains(options, c)
	})
}

// below finds a group in a mount, which may show a part of the hierarchy only. What is outside of the worker's
// namespace begins with "/..".
func below(m *mountinfo.Info, group string) (string, bool) {
	if !filepath.IsAbs(group) || slices.Contains(strings.Split(group, "/"), "..") {
		return "", false
	}
	rel, err := filepath.Rel(m.Root, group)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.Join(m.Mountpoint, rel), true
}
