package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// A manifest names its secrets. That name is all that is ever encoded.
func ExampleManifest() {
	manifest := sandbox.Manifest{
		Entries: map[string]sandbox.Entry{
			"task.md": {Type: sandbox.EntryFile, Content: "Find the anomalies.\n"},
		},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"LANG":      sandbox.EnvLiteral("C.UTF-8"),
			"API_TOKEN": sandbox.EnvSecret(secrets.Env("REPORTS_TOKEN")),
		}},
	}
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(data))
	// Output:
	// {
	//   "entries": {
	//     "task.md": {
	//       "type": "file",
	//       "content": "Find the anomalies.\n"
	//     }
	//   },
	//   "environment": {
	//     "value": {
	//       "API_TOKEN": {
	//         "name": "REPORTS_TOKEN",
	//         "type": "temporal.worker_env_value"
	//       },
	//       "LANG": "C.UTF-8"
	//     }
	//   }
	// }
}

// A run config in map form, as it comes out of a request, becomes a typed one.
func ExampleNormalizeRunConfig() {
	request := []byte(`{"model": "gpt-5", "sandbox": {
		"client": "docker",
		"options": {"image": "python:3.12-slim"},
		"manifest": {"environment": {"value": {"DSN": {"type": "temporal.worker_env_value", "name": "WAREHOUSE_DSN"}}}},
		"session": null
	}}`)
	var form map[string]any
	if err := json.Unmarshal(request, &form); err != nil {
		fmt.Println(err)
		return
	}
	rc, err := sandbox.NormalizeRunConfig(form)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rc.Sandbox.Options.Type, rc.Sandbox.Options.Image)
	fmt.Println(rc.Sandbox.Manifest.Environment.Values["DSN"].Secret.Ref())
	// Output:
	// docker python:3.12-slim
	// env:WAREHOUSE_DSN
}

// All faults are found at once, and none of them shows a value.
func ExampleNormalizeRunConfig_refused() {
	_, err := sandbox.NormalizeRunConfig(map[string]any{
		"sandbox": map[string]any{
			"session": struct{ connection any }{},
			"manifest": map[string]any{
				"entries":           map[string]any{"../../etc/passwd": map[string]any{"type": "file", "content": "root::0:0"}},
				"environment":       map[string]any{"API_TOKEN": "s3cr3t"},
				"extra_path_grants": []any{map[string]any{"path": "/srv", "host_path": "/home/ada"}},
			},
		},
	})
	fmt.Println(err)
	// Output:
	// sandbox: input refused
	//   /sandbox/manifest/entries/0  entry-path-escape  must stay inside the workspace, without ".." segments
	//   /sandbox/manifest/environment  env-wrapper-missing  must hold the variables under the key "value"
	//   /sandbox/manifest/extra_path_grants  map-path-grants  must be empty in a map: path grants come from a typed Manifest
	//   /sandbox/session  live-session  must not be set: a live session exists in one process only and cannot be replayed
}

// Strict decoding refuses what lenient decoding drops in silence.
func ExampleDecode() {
	data := []byte(`{"environment": {"LANG": "C.UTF-8"}}`)
	m, err := sandbox.Decode[sandbox.Manifest](data, sandbox.Lenient)
	fmt.Println(len(m.Environment.Values), err)
	_, err = sandbox.Decode[sandbox.Manifest](data, sandbox.Strict)
	var e *sandbox.Error
	if errors.As(err, &e) {
		fmt.Println(e.Faults[0].Path, e.Faults[0].Rule)
	}
	// Output:
	// 0 <nil>
	// /environment env-wrapper-missing
}

// The digest of a manifest does not depend on how it is written.
func ExampleManifest_Digest() {
	short, err := sandbox.Manifest{}.Digest()
	if err != nil {
		fmt.Println(err)
		return
	}
	spelled, err := sandbox.Manifest{Version: 1, Root: sandbox.DefaultRoot, Users: []sandbox.User{}}.Digest()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(short == spelled)
	// Output: true
}

// Rules look at the fields of a remote mount by name.
func ExampleEntry_RawKeys() {
	mount, err := sandbox.Decode[sandbox.Entry]([]byte(`{
		"type": "s3_mount", "bucket": "reports", "secret_access_key": "...", "session_token": null,
		"mount_strategy": {"type": "docker_volume", "driver": "rclone"}
	}`), sandbox.Strict)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range mount.RawKeys() {
		fmt.Println(key)
	}
	// Output:
	// /bucket
	// /mount_strategy
	// /mount_strategy/driver
	// /mount_strategy/type
	// /secret_access_key
	// /type
}

// A contract asks for what it needs, and gets no more than the policy has.
func ExampleLimits_Narrow() {
	policy := sandbox.Limits{Wall: 45 * time.Minute, Memory: 2 << 30, Processes: 256}
	contract := sandbox.Limits{Wall: 10 * time.Minute, Memory: 8 << 30, CPUs: 0.5}
	if err := contract.Check(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(policy.Narrow(contract))
	// Output: wall: 10m, memory: 2GiB, cpus: 0.5, processes: 256
}
