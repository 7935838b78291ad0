// Command demo shows what the guard does, on an embedded Temporal server:
//
//	go -C integration_test run ./cmd/demo
//
// A job with an API token in its manifest runs twice, first without the guard
// and then with it. An old workflow with a token in its history goes on with the
// rotated one, four calls are refused, recorded runs are replayed without the
// guard, and everything that the server, the log and the audit file show is
// searched for every secret. Commands are child processes, the API is an HTTP
// server on the loopback interface, and each run makes its own tokens. The
// orders in data are made up, with six weeks that are out of line.
//
// The exit code is 0 only if the search finds the token where nothing guards it
// and nothing where the guard does, and if everything else went as the text
// says. With -v the workers' log goes to standard error.
//
// "demo tool" is the job's own program, which the demo starts as child
// processes, so that no shell and no other program is needed.
package main
