package local

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// confiner keeps commands from the host with Landlock, a filter of system calls and, where the worker is root, accounts of
// their own. They have no namespaces, so they see the host's paths, and a keeper ends them: see package pid1.
type confiner struct{ *native }

func newLandlock(ctx context.Context, o Options) (launcher, error) {
	if err := landlock.Available(); err != nil {
		return nil, refusal(Landlock, "landlock", err)
	}
	n, err := newNative(o)
	if err != nil {
		return nil, err
	}
	c := confiner{n}
	if err := c.try(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// try makes a process that could become a command, and runs none.
func (f confiner) try(ctx context.Context) error {
	var a account
	if f.options.ownAccounts() {
		a = account{uid: f.options.FirstUID + accounts - 1, gid: f.options.FirstUID + accounts - 1}
	}
	l := f.launch(command{stdout: io.Discard, stderr: io.Discard}, pid1.Job{
		Mounts: f.view.mounts, UID: a.uid, GID: a.gid, Dir: "/", Limits: f.limits.single, Terminal: true, FailAt: f.options.faults.step,
	})
	l.patience = handshakeTime
	if err := f.prepare(l); err != nil {
		return err
	}
	_, err := l.run(ctx)
	return err
}

func (f confiner) run(ctx context.Context, c command) (backend.Result, error) {
	scratch, remove, err := c.box.newScratch(ctx)
	if err != nil {
		return backend.Result{}, err
	}
	defer remove()
	job, err := f.job(c, scratch)
	if err != nil {
		return backend.Result{}, err
	}
	l := f.launch(c, job)
	if err := f.prepare(l); err != nil {
		return backend.Result{}, err
	}
	l.records = c.box.dir(recordsName)
	return l.run(ctx)
}

func (f confiner) launch(c command, job pid1.Job) *launch {
	return &launch{
		launcher: Landlock, starter: f.starter, command: c, job: job, limits: f.limits, grace: f.options.Grace, patience: startTime,
	}
}

// prepare says how the keeper comes about.
func (f confiner) prepare(l *launch) error {
	program, err := sealedProgram()
	if err != nil {
		return err
	}
	l.files = []*os.File{program}
	l.start = pid1.Start{
		Name: cmp.Or(f.options.faults.program, pid1.KeeperName), Attributes: syscall.SysProcAttr{Setsid: true}, Keeps: true,
	}
	return nil
}

// job is what the keeper does for a command, whose files are where the host has them.
func (f confiner) job(c command, scratch string) (pid1.Job, error) {
	s := c.box
	h, err := c.inHostWords()
	if err != nil {
		return pid1.Job{}, err
	}
	grants, err := f.options.grants(s.manifest)
	if err == nil {
		err = checkGranted(grants, backend.ExecTransport)
	}
	if err != nil {
		return pid1.Job{}, err
	}
	mounts := append(slices.Clone(f.view.mounts),
		pid1.Mount{Source: s.dir(workspaceName), Writable: true, Within: true}, pid1.Mount{Source: scratch, Writable: true, Within: true})
	for _, g := range grants {
		mounts = append(mounts, pid1.Mount{Source: g.source, Writable: g.writable, Direct: true})
	}
	return pid1.Job{
		Mounts: mounts, UID: s.account.uid, GID: s.account.gid, Dir: h.dir, Limits: f.limits.single, Terminal: c.terminal != nil,
		Args: h.argv, Env: s.environment(append([]string{"TMPDIR=" + scratch}, c.env...), h.dir), FailAt: f.options.faults.step,
	}, nil
}

// place lets the accounts of sandboxes pass the backend's directory, and shows that they get there: they reach a workspace by
// its path on the host.
func (f confiner) place(dir string) error {
	if !f.options.ownAccounts() {
		return nil
	}
	if err := os.Chmod(dir, f.options.dirMode()); err != nil {
		return errors.New("local: the rights of Dir could not be changed: it must belong to the worker's account")
	}
	a := account{uid: f.options.FirstUID + accounts - 1, gid: f.options.FirstUID + accounts - 1}
	var reached error
	if err := a.as(func() { reached = unix.Stat(dir+"/.", new(unix.Stat_t)) }); err != nil {
		return refuseFirst(backend.ExecTransport, err.Error())
	}
	if reached != nil {
		return errors.New("local: with landlock the accounts of sandboxes must reach Dir, since commands use it where it is on the host: " +
			"give others the right to pass the directories that lead to it (chmod o+x), or run the worker as an ordinary account")
	}
	return nil
}

// swept says by what nothing is left of a command that has a keeper. Where the keeper did not say so its control group is
// ended, if there is one.
func (l *launch) swept() string {
	if !l.told { // it has started nothing
		_ = unix.PidfdSendSignal(l.child.held.fd, unix.SIGKILL, nil, 0)
		return domainEnded
	}
	timer := time.NewTimer(leftoverWait)
	defer timer.Stop()
	for over := false; !over; {
		select {
		case r, ok := <-l.reports:
			if r.Emptied {
				return domainEnded
			}
			over = !ok
		case <-timer.C:
			over = true
		}
	}
	if l.group.kill() {
		return "control group ended"
	}
	return ""
}

// domainEnded is what the keeper has done.
const domainEnded = "landlock domain ended"
