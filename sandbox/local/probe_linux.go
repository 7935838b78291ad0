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
		Capability{Name: "limit of disk", Mechanism: "tmpfs size, and of the workspace a watch if a limit is asked for"},
		Capability{Name: "limit of file_size", Mechanism: "RLIMIT_FSIZE"},
		Capability{Name: "limit of open_files", Mechanism: "RLIMIT_NOFILE"},
		Capability{Name: "limit of wall", Mechanism: "clock"},
		Capability{Name: "limit of output", Mechanism: "counted, and the rest dropped"},
	)
}
