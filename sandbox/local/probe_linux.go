package local

import (
	"context"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

// Probe says what the launcher of the options does on this host. It makes a real sandbox, as [New] does, and runs nothing
// in it; Options.Dir is not used. The program must call [Init]. The error is that of options which are wrong; a host that
// cannot do something is no error, and stands in what is returned.
func Probe(ctx context.Context, o Options) (Capabilities, error) {
	o.Dir = "/"
	o, err := o.checked()
	if err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{Launcher: o.Launcher.String()}
	if o.Launcher == Unisolated {
		c.List = unisolated{}.capabilities()
		return c, nil
	}
	n, err := newNative(o)
	if err == nil {
		err = n.try(ctx)
		defer func() { _ = n.close() }() // what it leaves are empty directories of control groups
	}
	if ctx.Err() != nil {
		return Capabilities{}, context.Cause(ctx)
	}
	if err != nil {
		c.Refusal = err.Error()
		return c, nil
	}
	c.List = n.capabilities()
	return c, nil
}

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
