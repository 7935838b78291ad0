package sandbox

import "encoding/json"

// The client kinds that are decoded into fields.
const (
	ClientUnixLocal = "unix_local"
	ClientDocker    = "docker"
)

// ClientOptions are the options of the client that creates a sandbox.
type ClientOptions struct {
	Type         string            `json:"type"`
	ExposedPorts []int             `json:"exposed_ports,omitzero"`
	Image        string            `json:"image,omitzero"`
	NetworkMode  *string           `json:"network_mode,omitzero"`
	Labels       map[string]string `json:"labels,omitzero"`
	// Raw is the whole object of a remote kind, its "type" included.
	Raw json.RawMessage `json:"-"`
}

// RawKeys returns the JSON pointers of the keys of o.Raw whose value is not
// null, at every depth, sorted.
func (o ClientOptions) RawKeys() []string { return nil }

// ToMap returns the map form of o.
func (o ClientOptions) ToMap() map[string]any { return nil }
