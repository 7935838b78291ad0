package sandboxhost

import "context"

// Describer is the part of the server that the host asks.
type Describer = describer

// Abandon gives the directory and the backend free as the end of the process does, while the host goes on, as one does
// whose lock is worth nothing.
func (h *Host) Abandon() { h.tenure.over() }

// Serve is Run without a worker of the host's own, for any server.
func (h *Host) Serve(ctx context.Context, server Describer) error {
	return h.serve(ctx, server, func() (func(), error) {
		return func() {}, nil
	})
}
