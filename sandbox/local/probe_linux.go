package local

import "github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"

// capabilities are those of a launcher that has shown that it works.
func (n *native) capabilities() []Capability {
	account := "the worker's account, without its rights"
	if n.options.ownAccounts() {
		account = "an account of its own for each sandbox"
	}
	list := []Capability{
		{Name: "file system", Mechanism: "mount namespace with an allowlist"},
		{Name: "processes", Mechanism: "pid namespace of each command"},
		{Name: "network", Mechanism: "network namespace with nothing but loopback"},
		{Name: "account", Mechanism: "user namespace: " + account},
		{Name: "rights", Mechanism: "no capabilities, no_new_privs"},
		{Name: "system calls", Mechanism: "seccomp filter"},
		{Name: "end", Mechanism: "the kernel ends the pid namespace, also when the worker is killed"},
		{Name: "terminals", Mechanism: "devpts of each command"},
	}
	return append(list, n.limitsHeld("tmpfs size, and of the workspace a watch if a limit is asked for")...)
}

// limitsHeld are the capabilities that bound commands, with what bounds the disk.
func (n *native) limitsHeld(disk string) []Capability {
	var list []Capability
	can := n.limits.tree.Support()
	for _, limit := range []struct {
		name      string
		by        cgroup.Limit
		otherwise string
	}{
		{"limit of memory", cgroup.Memory, "RLIMIT_AS of each process"},
		{"limit of processes", cgroup.Processes, "RLIMIT_NPROC"},
		{"limit of cpus", cgroup.CPUs, n.limits.held["cpus"]}, // one that needs the limit of wall
	} {
		c := Capability{Name: limit.name, Mechanism: can[limit.by].Mechanism, Reason: can[limit.by].Reason}
		if c.Mechanism == "" {
			c.Mechanism = limit.otherwise
		}
		list = append(list, c)
	}
	return append(list,
		Capability{Name: "limit of disk", Mechanism: disk},
		Capability{Name: "limit of file_size", Mechanism: "RLIMIT_FSIZE"},
		Capability{Name: "limit of open_files", Mechanism: "RLIMIT_NOFILE"},
		Capability{Name: "limit of wall", Mechanism: "clock"},
		Capability{Name: "limit of output", Mechanism: "counted, and the rest dropped"},
	)
}

// capabilities are those of a launcher that has shown that it works, and say first that it is degraded.
func (f confiner) capabilities() []Capability {
	files, account := "Landlock, with modes, owners, times and attributes closed by the filter of system calls", "the worker's own, without its rights"
	if f.options.ownAccounts() {
		files, account = "Landlock", "one of its own for each sandbox"
	}
	end := "the keeper ends the Landlock domain, also when the worker is killed, but not when it is killed itself"
	if f.limits.grouped != (cgroup.Limits{}) && f.limits.tree.Support()[cgroup.Kill].Mechanism != "" {
		end = "the keeper ends the Landlock domain, also when the worker is killed; when it is killed itself the worker ends the control group"
	}
	list := []Capability{
		{Name: "isolation", Mechanism: "degraded: no namespaces, so commands see paths and process ids of the host; take native or bwrap where the host allows them"},
		{Name: "file system", Mechanism: files + ", with an allowlist; /tmp, /dev/shm and most of /proc are closed"},
		{Name: "processes", Mechanism: "Landlock scope of signals; no arguments or environments of others"},
		{Name: "network", Mechanism: "offline: the filter of system calls denies sockets, Landlock TCP"},
		{Name: "account", Mechanism: account},
		{Name: "rights", Mechanism: "no capabilities, no_new_privs"},
		{Name: "system calls", Mechanism: "seccomp filter"},
		{Name: "end", Mechanism: end},
		{Name: "terminals", Mechanism: "devpts of the host"},
		{Name: "read-only dirs", Reason: "Landlock cannot close a part of the workspace: take native or bwrap where commands must not change input, reference or tools"},
	}
	return append(list, f.limitsHeld("watch of the workspace and of scratch directories, if a limit is asked for")...)
}
