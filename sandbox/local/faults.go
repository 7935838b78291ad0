package local

// faults are what tests make fail, to see what is done about it. The zero value is for everybody else.
type faults struct {
	// step is the step of the first process that fails.
	step string
	// noGroups is a host without control groups.
	noGroups bool
	// program is the name that the first process is started with, which its main does not know.
	program string
}
