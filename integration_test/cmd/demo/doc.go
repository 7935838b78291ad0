// Command demo shows what the guard does, on an embedded Temporal server:
//
//	go -C integration_test run ./cmd/demo
//
// A job with an API token in its manifest runs without the guard, over activities
// of its own, and then with it, in a sandbox. An old workflow with a token in its
// history goes on with the rotated one, four calls are refused, recorded runs are
// replayed without the guard, and everything that the server, the log, the audit
// file and the host of the sandbox show is searched for every secret. The sandbox
// is unisolated: its commands are child processes. The API is an HTTP server on
// the loopback interface, and each run makes its own tokens. The orders in data
// are made up, with six weeks that are out of line.
//
// The exit code is 0 only if the search finds the token where nothing guards it
// and nothing where the guard does, and if everything else went as the text
// says. With -v the workers' log goes to standard error.
//
// Called by the name "reports" the demo is the job's own program: commands find
// a link of that name in the PATH that the host gives them, so that no shell and
// no other program is needed.
//
// Linux and macOS, as sandboxes of package sandbox/local.
package main
