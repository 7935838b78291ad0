// Package local keeps sandboxes in directories of the worker's host and runs their commands as its processes.
//
// # Usage
//
//	func main() {
//		local.Init() // first: the program is also the first process of its sandboxes
//		...
//		b, err := local.New(local.Options{
//			Dir:       "/var/lib/agents/sandboxes", // absolute, of this host alone, mode 0700
//			Launchers: policy.Backends(),
//			Limits:    policy.Limits(),
//			Roots:     policy.LocalRoots(),
//		})
//		...
//		defer b.Close()
//
// A [Backend] is handed to the host of a provider, which calls it. The host must be told the launcher of nothing: what
// cannot be kept apart as asked is refused by [New], or before a command starts. [Probe] says what a host can do.
//
// # Isolation
//
// With [Native], the zero launcher, each command has a user, mount, pid, network, IPC, UTS and control group namespace of
// its own, which the worker's program makes, started once more from a sealed copy in memory. It needs no other program,
// and works for a worker that is root and for an ordinary account. The command
//
//   - sees /usr of the host, what of /etc programs need, the workspace, and what Options name. All but the workspace and
//     /tmp cannot be changed, nor can the directories input, reference and tools of the workspace;
//   - sees its own processes only, and no environment, argument or descriptor of the worker;
//   - reaches no network, no socket of the host and no device but the harmless ones;
//   - runs as an account that is never root on the host, one for each sandbox where the worker is root, without
//     capabilities and without a way to get one, under a filter of system calls;
//   - is held to [Options].Limits, by control groups where the worker may use them and else by what the kernel keeps for
//     each process. [backend.Result] names those that it reached.
//
// Commands share the workspace and nothing else: each has a /tmp and a network of its own, so what one leaves in /tmp is
// gone with it, and a server that one starts is not reached by another. docs/operations.md says what a host needs, and
// how to read a refusal.
//
// [Bubblewrap] does the same with namespaces and a file system that the program bwrap makes.
//
// # Landlock
//
// [Landlock] is degraded: it does without namespaces, where nobody may make them, and must be named as Unisolated must.
// Commands cannot open files of the host, have no sockets, and can neither signal nor look into other processes; that these
// are there they can tell. They find everything where it is on the host: the workspace, which is no /workspace, what
// Options.System names, and path grants, of which Options.Paths can name no other Source. TMPDIR is a directory of the
// command's own in place of /tmp, and nothing of the workspace is read-only. Where the worker is root the accounts of
// sandboxes must be able to pass the directories that lead to Options.Dir; else commands have the worker's account, and may
// change no mode, owner, times and attributes by path. docs/sandboxes.md compares the launchers.
//
// # Unisolated
//
// [Unisolated] starts commands as ordinary processes of the account that the worker runs as. They can read, change and
// signal what the worker can, talk to any network, and see other sandboxes. What it does keep apart is by convention
// only: each sandbox has a directory of its own, commands get the environment that the manifest says and never the
// worker's, and their processes are ended. It is for code that is trusted as much as the worker is. It is never taken
// unless [Options] names it, and not if Options.Launchers does not allow it. Repositories of a manifest are fetched in
// this way with every launcher, since that needs the network.
//
// # Paths
//
// The workspace is a directory below [Options].Dir; in the sandbox's own words it is the root of the manifest, which
// is /workspace if it names none. Paths are relative to it, or absolute and below the root or a path grant. Files are
// read and written through [os.Root]: symbolic links are followed inside the workspace or the grant, and never out of
// it; absolute ones count as leading out.
//
// The path grants of a manifest lead to what Options.Paths names. Where one lies below another the longest counts, as it
// does for Options.Paths. Read, Write and the directory of a command reach them with the rights to files that commands
// have, which may be few on a host's directory; new files belong to the sandbox's account. The directories on the way
// must be readable for it, not only searchable. A link below a grant is followed among the host's files, where another
// grant may cover them for commands.
//
// An isolated command finds it there. For an unisolated one, and with Landlock, there is no /workspace. Its directory is the workspace, so
// relative paths work everywhere. An
// argument that is the root or begins with it, such as /workspace/x, becomes relative to that directory, as ./x, the
// program itself too, so that no message of a command holds a path of the host; a path further inside an argument, as
// in the text of a shell command, does not. HOME is the workspace, and commands that ask where they are, such as pwd,
// do print a path of the host.
//
// # Processes
//
// An isolated command has a first process that is not its own: when the command is over, that ends, and the kernel ends
// whatever else is in its pid namespace before the worker is told; so it is when the worker is killed. On a timeout, a
// cancellation, Stop, Delete and Close all its processes get SIGTERM, and [Options].Grace later SIGKILL. With Landlock the
// first process is a keeper, which ends the rest itself: see docs/sandboxes.md for when it is killed.
//
// Each unisolated command is the leader of a session and a process group of its own. It is over when its first process is: what
// is left of the group is ended then, so a command cannot leave a server behind. On a timeout, a cancellation, Stop,
// Delete and Close the group gets SIGTERM, [Options].Grace later SIGKILL, and is waited for. On Linux the first process
// also dies with the worker, and what else a sandbox started is found by its HOME, in other sessions too: Stop,
// Delete and Close end it, and so does New after the worker was killed; a timeout and a cancellation leave what began
// another session alone. Stop and Delete fail if new ones come for more than ten seconds; New and Close do, too. On
// macOS such processes are found only if the first process of their command is still there.
//
// A terminal has 80 columns and 24 lines, and TERM is dumb unless the command says another. It controls a session, which
// ends as a whole with its first process: the jobs of a shell, too. The group of the first process gets SIGHUP besides,
// since shells at a terminal ignore SIGTERM. On macOS jobs in groups of their own are left alone, as those in other
// sessions are, and a write to a program that does not read ends with the program. No command ignores a signal because
// the worker does.
//
// Stop and Delete return when their context ends, with an error that wraps its own. Their work goes on, and the next
// call waits for it. A sandbox is listed until all of it is removed.
//
// # Files
//
// Write, the manifest and archives put a file in place when it is whole, under a name that begins with
// .sandboxguard-part- until then; what a killed worker left under such a name is in no archive. A manifest or an archive
// as a whole is not put in place at once. A file that is granted by itself is overwritten where it is. What is below path
// grants is in no archive, and stays when the sandbox ends.
//
// With Options.Limits.Disk the workspace may have no more than that. A command that fills it further is killed at once,
// with the exit code -9, and so are those beside it; [backend.Result] names the limit. In a workspace that is over its
// limit commands still start, to remove something, and are killed when it grows. Write, Hydrate and Start are refused
// if the workspace would be over. docs/operations.md says what this does not see.
//
// # Errors
//
// Errors are [backend.Error] values with the codes of the OpenAI Agents SDK. They quote no path of the host, no
// contents, and no text of git or the operating system. A refusal before a command starts has the code
// [backend.ExecTransport].
//
// # Concurrency
//
// Backends and sandboxes may be used by any number of goroutines. A lock on the directory keeps a second process out.
//
// # Platforms
//
// Linux and macOS. On other systems New answers that it cannot.
package local
