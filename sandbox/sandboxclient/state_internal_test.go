package sandboxclient

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestReducedKinds: the reduced state of each kind is one that hosts can read, and holds handles alone.
func TestReducedKinds(t *testing.T) {
	const id = "5b8f7c1e-2222-4333-8444-555555555555"
	const common = `"session_id":"` + id + `","snapshot":{"type":"local","id":"s","base_path":"/b"},"manifest":{"root":"/w","environment":{"value":{"A":"x"}}},"exposed_ports":[80],`
	const left = `"session_id":"` + id + `","snapshot":{"type":"noop","id":"` + id + `"},"manifest":{"root":"/w"},`
	for _, c := range []struct{ name, in, want string }{
		{"local", common + `"type":"unix_local","workspace_root_owned":true`, left + `"type":"unix_local","workspace_root_owned":true`},
		{
			"docker", common + `"type":"docker","image":"i","container_id":"c","network_mode":"none","labels":{"a":"b"}`,
			left + `"type":"docker","image":"i","container_id":"c"`,
		},
		{"remote", common + `"type":"e2b","sandbox_id":"s","base_envs":{"TOKEN":"x"}`, left + `"type":"e2b","sandbox_id":"s"`},
		{"remote with another handle", common + `"type":"cloudflare","sandbox_id":"s","worker_url":"u"`, left + `"type":"cloudflare","sandbox_id":"s","worker_url":"u"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, err := sandbox.Decode[sandbox.SessionState]([]byte("{"+c.in+"}"), sandbox.Strict)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(operation.StopArgs{State: reduced(state)})
			if err != nil {
				t.Fatal(err)
			}
			var args operation.StopArgs
			if err := json.Unmarshal(data, &args); err != nil || args.Fault() != nil {
				t.Errorf("%v, %v", err, args.Fault())
			}
			var got, want any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(`{"state":{`+c.want+`}}`), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
