//go:build !linux

package local

import "context"

// Probe says what the launcher of the options does on this host: only Linux can isolate.
func Probe(_ context.Context, o Options) (Capabilities, error) {
	o.Dir = "/"
	if _, err := o.checked(); err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{Launcher: o.Launcher.String()}
	if o.Launcher == Unisolated {
		c.List = unisolated{}.capabilities()
		return c, nil
	}
	c.Refusal = "local: " + c.Launcher + " needs Linux, nothing can isolate commands here: run the worker there"
	return c, nil
}
