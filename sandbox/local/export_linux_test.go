package local

import (
	"os/exec"
	"slices"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// FailAt makes a step of every sandbox fail, also of the one that New tries.
func FailAt(step string) func(*Options) { return func(o *Options) { o.faults.step = step } }

// With changes options.
func (o Options) With(change func(*Options)) Options {
	change(&o)
	return o
}

// nativeOf is what the launchers that isolate have in common.
func nativeOf(b *Backend) *native {
	if c, ok := b.launcher.(confiner); ok {
		return c.native
	}
	return b.launcher.(*native)
}

// FailNextAt makes a step of the sandboxes fail that a backend makes from now on.
func FailNextAt(b *Backend, step string) { nativeOf(b).options.faults.step = step }

// WithoutGroups makes the host one without control groups.
func WithoutGroups(o *Options) { o.faults.noGroups = true }

// LoseGroups takes the control groups from a backend that is there, and has it need one for each command.
func LoseGroups(b *Backend) error {
	l := nativeOf(b).limits
	err := l.tree.Close()
	l.tree, l.grouped = new(cgroup.Tree), cgroup.Limits{Memory: 1 << 30}
	return err
}

// WithoutInit makes the program one that does not call Init: its main sees this name, and no other reason to do more than
// it always does.
func WithoutInit(name string) func(*Options) { return func(o *Options) { o.faults.program = name } }

// Steps are those of the first process, with bwrap those of the stage before it, and with landlock those of the keeper.
func Steps(l Launcher) []string {
	switch l {
	case Bubblewrap:
		return slices.Concat(pid1.StageSteps(), pid1.MadeSteps())
	case Landlock:
		return pid1.KeeperSteps()
	case Native, Unisolated:
	}
	return pid1.Steps()
}

// KillGroup kills a process group.
func KillGroup(group int, still func() bool) { killGroup(group, still) }

// Agree is what Init does, or takes it back.
func Agree(is bool) { agreed.Store(is) }

// Tries is the job of the sandbox that New and Probe make and run nothing in.
func Tries(b *Backend) pid1.Job { return nativeOf(b).empty() }

// WithTicks makes workspaces be looked at with each tick, and the file system have in use what the function says.
func WithTicks(ticks <-chan time.Time, inUse func() (int64, error)) func(*Options) {
	return func(o *Options) { o.faults.ticks, o.faults.inUse = ticks, inUse }
}

// LoseStarter puts something in the place of the starter that takes what it is asked next and is lost then. What came with
// that stays open until close is called, as by a process that was started before.
func LoseStarter(b *Backend) (closed func(), err error) {
	s := nativeOf(b).starter
	own, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	asks, err := pid1.NewChannel(own)
	if err != nil {
		return nil, err
	}
	asked, err := pid1.NewChannel(theirs)
	if err != nil {
		return nil, err
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	s.cmd, s.over, s.channel = cmd, over, asks
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		if asked.Receive(new(pid1.Start)) == nil {
			_ = asked.File().Close()
		}
	}()
	return func() {
		<-taken
		_ = asked.Close()
	}, nil
}

// KillStarter kills the starter.
func KillStarter(b *Backend) error {
	s := nativeOf(b).starter
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Kill()
}

// CanEndGroups reports whether each command of a backend has a control group, by which it can be ended.
func CanEndGroups(b *Backend) bool {
	l := nativeOf(b).limits
	return l.grouped != (cgroup.Limits{}) && l.tree.Support()[cgroup.Kill].Mechanism != ""
}
