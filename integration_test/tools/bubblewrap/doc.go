// Package bubblewrap tries the launcher bwrap, for which bubblewrap must be
// installed. It is apart from the other tests: each command starts the test's
// program anew, which must be quick.
package bubblewrap
