// Package sandboxtest helps to test what stands between workflow code and sandboxes.
//
// [Fake] is a backend in memory: it runs the commands of a small shell of its own, starts no process and touches no
// file. [Faults] puts failures, and points where an operation waits, into any backend. [Conformance] is what every backend
// is held to, [Fake] too. [Hostile] tries what a command in a sandbox must not be able to do.
//
// # Hostile
//
// The conformance suite holds a backend to what it promises to its host. The hostile battery looks from the other side:
// a program in a sandbox of the backend tries to read the worker's environment and files, to reach its sockets and other
// sandboxes, to mount, to read the memory of others, to type into terminals and to outlive its time. There are 17 scored
// probes, what was reported of other sandboxes, and a check for each limit that the backend says it sets. Run it on the
// hosts that the backend is for, as the accounts that workers have there: what isolates depends on both.
//
//	func TestMain(m *testing.M) {
//		local.Init()       // where the backend is that of package local
//		sandboxtest.Init() // the probes are this executable
//		os.Exit(m.Run())
//	}
//
//	func TestHostile(t *testing.T) {
//		sandboxtest.Hostile{New: newBackend, Local: true}.Run(t)
//	}
//
// A sandbox needs the programs sh, ln, sleep, yes, head, tail, mkdir and rm. What could not be tried counts as unsafe. The battery
// puts a file with a random name into the home of the test's account, and removes it. The working directory of the test is
// a temporary one meanwhile, with such a file in it.
//
// # Concurrency
//
// Everything here but [Hostile] may be used from several goroutines at a time. Nothing sleeps.
package sandboxtest
