package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
)

// The arguments and results of the provider's activities. The package does not
// offer them; they are here because the vectors decode states, manifests and
// options inside them.

type activityModel struct {
	keys string
	read func(d *decoder, m map[string]any, out map[string]any)
}

var activityModels = map[string]activityModel{
	"StartArgs": {"state", readState},
	"ExecArgs": {"state command timeout shell user", func(d *decoder, m, out map[string]any) {
		readState(d, m, out)
		readCommand(d, m, out)
	}},
	"PtyExecStartArgs": {"state command timeout shell user tty yield_time_s max_output_tokens", func(d *decoder, m, out map[string]any) {
		readState(d, m, out)
		readCommand(d, m, out)
		if _, ok := m["tty"]; ok {
			out["tty"] = d.boolean(m, "tty", nil)
		}
		readPTY(d, m, out)
	}},
	"PtyWriteStdinArgs": {"state session_id chars yield_time_s max_output_tokens", func(d *decoder, m, out map[string]any) {
		readState(d, m, out)
		if v, at, ok := d.required(m, "session_id", nil); ok {
			out["session_id"], _ = d.integer(v, at, false)
		}
		if v, at, ok := d.required(m, "chars", nil); ok {
			out["chars"], _ = d.str(v, at)
		}
		readPTY(d, m, out)
	}},
	"WriteArgs": {"state path data", func(d *decoder, m, out map[string]any) {
		readState(d, m, out)
		out["path"] = d.requiredStr(m, "path", nil)
		readBytes(d, m, out, "data")
	}},
	"ExecResult": {"stdout stderr exit_code", func(d *decoder, m, out map[string]any) {
		readBytes(d, m, out, "stdout")
		readBytes(d, m, out, "stderr")
		if v, at, ok := d.required(m, "exit_code", nil); ok {
			out["exit_code"], _ = d.integer(v, at, false)
		}
	}},
	"PtyExecUpdateResult": {"process_id output exit_code original_token_count", func(d *decoder, m, out map[string]any) {
		readBytes(d, m, out, "output")
		for _, key := range []string{"process_id", "exit_code", "original_token_count"} {
			if v, at, ok := d.required(m, key, nil); ok {
				out[key] = nil
				if v != nil {
					out[key], _ = d.integer(v, at, false)
				}
			}
		}
	}},
	"RunningResult": {"is_running", func(d *decoder, m, out map[string]any) {
		if v, at, ok := d.required(m, "is_running", nil); ok {
			out["is_running"] = d.bool(v, at)
		}
	}},
	"SessionResult": {"state supports_pty", func(d *decoder, m, out map[string]any) {
		readState(d, m, out)
		if v, at, ok := d.required(m, "supports_pty", nil); ok {
			out["supports_pty"] = d.bool(v, at)
		}
	}},
	"CreateSessionArgs": {"snapshot_spec manifest client_options", func(d *decoder, m, out map[string]any) {
		at := (*place)(nil)
		if !d.null(m, "snapshot_spec") {
			out["snapshot_spec"] = d.snapshot(m["snapshot_spec"], at.key("snapshot_spec"))
		}
		if !d.null(m, "manifest") {
			out["manifest"] = d.manifest(m["manifest"], at.key("manifest"), false)
		}
		if !d.null(m, "client_options") {
			out["client_options"] = d.options(m["client_options"], at.key("client_options"), "")
		}
	}},
}

func readState(d *decoder, m, out map[string]any) {
	if v, at, ok := d.required(m, "state", nil); ok {
		out["state"] = d.state(v, at)
	}
}

func readCommand(d *decoder, m, out map[string]any) {
	at := (*place)(nil)
	if v, at, ok := d.required(m, "command", at); ok {
		out["command"] = d.strs(v, at)
	}
	readNumber(d, m, out, "timeout")
	if v, ok := m["shell"]; ok {
		if _, isList := v.([]any); isList {
			out["shell"] = d.strs(v, at.key("shell"))
		} else {
			out["shell"] = d.bool(v, at.key("shell"))
		}
	}
	if v, ok := m["user"]; ok && v != nil {
		if fields, isUser := v.(map[string]any); isUser {
			out["user"] = User{Name: d.requiredStr(fields, "name", at.key("user"))}
		} else {
			out["user"], _ = d.str(v, at.key("user"))
		}
	}
}

func readPTY(d *decoder, m, out map[string]any) {
	at := (*place)(nil)
	readNumber(d, m, out, "yield_time_s")
	if !d.null(m, "max_output_tokens") {
		out["max_output_tokens"], _ = d.integer(m["max_output_tokens"], at.key("max_output_tokens"), false)
	}
}

func readNumber(d *decoder, m, out map[string]any, key string) {
	at := (*place)(nil).key(key)
	v, ok := m[key]
	switch n := v.(type) {
	case nil:
		if ok {
			out[key] = nil
		}
	case json.Number:
		out[key] = n
	case string:
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || d.strict() {
			d.wrongType(v, at, "a number")
		}
		out[key] = f
	default:
		d.wrongType(v, at, "a number")
	}
}

// readBytes reads base64 as Python does: lenient mode skips what is not in the
// alphabet before it looks at the padding.
func readBytes(d *decoder, m, out map[string]any, key string) {
	v, at, ok := d.required(m, key, nil)
	if !ok {
		return
	}
	s, ok := d.str(v, at)
	if !ok {
		return
	}
	if !d.strict() {
		s = strings.Map(func(r rune) rune {
			if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r) {
				return r
			}
			return -1
		}, s)
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		d.report(at, RuleInvalidValue, "must be base64")
	}
	out[key] = base64.StdEncoding.EncodeToString(data)
}

// decodeModel decodes data as the named model and returns its encoding.
func decodeModel(model string, data []byte, mode Mode) ([]byte, error) {
	if model == "Manifest" {
		m, err := Decode[Manifest](data, mode)
		if err != nil {
			return nil, err
		}
		return json.Marshal(m)
	}
	a := activityModels[model]
	d := &decoder{mode: mode, trusted: true}
	out := map[string]any{}
	if m, ok := d.fields(d.parse(data, nil), nil); ok {
		d.known(m, nil, func(key string) bool { return strings.Contains(" "+a.keys+" ", " "+key+" ") }, false)
		a.read(d, m, out)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
