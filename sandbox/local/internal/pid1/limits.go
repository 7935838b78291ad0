//go:build linux

package pid1

import "golang.org/x/sys/unix"

// ownThreads is what the first process itself takes of the limit of processes.
const ownThreads = 16

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
	return setZero(unix.RLIMIT_CORE)
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

func setZero(which int) error { return unix.Setrlimit(which, &unix.Rlimit{}) }
