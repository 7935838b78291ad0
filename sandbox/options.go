package sandbox

import "encoding/json"

// The client kinds that are read into fields. The others are remote and kept
// as raw objects.
const (
	ClientUnixLocal = "unix_local"
	ClientDocker    = "docker"
)

// ClientOptions are the options of the client that creates a sandbox. The zero
// ClientOptions are invalid.
type ClientOptions struct {
	// Type is the kind of the client. Required.
	Type string `json:"type"`
	// ExposedPorts are the ports of the sandbox that can be reached.
	ExposedPorts []int `json:"exposed_ports,omitzero"`
	// Image, of docker, is the image of the container. Required.
	Image string `json:"image,omitzero"`
	// NetworkMode, of docker, is "none" or nil.
	NetworkMode *string `json:"network_mode,omitzero"`
	// Labels, of docker, are the labels of the container.
	Labels map[string]string `json:"labels,omitzero"`
	// Raw is the whole object of a remote kind, "type" included, in canonical
	// JSON. The other fields stay empty then.
	Raw json.RawMessage `json:"-"`
}

// RawKeys returns the JSON pointers, within the object of a remote kind, of all
// its keys at every depth whose value is not null, sorted. It is how a rule
// checks options by key name. A key that is not a name appears as its index, as
// in [Fault].
//
//workflowcheck:ignore
func (o ClientOptions) RawKeys() []string { return rawKeys(o.Raw) }

// ToMap returns o in map form. It shares nothing with o.
//
//workflowcheck:ignore
func (o ClientOptions) ToMap() map[string]any { return toMap(o) }

// MarshalJSON writes o, and the raw object of a remote kind as it is.
func (o ClientOptions) MarshalJSON() ([]byte, error) {
	d := &decoder{mode: Strict}
	tree := d.lift(o, nil, false)
	if err := d.err(); err != nil {
		return nil, err
	}
	return canonical(tree)
}

// UnmarshalJSON reads o in [Lenient] mode. The error is an [*Error].
func (o *ClientOptions) UnmarshalJSON(data []byte) error { return unmarshal(data, o) }

func (o ClientOptions) rawObject() json.RawMessage { return o.Raw }

func (o ClientOptions) tree() map[string]any { return rawTree(o) }

func (o ClientOptions) ownTree() map[string]any {
	t := map[string]any{"type": o.Type}
	if o.ExposedPorts != nil {
		t["exposed_ports"] = o.ExposedPorts
	}
	if o.Image != "" || o.Type == ClientDocker {
		t["image"] = o.Image
	}
	if o.NetworkMode != nil {
		t["network_mode"] = *o.NetworkMode
	}
	if o.Labels != nil {
		t["labels"] = o.Labels
	}
	return t
}

func isDockerKey(key string) bool { return key == "image" || key == "network_mode" || key == "labels" }

// options reads client options. A map that names no kind has the kind of the
// client, where that is one.
func (d *decoder) options(v any, at *place, client string) ClientOptions {
	m, ok := d.fields(v, at)
	if !ok {
		return ClientOptions{}
	}
	registered := client == ClientUnixLocal || client == ClientDocker
	if kind, ok := remoteKind(client); ok && kind.options != nil {
		registered = true
	}
	if _, typed := m["type"]; !typed && registered {
		m = replace(m, "type", client)
	}
	out := ClientOptions{Type: d.tag(m, at)}
	if registered && out.Type != "" && out.Type != client {
		d.report(at.key("type"), RuleInvalidValue, "must be the kind of the client")
	}
	return d.optionsKind(out, m, at)
}

// optionsKind reads what the kind of options has. The constructors of the two
// local kinds refuse unknown keys in lenient mode too.
func (d *decoder) optionsKind(out ClientOptions, m map[string]any, at *place) ClientOptions {
	switch out.Type {
	case "":
		return ClientOptions{}
	case ClientUnixLocal:
		d.known(m, at, func(key string) bool { return key == "type" || key == "exposed_ports" }, true)
		out.ExposedPorts = d.optionPorts(m, at)
		return out
	case ClientDocker:
		d.known(m, at, func(key string) bool { return key == "type" || key == "exposed_ports" || isDockerKey(key) }, true)
		out.Image = d.requiredStr(m, "image", at)
		out.ExposedPorts = d.optionPorts(m, at)
		out.NetworkMode = d.networkMode(m, at)
		out.Labels = d.labels(m, at)
		if out.NetworkMode != nil && len(out.ExposedPorts) > 0 {
			d.report(at.key("exposed_ports"), RuleInvalidValue, "must be empty when there is no network")
		}
		return out
	}
	kind, ok := remoteKind(out.Type)
	if !ok || kind.options == nil {
		d.report(at.key("type"), RuleUnknownType, "must be a registered kind of client options")
		return ClientOptions{}
	}
	kind.options["type"] = kindAny
	kept := d.checked(m, at, kind.options)
	d.optionPorts(m, at)
	return ClientOptions{Type: out.Type, Raw: d.raw(kept, at)}
}

func (d *decoder) networkMode(m map[string]any, at *place) *string {
	if d.oneOf(m, "network_mode", at, "none") == "" {
		return nil
	}
	return d.nullStr(m, "network_mode", at)
}

func (d *decoder) labels(m map[string]any, at *place) map[string]string {
	v, ok := m["labels"]
	if !ok {
		return nil
	}
	at = at.key("labels")
	fields, ok := d.fields(v, at)
	if !ok {
		return nil
	}
	out := make(map[string]string, len(fields))
	for i, key := range sortedKeys(fields) {
		at := at.member(key, i)
		value, _ := d.str(fields[key], at)
		out[d.text(key, at)] = value
	}
	return out
}
