// Package sandboxclient is how workflow code uses sandboxes: it makes them, runs commands in them, reads and writes
// their files and ends them. All of that is done by a host (package sandboxhost) or by another implementation of the
// activities that Temporal's plugin for the OpenAI Agents SDK has for sandboxes.
//
// # Usage
//
//	client := sandboxclient.New("local", sandboxclient.Options{})
//
//	func Report(ctx workflow.Context, task string) (string, error) {
//		box, err := client.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &manifest}})
//		if err != nil {
//			return "", err
//		}
//		defer box.Close(ctx) // also when the workflow is cancelled
//		result, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"make", "report"}})
//		...
//	}
//
// A run that is continued as new hands [Sandbox.State] to the next one, which calls [Client.Resume], and does not close
// the sandbox.
//
// # What enters history
//
// The arguments and the results of all operations: commands, what is written and read, output. Values of secrets do
// not, as long as they come from the environment of the manifest: the host puts them into commands, and takes them out
// of what comes back. Never put one into a [Command], a file or an input.
//
// # Where operations go, and what is repeated
//
// A sandbox lives on one host, which names a task queue of its own when it makes or resumes the sandbox. An operation
// that no host has taken in time, or for which the answer is that there is no such sandbox, was not carried out: the
// session is resumed by whoever serves [Options.Queue], and the operation is sent once more. Nothing else is followed
// by a resume. Operations that change nothing when they are repeated have [Options.Attempts]; commands, terminals,
// writes and unpacking have one, and end with [ErrMayHaveRun] when their fate is unknown.
//
// Stop, Shutdown and Delete send the id of the session and nothing that could be refused. They are never resumed, and
// succeed when there is nothing left to end. If the host is away and nobody else has the sandbox they end with
// [ErrUnreached], and the host ends it when it is back. [Sandbox.Close] waits for such a host once.
//
// # Errors
//
// What a host tells becomes an [*Error] with a code, whichever of the format's two spellings the host uses. What the
// guard refuses is returned as it is, so that interceptor.IsRefused knows it. A cancelled operation has a
// [temporal.CanceledError] in its chain. This package adds no command, file or path to what a host tells.
//
// # Determinism and concurrency
//
// Methods that have a [workflow.Context] are for workflow code. Several coroutines may use one [Sandbox]. How many
// activities an operation is made of is part of a workflow's history, and so is a promise of this package.
package sandboxclient
