package sandboxhost_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// A host needs a backend, and a directory of its own. Register it on the worker of the provider's queue, and call Run
// beside the worker: sandboxes are made only while it runs.
func ExampleNew() {
	parent, err := os.MkdirTemp("", "worker")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(parent) }()

	host, err := sandboxhost.New("local", sandboxtest.NewFake(), sandboxhost.Options{Dir: filepath.Join(parent, "sessions")})
	fmt.Println(host != nil, err)
	defer host.Close() // for a host that never runs

	_, err = sandboxhost.New("local", sandboxtest.NewFake(), sandboxhost.Options{Dir: "sessions"})
	fmt.Println(err)
	// Output:
	// true <nil>
	// sandboxhost: Options.Dir is required and must be absolute: name a directory that belongs to this host alone
}
