package sandbox

import "slices"

// statePorts reads the ports of a state: a list, one port, or null for none.
// Only true integers count, also in lenient mode, and repetitions are dropped.
func (d *decoder) statePorts(m map[string]any, at *place) []int {
	out := []int{}
	if d.null(m, "exposed_ports") {
		return out
	}
	at = at.key("exposed_ports")
	switch v := d.shape(m["exposed_ports"], at).(type) {
	case []any:
		if !d.enter(len(v), at) {
			return out
		}
		for i, e := range v {
			if p := d.port(e, at.index(i)); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	default:
		out = append(out, d.port(v, at))
	}
	return out
}

// optionPorts reads the ports of client options: a list, never null.
func (d *decoder) optionPorts(m map[string]any, at *place) []int {
	v, ok := m["exposed_ports"]
	if !ok {
		return nil
	}
	at = at.key("exposed_ports")
	elems, ok := d.elements(v, at)
	if !ok {
		return nil
	}
	out := make([]int, 0, len(elems))
	for i, e := range elems {
		out = append(out, d.port(e, at.index(i)))
	}
	return out
}

func (d *decoder) port(v any, at *place) int {
	n, ok := d.integer(v, at, true)
	if ok && (n < 1 || n > 65535) {
		d.report(at, RuleInvalidValue, "must be a port between 1 and 65535")
		return 0
	}
	return int(n)
}
