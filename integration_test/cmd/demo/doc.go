// Command demo shows what the guard does, on an embedded Temporal server:
//
//	go -C integration_test run ./cmd/demo
//
// A job with an API token in its manifest runs without the guard, over activities
// of its own, and then with it, in sandboxes. An old workflow with a token in its
// history goes on with the rotated one, four calls are refused, recorded runs are
// replayed without the guard, and everything that the server, the log, the audit
// file and the hosts of the sandboxes show is searched for every secret. The API
// is an HTTP server on the loopback interface, and each run makes its own tokens.
// The orders in data are made up, with six weeks that are out of line.
//
// The job's analysis runs isolated and offline, by the launcher native or by the
// one that -launcher names. Its fetch needs the network and runs unisolated. On a
// host that cannot isolate, the demo says what is missing and what to do, shows
// nothing, and the exit code is 3; -launcher unisolated shows it all the same.
//
// The exit code is 0 only if the search finds the token where nothing guards it
// and nothing where the guard does, if commands reach what is outside of their
// sandbox where nothing isolates them and not where something does, and if
// everything else went as the text says. With -v the workers' log goes to
// standard error.
//
// Called by the name "reports" the demo is the job's own program: commands find
// it under that name in the PATH that the host gives them, so that no shell and no
// other program is needed.
//
// Linux, and macOS with -launcher unisolated, as sandboxes of package sandbox/local.
package main
