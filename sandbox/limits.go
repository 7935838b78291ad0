package sandbox

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// minCPUs is the smallest share of a processor: what schedulers still give in every period.
const minCPUs = 0.01

// Limits are what a sandbox may use. In each field zero means that no limit is asked for, so the zero Limits ask for
// none at all. They are plain values, compared with ==. Backends hold them: one that cannot hold a limit that is asked
// for must refuse, and not run without it.
type Limits struct {
	// Wall is how long a command may run, by the clock.
	Wall time.Duration
	// Memory is what a command and all that it starts may occupy together, in bytes.
	Memory int64
	// CPUs is the processor time that a command and all that it starts may use in the time that passes: 2 is two
	// whole processors, 0.5 half of one.
	CPUs float64
	// Processes is how many processes and threads of a command may be alive at once.
	Processes int
	// Disk is what the files of the sandbox may occupy together, in bytes: those of its workspace, and those that a
	// command has elsewhere.
	Disk int64
	// FileSize is how large a file may become, in bytes.
	FileSize int64
	// OpenFiles is how many files a process may have open at once.
	OpenFiles int
	// Output is how much of what a command prints may be kept, in bytes.
	Output int64
}

// MaxLimits returns the most that each field of [Limits] may hold. What is above is no limit of a real machine but a
// slip of the pen, or overflows somewhere on the way to the kernel.
func MaxLimits() Limits {
	return Limits{
		Wall:      30 * 24 * time.Hour,
		Memory:    64 << 40,
		CPUs:      1024,
		Processes: 1 << 22, // Linux has no more numbers for processes
		Disk:      1 << 50,
		FileSize:  1 << 50,
		OpenFiles: 1 << 20, // what Linux allows a process unless it is told to allow more
		Output:    1 << 30, // it passes through the worker's memory
	}
}

// Check returns an [*Error] that lists every field which is negative, no number, or more than [MaxLimits] has. The
// paths are the names of the policy file, such as /file_size.
func (l Limits) Check() error {
	var faults []Fault
	check := func(name string, ok bool, most string) {
		if !ok {
			faults = append(faults, Fault{
				Path: "/" + name, Rule: RuleInvalidValue, Detail: "must not be negative, and at most " + most,
			})
		}
	}
	most := MaxLimits()
	check("wall", within(l.Wall, most.Wall), formatWall(most.Wall))
	check("memory", within(l.Memory, most.Memory), FormatSize(most.Memory))
	check("cpus", within(l.CPUs, most.CPUs) && (l.CPUs == 0 || l.CPUs >= minCPUs), formatCPUs(most.CPUs)+"; the least is "+formatCPUs(minCPUs))
	check("processes", within(l.Processes, most.Processes), strconv.Itoa(most.Processes))
	check("disk", within(l.Disk, most.Disk), FormatSize(most.Disk))
	check("file_size", within(l.FileSize, most.FileSize), FormatSize(most.FileSize))
	check("open_files", within(l.OpenFiles, most.OpenFiles), strconv.Itoa(most.OpenFiles))
	check("output", within(l.Output, most.Output), FormatSize(most.Output))
	if faults == nil {
		return nil
	}
	return newError(faults)
}

// within is false for NaN, too.
func within[T cmp.Ordered](v, most T) bool {
	var zero T
	return v >= zero && v <= most
}

// Narrow returns what holds when both l and other must: in each field the smaller one, and where only one of them asks
// for a limit, that one. So a contract can ask for less than a policy does, and never for more. Both should have
// passed [Limits.Check]; a field that is negative or no number stays so.
func (l Limits) Narrow(other Limits) Limits {
	return Limits{
		Wall:      narrower(l.Wall, other.Wall),
		Memory:    narrower(l.Memory, other.Memory),
		CPUs:      narrower(l.CPUs, other.CPUs),
		Processes: narrower(l.Processes, other.Processes),
		Disk:      narrower(l.Disk, other.Disk),
		FileSize:  narrower(l.FileSize, other.FileSize),
		OpenFiles: narrower(l.OpenFiles, other.OpenFiles),
		Output:    narrower(l.Output, other.Output),
	}
}

func narrower[T cmp.Ordered](a, b T) T {
	var zero T
	switch {
	case a == zero:
		return b
	case b == zero:
		return a
	}
	return min(a, b)
}

// String returns what is asked for as the policy file writes it, such as "wall: 45m, memory: 2GiB", and "none" for the
// zero Limits.
func (l Limits) String() string {
	var asked []string
	show := func(name string, set bool, value string) {
		if set {
			asked = append(asked, name+": "+value)
		}
	}
	show("wall", l.Wall != 0, formatWall(l.Wall))
	show("memory", l.Memory != 0, FormatSize(l.Memory))
	show("cpus", l.CPUs != 0, formatCPUs(l.CPUs))
	show("processes", l.Processes != 0, strconv.Itoa(l.Processes))
	show("disk", l.Disk != 0, FormatSize(l.Disk))
	show("file_size", l.FileSize != 0, FormatSize(l.FileSize))
	show("open_files", l.OpenFiles != 0, strconv.Itoa(l.OpenFiles))
	show("output", l.Output != 0, FormatSize(l.Output))
	if asked == nil {
		return "none"
	}
	return strings.Join(asked, ", ")
}

// formatWall leaves out the zeros at the end: "45m" and not "45m0s".
func formatWall(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func formatCPUs(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
