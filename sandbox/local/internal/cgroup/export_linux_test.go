package cgroup

// Dirs are the directories of a group, one in each hierarchy that it is in.
func (g *Group) Dirs() []string {
	var dirs []string
	for _, hi := range g.in {
		dirs = append(dirs, hi.dir(g.name))
	}
	return dirs
}

// WithoutCgroupKill is what the tree would be on a kernel before 5.14.
func (t *Tree) WithoutCgroupKill() *Tree {
	if t.killer != nil {
		t.killer, t.support[Kill] = nil, Means{}
		t.killByProcesses()
	}
	return t
}
