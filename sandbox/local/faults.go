package local

import "time"

// faults are what tests make fail, to see what is done about it. The zero value is for everybody else.
type faults struct {
	// step is the step of the first process that fails.
	step string
	// noGroups is a host without control groups.
	noGroups bool
	// program is the name that the first process is started with, which its main does not know.
	program string
	// ticks are when a workspace is looked at, in place of a clock.
	ticks <-chan time.Time
	// inUse is what a file system has in use, in place of asking it.
	inUse func() (int64, error)
}

// ticker returns the times when a workspace is looked at, and a function that ends them.
func (f faults) ticker() (<-chan time.Time, func()) {
	if f.ticks != nil {
		return f.ticks, func() {}
	}
	t := time.NewTicker(lookEvery)
	return t.C, t.Stop
}

// inUseOf is what the file system of a directory has in use.
func (f faults) inUseOf(dir string) (int64, error) {
	if f.inUse != nil {
		return f.inUse()
	}
	return inUse(dir)
}
