package cgroup

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnavailable is wrapped by errors of what the host does not let this process do. Their text has the reason and a
// remedy.
var ErrUnavailable = errors.New("cgroup: unavailable")

// Limits are those of one group. The zero value limits nothing.
type Limits struct {
	// Memory is in bytes; 0 is no limit. The kernel rounds it down to whole pages. Where it counts swap, the group
	// gets none.
	Memory int64
	// Processes is how many processes and threads there are at once; 0 is no limit.
	Processes int
	// CPUs is the share of processors, such as 0.5 or 2; 0 is no limit. The least is 0.01.
	CPUs float64
}

// What the kernel counts processor time in: microseconds in each period of this many.
const cpuPeriod = 100_000

const minCPUs = 0.01

func (l Limits) check() error {
	switch {
	case l.Memory < 0:
		return errors.New("cgroup: Memory must not be negative")
	case l.Processes < 0:
		return errors.New("cgroup: Processes must not be negative")
	case l.CPUs != 0 && (!(l.CPUs >= minCPUs) || l.CPUs > math.MaxInt32):
		return fmt.Errorf("cgroup: CPUs must be 0 or at least %g", minCPUs)
	}
	return nil
}

func (l Limits) quota() int64 { return int64(math.Round(l.CPUs * cpuPeriod)) }

// value is what a limit is set to, in its own unit; 0 if it is not asked for.
func (l Limits) value(what Limit) int64 {
	switch what {
	case Memory:
		return l.Memory
	case Processes:
		return int64(l.Processes)
	case CPUs:
		return l.quota()
	case Kill:
	}
	return 0
}
