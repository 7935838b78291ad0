package local

import "context"

// newLauncher returns the launcher of the options, which are checked.
func newLauncher(_ context.Context, o Options) (launcher, error) {
	if o.Launcher == Unisolated {
		return newUnisolated(o)
	}
	return nil, cannotIsolate(o.Launcher, "it needs Linux: run the worker there, or say Launcher: local.Unisolated and read what that means")
}
