package local

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// limits are what each command may use, and what holds it to that on this host.
type limits struct {
	asked sandbox.Limits
	tree  *cgroup.Tree
	// grouped are those that a control group holds, and single those that the kernel keeps per process or account.
	grouped cgroup.Limits
	single  pid1.Limits
	// held says for each limit that is held what holds it.
	held map[string]string
}

// newLimits finds a mechanism for each limit, or refuses.
func newLimits(asked sandbox.Limits, tree *cgroup.Tree) (limits, error) {
	l := limits{asked: asked, tree: tree, held: map[string]string{}}
	can := l.tree.Support()
	_ = l.tree.RemoveStale() // of workers that were killed: what is left of them does no harm
	setDefault(&l.asked.Processes, DefaultProcesses)
	setDefault(&l.asked.OpenFiles, DefaultOpenFiles)
	setDefault(&l.asked.Disk, DefaultDisk)
	if can[cgroup.Memory].Mechanism != "" {
		setDefault(&l.asked.Memory, DefaultMemory)
	}
	l.holdMemory(can[cgroup.Memory])
	l.holdProcesses(can[cgroup.Processes])
	if err := l.holdCPUs(can[cgroup.CPUs]); err != nil {
		return limits{}, err
	}
	l.single.OpenFiles = uint64(l.asked.OpenFiles) //nolint:gosec // checked
	l.held["open_files"] = "RLIMIT_NOFILE"
	l.held["disk"] = "tmpfs size"
	if l.asked.FileSize > 0 {
		l.single.FileSize = uint64(l.asked.FileSize)
		l.held["file_size"] = "RLIMIT_FSIZE"
	}
	return l, nil
}

func (l *limits) holdMemory(by cgroup.Means) {
	switch {
	case l.asked.Memory == 0:
	case by.Mechanism != "":
		l.grouped.Memory, l.held["memory"] = l.asked.Memory, by.Mechanism
	default:
		l.single.AddressSpace, l.held["memory"] = uint64(l.asked.Memory), "RLIMIT_AS of each process" //nolint:gosec // checked
	}
}

func (l *limits) holdProcesses(by cgroup.Means) {
	if by.Mechanism != "" {
		l.grouped.Processes, l.held["processes"] = l.asked.Processes, by.Mechanism
		return
	}
	// The account of commands is never root, for which the kernel does not keep it.
	l.single.Processes, l.held["processes"] = uint64(l.asked.Processes), "RLIMIT_NPROC" //nolint:gosec // checked
}

func (l *limits) holdCPUs(by cgroup.Means) error {
	switch {
	case l.asked.CPUs == 0:
	case by.Mechanism != "":
		l.grouped.CPUs, l.held["cpus"] = l.asked.CPUs, by.Mechanism
	case l.asked.Wall > 0:
		// What it would have used by the end of its time.
		l.single.CPUSeconds = uint64(math.Ceil(l.asked.CPUs * l.asked.Wall.Seconds()))
		l.held["cpus"] = "RLIMIT_CPU of each process"
	default:
		return fmt.Errorf("local: the limit of cpus cannot be held on this host, no control group: %s; or ask for a limit of wall, too, by which processor time can be bounded", by.Reason)
	}
	return nil
}

// limit is one that is held, as people read it.
func (l *limits) limit(name string) backend.Limit {
	a := l.asked
	value := map[string]string{
		"memory": sandbox.FormatSize(a.Memory), "disk": sandbox.FormatSize(a.Disk), "file_size": sandbox.FormatSize(a.FileSize),
		"processes": strconv.Itoa(a.Processes), "open_files": strconv.Itoa(a.OpenFiles),
		"cpus": strconv.FormatFloat(a.CPUs, 'f', -1, 64),
	}
	return backend.Limit{Name: name, Value: value[name], Mechanism: l.held[name]}
}

// reached tells the limits that show in how a command ended: by the signal of one, also as a shell tells it.
func (l *limits) reached(r pid1.Report) []backend.Limit {
	var out []backend.Limit
	by := func(signal int) bool { return r.Code == -signal || r.Code == 128+signal }
	if l.single.FileSize > 0 && by(int(unix.SIGXFSZ)) {
		out = append(out, l.limit("file_size"))
	}
	if l.single.CPUSeconds > 0 && by(int(unix.SIGXCPU)) {
		out = append(out, l.limit("cpus"))
	}
	if r.Full {
		out = append(out, l.limit("disk"))
	}
	return out
}

// untold are those that the kernel holds by refusing something, and nothing else. A control group counts that.
func (l *limits) untold() []backend.Limit {
	var out []backend.Limit
	for _, one := range []struct {
		name string
		held uint64
		by   string
	}{
		{"open_files", l.single.OpenFiles, "RLIMIT_NOFILE"},
		{"memory", l.single.AddressSpace, "RLIMIT_AS"},
		{"processes", l.single.Processes, "RLIMIT_NPROC"},
	} {
		if one.held > 0 {
			limit := l.limit(one.name)
			limit.Mechanism = one.by
			out = append(out, limit)
		}
	}
	return out
}

// group is the control group of a command. The zero group is none.
type group struct {
	limits *limits
	group  *cgroup.Group
	// tasks are what the process puts itself in with, if it does not have to be put in.
	tasks []*os.File
}

// enter makes a group for a process that waits, and puts it in unless it can do that itself.
func (l *limits) enter(pid int, itself bool) (group, error) {
	if l.grouped == (cgroup.Limits{}) {
		return group{}, nil
	}
	g, err := l.tree.New(l.grouped)
	if err != nil {
		return group{}, err
	}
	var tasks []*os.File
	if itself {
		tasks, err = g.Tasks()
	}
	if err == nil && tasks == nil {
		err = g.Add(pid)
	}
	if err != nil {
		return group{}, errors.Join(err, g.Remove())
	}
	return group{limits: l, group: g, tasks: tasks}, nil
}

// entered closes what the process puts itself in with.
func (g *group) entered() error {
	var err error
	for _, f := range g.tasks {
		err = errors.Join(err, f.Close())
	}
	g.tasks = nil
	return err
}

// kill ends all that is in the group. It reports whether there is one, and that was done.
func (g *group) kill() bool { return g.group != nil && g.group.Kill() == nil }

// close tells which limits were reached, and removes the group, in which there must be nothing any more.
func (g *group) close() ([]backend.Limit, error) {
	if g.group == nil {
		return nil, nil
	}
	_ = g.entered() // of a process that did not come so far
	hits, err := g.group.Hits()
	var reached []backend.Limit
	for _, h := range hits {
		reached = append(reached, g.limits.limit(string(h.Limit)))
	}
	return reached, errors.Join(err, g.group.Remove())
}
