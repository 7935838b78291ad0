//go:build linux

package pid1

import "golang.org/x/sys/unix"

// ownThreads is what the first process itself takes of the limit of processes.
const ownThreads = 16

// What the kernel counts for the account that made the user namespace, too, which is root's where the worker is root: a
// command that used all there is would take it from the host.
const (
	queuedSignals = 4096 // with timers, which have one each
	lockedMemory  = 8 << 20
)

// tightened are set whatever the job says, as far as they are not lower already.
var tightened = map[int]uint64{
	// Not 0: a program that the host has for core dumps would get one, with what was in memory. This is the size with
	// which the kernel starts none, and the filter of system calls keeps it. Where the worker's own is 0 there is no way up.
	unix.RLIMIT_CORE:       1,
	unix.RLIMIT_SIGPENDING: queuedSignals,
	unix.RLIMIT_MEMLOCK:    lockedMemory,
	unix.RLIMIT_MSGQUEUE:   0,
	// A worker may have the right to go before others.
	unix.RLIMIT_NICE:   0,
	unix.RLIMIT_RTPRIO: 0,
}

// setLimits sets the limits that the kernel keeps per process or account, for this process and so for the command.
// That of the address space would end this one: the command's own start sets it.
func setLimits(s *state) error {
	l := s.job.Limits
	limits := map[int]uint64{unix.RLIMIT_NOFILE: l.OpenFiles, unix.RLIMIT_FSIZE: l.FileSize, unix.RLIMIT_CPU: l.CPUSeconds}
	if l.Processes > 0 {
		limits[unix.RLIMIT_NPROC] = l.Processes + ownThreads
	}
	for which, max := range limits {
		if max == 0 {
			continue
		}
		if err := lower(which, max); err != nil {
			return err
		}
	}
	for which, max := range tightened {
		if err := lower(which, max); err != nil {
			return err
		}
	}
	return nil
}

// lower sets a limit, which can be no higher than the one there is.
func lower(which int, max uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(which, &now); err != nil {
		return err
	}
	hard := max
	if which == unix.RLIMIT_CPU {
		hard++ // the signal that names the limit comes before the one that ends the process
	}
	return unix.Setrlimit(which, &unix.Rlimit{Cur: min(max, now.Max), Max: min(hard, now.Max)})
}
