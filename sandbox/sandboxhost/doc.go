// Package sandboxhost runs on the worker: it answers the activities of a sandbox provider with the sandboxes of a
// [backend.Backend].
//
// # Usage
//
//	host, err := sandboxhost.New("local", sandboxes, sandboxhost.Options{Dir: "/var/lib/worker/sessions", Audit: sink})
//	if err != nil {
//		return err
//	}
//	host.Register(w) // the worker of the provider's task queue
//	go func() { ended <- host.Run(ctx, c, "agents") }()
//
// A host has its directory and its backend to itself until Run has ended: a second host on one of them is refused.
// Call [Host.Close] if Run is never called.
//
// Workflows reach it through package sandboxclient, or through Temporal's plugin for the OpenAI Agents SDK.
//
// # Sessions
//
// The workflow that created a session owns it, with all runs of its chain: those after continue-as-new, a retry or
// a reset. The host keeps a record of each session in Options.Dir, and believes nothing else: of the state that a
// caller hands over it takes the session's id, and compares the rest. Whoever is not the owner, another workflow
// that uses the same id later and a standalone activity included, gets the answer for a session that does not exist,
// and leaves an audit record. Nothing happens.
//
// # Ends
//
// A session ends when its owner deletes it, when its owner ends, when nothing used it for Options.IdleTimeout, when
// it is as old as Options.MaxLifetime, and when [Host.Run] ends. Its processes, its workspace and its record are
// removed then; what cannot be removed at once is tried again. Sessions of a host that was killed are taken over by
// the next one that runs on the same directory. Of the latest 4096 sessions that ended the host keeps whose they were,
// so that their owner can end them again, as clean-ups do that are made once more.
//
// # Secrets
//
// References in the environment of a manifest are resolved when a command needs them, by the guard of package
// interceptor, which must be on the worker. The host notes the names of what a session was given, so that it is
// hidden in everything the session puts out, also after a restart, and a proof of each value, so that one that was
// rotated meanwhile is noticed: then nothing is put out. Nothing that ends a session needs a secret.
//
// Without the guard no policy is in force for the operations of a host. It warns once of that, in the worker's log, refuses
// commands of sessions with secrets, and answers everything else.
//
// # Errors
//
// An activity that failed for good ends with an application error that is not retried, whose type is a code of the
// format, such as exec_timeout, or one of sandboxguard.NotHere, sandboxguard.MayHaveRun, sandboxguard.OutputWithheld
// and InvalidArgument. Others have the name of a class, such as ExecTransportError, and are retried. Messages hold
// no path of the host and nothing that a backend said, unless it is a [backend.Error].
//
// A missing file and a timeout have the messages of the format, whatever the backend says.
//
// # Commands
//
// A script that begins with "cd DIR && ", in which DIR is an absolute path at or below the root of the manifest and has
// no expansions, runs in that directory of the workspace, wherever the backend keeps it.
//
// A command is run once: its attempt is noted before it starts, and a later attempt of the same activity ends with
// sandboxguard.MayHaveRun.
//
// # Terminals
//
// A backend whose sandboxes are [backend.Terminals] has commands that go on after the activity that started them, and
// that later ones talk to. A session has at most 64; one more ends the one that was used least. A start and an input
// happen once for all attempts of an activity. What was put out is hidden as it comes, and told once: what may be the
// beginning of a secret waits for more. Options.MaxOutput bounds what is kept for each, and Options.MaxConcurrent those
// for whose output an activity waits.
//
// # Concurrency
//
// All methods of a [Host] may be called at the same time. Commands run side by side, up to a limit, and so do starts,
// archives and files; what ends something waits for none of them.
package sandboxhost
