//go:build linux

package cgroup

// Dirs are the directories of a group, one in each hierarchy that it is in.
func (g *Group) Dirs() []string {
	var dirs []string
	for _, hi := range g.in {
		dirs = append(dirs, hi.dir(g.name))
	}
	return dirs
}
