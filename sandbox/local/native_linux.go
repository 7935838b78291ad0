package local

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// agent is the account of commands, in the numbers of the sandbox.
const agent = 1000

// namespaces are those that a command has of its own. That of control groups is made inside, once the process is in
// its group.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// building are the capabilities that the first process needs until the sandbox is made. They reach no further than its
// own namespaces.
var building = []uintptr{unix.CAP_DAC_READ_SEARCH, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE}

// native isolates commands in namespaces that the worker's own program makes, started once more.
type native struct {
	options Options
	view    view
	limits  *limits
	starter *starter
	bwrap   string // the program that makes them instead, if it is to be one
}

func (n *native) run(ctx context.Context, c command) (backend.Result, error) {
	job, err := n.job(c)
	if err != nil {
		return backend.Result{}, err
	}
	l := &launch{
		launcher: n.options.Launcher, starter: n.starter, command: c, job: job, limits: n.limits,
		records: c.box.dir(recordsName), grace: n.options.Grace, patience: startTime,
	}
	if err := n.prepare(l, c.box.account); err != nil {
		return backend.Result{}, err
	}
	return l.run(ctx)
}

func (n *native) untold() []backend.Limit { return n.limits.untold() }

func (n *native) close() error { return errors.Join(n.starter.close(), n.limits.tree.Close()) }

// attributes are those of the first process of a sandbox whose commands have the account a.
func (n *native) attributes(a account) syscall.SysProcAttr {
	mapped := func(own, other int) []syscall.SysProcIDMap {
		if a.other() {
			own = other
		}
		return []syscall.SysProcIDMap{{ContainerID: agent, HostID: own, Size: 1}}
	}
	return syscall.SysProcAttr{
		Cloneflags: namespaces, Setsid: true, Pdeathsig: syscall.SIGKILL, AmbientCaps: building,
		UidMappings: mapped(os.Geteuid(), a.uid), GidMappings: mapped(os.Getegid(), a.gid),
		GidMappingsEnableSetgroups: a.other(),
	}
}

// refusal says that a host cannot do what a launcher promises.
func refusal(l Launcher, what string, err error) error {
	return cannotIsolate(l, explain(what, err))
}

// explain names a capability that is missing, why, and what to do.
func explain(what string, err error) string {
	reason := "failed"
	var errno syscall.Errno
	if what == "control group" && err != nil {
		return err.Error() // it names no path
	}
	if errors.As(err, &errno) && errno != 0 {
		reason = "answered " + unix.ErrnoName(errno)
	}
	for _, r := range remedies {
		if r.what == what && (r.errno == 0 || r.errno == errno) {
			return what + " " + reason + ": " + r.do
		}
	}
	return what + " " + reason + ": see docs/operations.md"
}

// remedies say what to do where something is missing. The first that fits is taken.
var remedies = []struct {
	what  string
	errno syscall.Errno
	do    string
}{
	{"landlock", unix.ENOSYS, "the kernel has no Landlock: it needs Linux 6.12 with CONFIG_SECURITY_LANDLOCK"},
	{"landlock", unix.EOPNOTSUPP, "Landlock is not enabled: add landlock to the kernel's parameter lsm"},
	{"landlock", unix.EPERM, "the container denies Landlock: allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self in its seccomp profile"},
	{"landlock", 0, "the kernel is older than Linux 6.12, whose Landlock keeps signals in: use a newer one"},
	{"keeper", unix.EPERM, "a worker that is root must be able to end commands, which have other accounts: give the container the capability CAP_KILL"},
	{"scope", unix.EPERM, "the container denies Landlock: allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self in its seccomp profile"},
	{"account", unix.EPERM, "a worker that is root must be able to take other accounts: give the container the capabilities CAP_SETUID and CAP_SETGID, or run it as an ordinary account"},
	{"starter", 0, "the worker's program could not be started once more, or was ended at once: look at the worker's limits of processes and memory"},
	{"namespaces", unix.EPERM, "the host or its container does not let this account make user namespaces: allow them " +
		"(kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces, the container's seccomp profile), or use the launcher bwrap"},
	{"namespaces", unix.EACCES, "a security module denies user namespaces: give the worker a profile that allows them, or use the launcher bwrap"},
	{"namespaces", unix.ENOSPC, "user.max_user_namespaces is used up or 0: raise it"},
	{"namespaces", unix.EINVAL, "the kernel has no user namespaces: it needs CONFIG_USER_NS"},
	{"namespaces", unix.EUSERS, "user namespaces are nested too deep: run the worker in fewer of them"},
	{"mount namespace", unix.EPERM, "the container does not let root have one for bwrap: run the worker as an ordinary account, or with CAP_SYS_ADMIN"},
	{"search for bwrap", 0, "install bubblewrap 0.7 or later where Options.Path finds it, or set Options.Bwrap to the path of the program"},
	{"check of bwrap", 0, "its set-user-ID bit or file capabilities would give it rights of the host, where it is to have none: take them away"},
	{"bwrap", unix.EACCES, "the account of the sandbox must be able to execute the program: see its rights, and those of the directories that lead to it"},
	{"bwrap", 0, "it ended before the sandbox was made: it needs to be bubblewrap 0.7 or later, allowed to make user namespaces (by AppArmor, " +
		"user.max_user_namespaces and the container's seccomp profile) and to mount; " +
		"what is missing it says for: bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true"},
	{"takeover", 0, "a directory at the top of the workspace was replaced while the command was started: start it again"},
	{"account", unix.EINVAL, "the user namespace of the worker has not all ids from Options.FirstUID on: set it to some that it has"},
	{"handshake", 0, "the worker's program must call local.Init() as the first line of main, and of TestMain in tests"},
	{"sources", unix.ENOSYS, "the kernel is older than Linux 5.12: use a newer one"},
	{"sources", unix.EPERM, "the container denies mounts, or AppArmor leaves new user namespaces no rights: allow mount, open_tree and " +
		"mount_setattr in its seccomp profile, or give the worker a profile that allows user namespaces"},
	{"sources", unix.EACCES, "a security module denies mounts: give the worker a profile that allows them"},
	{"sources", unix.ENOENT, "a path of Options.System, or what is behind a path grant, has gone: put it there again"},
	{"sources", unix.ELOOP, "a symbolic link was put on the way to what is behind a path grant: look who may change that directory"},
	{"root", unix.EPERM, "the container denies mounts: allow mount in its seccomp profile, and by AppArmor"},
	{"proc", unix.EPERM, "the container's /proc is masked, so no other can be mounted: run it with an unmasked /proc"},
	{"mounts", unix.EPERM, "the container denies mounts: allow move_mount in its seccomp profile, and by AppArmor"},
	{"pivot", unix.EPERM, "the container denies another root: allow pivot_root, umount2 and mount_setattr in its seccomp profile, and by AppArmor"},
	{"cgroup-namespace", unix.EPERM, "the container denies namespaces of control groups: allow unshare in its seccomp profile"},
	{"descriptors", unix.ENOSYS, "the kernel is older than Linux 5.11: use a newer one"},
	{"descriptors", unix.EPERM, "the container denies it: allow close_range in its seccomp profile"},
	{pid1.AddressSpace, 0, "the command could not be held to Limits.Memory: allow prlimit64 in the container's seccomp profile, or give the worker control groups"},
	{"seccomp", 0, "the kernel needs CONFIG_SECCOMP_FILTER, on amd64 or arm64"},
	{"hostname", unix.EPERM, "the host or its container denies it: allow sethostname and setdomainname in the seccomp profile, and " +
		"leave ProtectHostname out of the unit of systemd"},
}
