package validation

import (
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// limitsShape has the maxima of [sandbox.MaxLimits], so what it accepts passes
// [sandbox.Limits.Check].
func limitsShape() *shape {
	most := sandbox.MaxLimits()
	return object(
		field{name: "wall", shape: duration(most.Wall), doc: "How long a command may run."},
		field{name: "memory", shape: size(most.Memory), doc: "What a command and all that it starts may occupy together."},
		field{name: "cpus", shape: decimal(most.CPUs), doc: "The processors that they may use: 0.5 is half of one."},
		field{name: "processes", shape: integer(1, most.Processes), doc: "How many processes and threads may be alive at once."},
		field{name: "disk", shape: size(most.Disk), doc: "What the files of the sandbox may occupy together."},
		field{name: "file_size", shape: size(most.FileSize), doc: "How large a file may become."},
		field{name: "open_files", shape: integer(1, most.OpenFiles), doc: "How many files a process may have open at once."},
		field{name: "output", shape: size(most.Output), doc: "How much of what a command prints may be kept."},
	)
}

// compileLimits reads what the table accepted; v is nil when there is nothing.
func compileLimits(v *value) sandbox.Limits {
	number := func(name string) int64 {
		if f := v.get(name); f != nil {
			return f.number
		}
		return 0
	}
	l := sandbox.Limits{
		Wall:      time.Duration(number("wall")),
		Memory:    number("memory"),
		Processes: int(number("processes")),
		Disk:      number("disk"),
		FileSize:  number("file_size"),
		OpenFiles: int(number("open_files")),
		Output:    number("output"),
	}
	if cpus := v.get("cpus"); cpus != nil {
		l.CPUs = cpus.real
	}
	return l
}
