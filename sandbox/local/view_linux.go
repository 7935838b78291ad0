package local

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// What sandboxes see of the host, besides /usr: what programs of a distribution need to run, and nothing that tells of
// the host or of accounts.
var (
	merged = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}
	config = []string{
		"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/localtime", "/etc/mime.types", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/protocols", "/etc/services",
		"/etc/ssl/cert.pem", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
	}
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
)

// view is what commands see of the host: the same for all of them.
type view struct {
	mounts []pid1.Mount
	links  map[string]string
}

// newView looks at what this host has.
func newView(o Options) (view, error) {
	v := view{links: map[string]string{}}
	for _, name := range slices.Concat([]string{"/usr"}, merged, config, devices, o.System) {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(o.System, name):
		case err != nil:
			return view{}, errors.New("local: a part of the host's system that commands need cannot be read: the worker's account must reach /usr and /etc")
		case info.Mode().Type() == fs.ModeSymlink && slices.Contains(merged, name):
			to, err := os.Readlink(name)
			if err != nil {
				return view{}, errors.New("local: a link of the root directory cannot be read")
			}
			v.links[strings.TrimPrefix(name, "/")] = to
		default:
			v.mounts = append(v.mounts, pid1.Mount{Source: name, Target: name, Device: slices.Contains(devices, name)})
		}
	}
	return v, nil
}

// checkRoot refuses a workspace where the sandbox has something else.
func checkRoot(root string) error {
	if in(reserved, root) {
		return refuse(backend.ConfigInvalid, "the root of the manifest must not be at or in a directory of the system, such as /usr or /tmp")
	}
	return nil
}

// job is what the first process does for a command.
func (n *native) job(c command) (pid1.Job, error) {
	s := c.box
	if err := checkRoot(s.root); err != nil {
		return pid1.Job{}, err
	}
	mounts := append(slices.Clone(n.view.mounts), pid1.Mount{Source: s.dir(workspaceName), Target: s.root, Writable: true, Within: true})
	for _, name := range n.options.ReadOnly {
		mounts = append(mounts, pid1.Mount{Source: s.dir(path.Join(workspaceName, name)), Target: path.Join(s.root, name), Within: true})
	}
	grants, err := n.options.grants(s.manifest)
	if err == nil {
		err = checkGranted(grants, backend.ExecTransport)
	}
	if err != nil {
		return pid1.Job{}, err
	}
	for _, g := range grants {
		mounts = append(mounts, pid1.Mount{Source: g.source, Target: g.path, Writable: g.writable, Direct: true})
	}
	return pid1.Job{
		Mounts: mounts, Links: maps.Clone(n.view.links), UID: agent, GID: agent, Workspace: s.root, Dir: c.directory(),
		Scratch: n.limits.asked.Disk, Limits: n.limits.single, Terminal: c.terminal != nil,
		Args: c.args, Env: s.isolatedEnvironment(c), FailAt: n.options.faults.step,
	}, nil
}

// isolatedEnvironment is that of a command which knows the workspace by its own path.
func (s *box) isolatedEnvironment(c command) []string {
	env := append([]string{"PATH=" + s.backend.options.Path, "LANG=C.UTF-8"}, c.env...)
	return lastOnly(append(env, "HOME="+s.root, "PWD="+c.directory()))
}

// empty is a job without a workspace and without a command. It opens a terminal, as those of some commands do.
func (n *native) empty() pid1.Job {
	return pid1.Job{
		Mounts: n.view.mounts, Links: n.view.links, UID: agent, GID: agent, Workspace: "/", Dir: "/",
		Scratch: n.limits.asked.Disk, Limits: n.limits.single, Terminal: true, FailAt: n.options.faults.step,
	}
}
