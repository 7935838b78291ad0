package pid1

// Name is the name that the worker gives its program to make it the first process of a sandbox. There are no
// arguments and no variables: whatever is told to it goes over [Control].
const Name = "sandboxguard-init"

// Descriptors of the first process, besides the command's input and outputs.
const (
	Control = 3 // the socket pair
	Program = 4 // the sealed copy of the worker's program
)

// A Job is what the first process is to do.
type Job struct {
	// Made is whether a launcher has made the file system already, and the network, the names and the account.
	Made bool
	// Mounts are what the sandbox shows of the host, in the order in which they are put in place.
	Mounts []Mount
	// Links are symbolic links of the root directory, by name.
	Links map[string]string
	// UID and GID are the account of the command, in the sandbox's numbers.
	UID, GID int
	// Workspace is where commands find the workspace, and Dir where this one starts.
	Workspace, Dir string
	// Scratch bounds what may be written outside the workspace, in bytes.
	Scratch int64
	Limits  Limits
	// Terminal is whether the command gets one, which is sent back.
	Terminal bool
	// Args are the program and its arguments, Env all of its variables. Without arguments nothing is started: the
	// job was to find out whether the steps work.
	Args, Env []string
	// FailAt is a step that is to fail. Tests use it.
	FailAt string
}

// A Mount is a file or a directory of the host.
type Mount struct {
	Source, Target string
	Writable       bool
	// Direct is whether the source must be reached without links.
	Direct bool
	// Device is whether it is a device that may be used.
	Device bool
	// Within is whether the source lies in the directory of a sandbox, where links may be traps: it is left out if
	// it is no directory.
	Within bool
}

// Limits are those that the kernel keeps per process or account. 0 is none.
type Limits struct {
	Processes, OpenFiles, FileSize, CPUSeconds, AddressSpace uint64
}

// A Report is what the first process says: that it is there, then that the command runs or why it does not, then
// how it ended.
type Report struct {
	Hello bool
	// Step is the one that failed, and Errno why. Missing says that there is no such program.
	Step    string
	Errno   int
	Missing bool
	// Entered says that all steps are done: from now on the command may have run. Started says that it does.
	Entered, Started bool
	// Exited says that the command is over.
	Exited bool
	Code   int // -N for signal N
	// Full is whether what may be written outside the workspace was used up.
	Full bool
}

// An Order is what the worker says after the job.
type Order struct {
	// Signal goes to all processes of the sandbox.
	Signal int
}
