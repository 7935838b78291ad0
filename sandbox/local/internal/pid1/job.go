package pid1

// Name is the name that the worker gives its program to make it the first process of a sandbox. There are no
// arguments and no variables: whatever is told to it goes over [Control].
const Name = "sandboxguard-init"

// StageName is the name that the worker gives its program to make it become bwrap, which then starts it as the first
// process of a sandbox. It says that it is there, gets a [Stage], and says no more unless that fails.
const StageName = Name + "-stage"

// StarterName is the name that the worker gives its program to make it a starter, which gets [Start]s over [Control].
const StarterName = Name + "-starter"

// KeeperName is the name that the worker gives its program to make it the keeper of a command that has no namespaces: see
// [KeeperSteps].
const KeeperName = Name + "-keeper"

// Descriptors of the first process, besides the command's input and outputs.
const (
	Control = 3 // the socket pair
	Program = 4 // the sealed copy of the worker's program
	Errors  = 5 // the command's error output, where bwrap started it; to a stage, any that it may replace
)

// A Stage is what the worker's program needs to become bwrap.
type Stage struct {
	// Bwrap is the path of the program.
	Bwrap string
	// UID and GID are the account of the host that it runs as, where the worker is root; 0 where it is the worker's.
	UID, GID int
	// Job is what the first process gets, but for what is the command's own.
	Job Job
}

// A Job is what the first process is to do.
type Job struct {
	// Made is whether bwrap has made the file system already, and the network, the names and the account.
	Made bool
	// Mounts are what the sandbox shows of the host, in the order in which they are put in place. Of a keeper's command they
	// are what it may use, at the paths of the sources.
	Mounts []Mount
	// Links are symbolic links of the root directory, by name.
	Links map[string]string
	// UID and GID are the account of the command, in the sandbox's numbers. For a keeper they are those of the host, and 0
	// is the worker's own.
	UID, GID int
	// Workspace is where commands find the workspace, and Dir where this one starts.
	Workspace, Dir string
	// Scratch bounds what may be written outside the workspace, in bytes.
	Scratch int64
	Limits  Limits
	// Tasks is how many files came with the job through which the first process puts itself into its control group.
	Tasks int
	// Terminal is whether the command gets one, which is sent back.
	Terminal bool
	// Args are the program and its arguments, Env all of its variables. Without arguments nothing is started: the
	// job was to find out whether the steps work.
	Args, Env []string
	// FailAt is a step that is to fail, of the first process or of the stage before it, or the start that comes after
	// them. Tests use it.
	FailAt string
}

// A Mount is a file or a directory of the host.
type Mount struct {
	Source, Target string
	Writable       bool
	// Direct is whether the source must be reached without links: it may be where commands can put some.
	Direct bool
	// Device is whether it is a device that may be used.
	Device bool
	// Within is whether the source lies in the directory of a sandbox, where links may be traps: it is left out if
	// it is no directory.
	Within bool
	// Is tells the source from all other directories, where the job is Made: see [Pin].
	Is Inode
}

// An Inode is a directory of the host, by what the kernel knows it by.
type Inode struct{ Device, Number uint64 }

// Limits are those that the kernel keeps per process or account. 0 is none.
type Limits struct {
	Processes, OpenFiles, FileSize, CPUSeconds, AddressSpace uint64
}

// A Report is what the first process says: that it is there, then that the command runs or why it does not, then
// how it ended.
type Report struct {
	Hello bool
	// PID is the process that said it, in the worker's numbers. It does not say that itself: see [Channel.Sender].
	PID int
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
	// Emptied is what a keeper says last: that nothing of the command is left.
	Emptied bool
}

// An Order is what the worker says after the job.
type Order struct {
	// Signal goes to all processes of the sandbox.
	Signal int
}
