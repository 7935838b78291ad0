package sandboxtest

import (
	"os"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// Init plays the part of a probe and ends the process, if the process was started as one; otherwise it does nothing.
// Programs that [Hostile] puts into sandboxes call it first in TestMain or main, before they look at arguments or open
// anything.
func Init() {
	initialised = true
	if code, is := probe.Main(os.Args[1:], os.Stdin, os.Stdout); is {
		os.Exit(code)
	}
}
