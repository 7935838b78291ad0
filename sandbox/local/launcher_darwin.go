package local

import (
	"context"
	"fmt"
)

// newLauncher returns the launcher of the options, which are checked.
func newLauncher(_ context.Context, o Options) (launcher, error) {
	if o.Launcher == Unisolated {
		return newUnisolated(o)
	}
	return nil, fmt.Errorf("local: %s needs Linux, nothing can isolate commands here: run the worker there, or say Launcher: local.Unisolated and read what that means", o.Launcher)
}
