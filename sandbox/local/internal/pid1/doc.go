// Package pid1 is the first process of a sandbox: the worker's own program, started once more in new namespaces. It
// is that as soon as its packages are initialised, wherever this package is imported. It gets its job over a socket
// pair, makes the sandbox's file system, gives up every right, starts the command as its child, and ends with it. The
// kernel ends whatever else is in the sandbox then, so that once the first process was waited for nothing is left.
//
// Under other names the same program is the starter, which starts the first processes of a worker and waits for them, the
// stage, which becomes bwrap, and the keeper of a command without namespaces, which it starts as the same program that then
// becomes the command: the steps of these two are those of [KeeperSteps].
//
// The steps are those of [Steps], in that order, each in a file that is named after it. What comes after them is the start
// of the command, which may take one more: its limit of the address space. A step that fails ends the process before
// anything of the command ran, and the worker is told which it was.
package pid1
