package interceptor

import (
	"fmt"

	"go.temporal.io/sdk/client"
)

// checkNames looks at the names that a worker has for itself. They stand in every
// event that it writes, and nothing can hide a value in them.
func (g *guard) checkNames(w *workerState) error {
	deployment := w.options.DeploymentOptions.Version
	for _, name := range []struct{ label, text string }{
		{"task queue", w.queue},
		{"Identity", w.options.Identity},
		{"BuildID", w.options.BuildID}, //nolint:staticcheck // deprecated or not, users still set it
		{"DeploymentOptions.Version", deployment.DeploymentName + "." + deployment.BuildID},
	} {
		if g.hidden.ContainsString(name.text) {
			return errNamed("worker", name.label)
		}
	}
	return nil
}

// checkClientNames does the same for a client.
func (g *guard) checkClientNames(o *client.Options) error {
	for _, name := range []struct{ label, text string }{{"Identity", o.Identity}, {"Namespace", o.Namespace}} {
		if g.hidden.ContainsString(name.text) {
			return errNamed("client", name.label)
		}
	}
	return nil
}

// errNamed refuses a client or worker before it says its name to the server.
func errNamed(what, label string) error {
	return fmt.Errorf("sandboxguard: %s not started: its %s holds a secret that this worker resolves\n  fix: make the name from something else", what, label)
}
