package interceptor

import (
	"slices"

	"go.temporal.io/sdk/client"
)

// checkHeartbeat looks at the names that a worker's heartbeats tell of itself and of
// its client, which nothing can hide a value in. Only workers have heartbeats, and a
// worker does not tell which client it was made from: that of every client counts.
func (g *guard) checkHeartbeat(w *workerState, clients []placedClient) error {
	for _, p := range w.options.Plugins {
		if g.hidden.ContainsString(p.Name()) {
			return errNamed("worker", "plugin's name")
		}
	}
	for _, c := range clients {
		for label, texts := range heartbeatTexts(c.options) {
			if slices.ContainsFunc(texts, g.hidden.ContainsString) {
				return errNamed("worker", "client's "+label)
			}
		}
	}
	return nil
}

// heartbeatTexts are the texts that heartbeats take from a client's options.
func heartbeatTexts(o *client.Options) map[string][]string {
	all := map[string][]string{"SdkName": {o.SdkName}, "SdkVersion": {o.SdkVersion}}
	for _, p := range o.Plugins {
		all["plugin's name"] = append(all["plugin's name"], p.Name())
	}
	for _, d := range o.ExternalStorage.Drivers {
		all["storage driver's type"] = append(all["storage driver's type"], d.Type())
	}
	return all
}
