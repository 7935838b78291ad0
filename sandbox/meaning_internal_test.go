package sandbox

import (
	"encoding/json"
	"maps"
	"testing"
)

// meaning returns an encoding with every default written out, so that two
// encodings are equal exactly if they mean the same to a reader of the format.
// The defaults are those of the format's description, not of this package.
func meaning(t *testing.T, model string, data []byte) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if model == "Manifest" {
		return fillManifest(v)
	}
	if state, ok := v["state"].(map[string]any); ok {
		fill(state, map[string]any{
			"exposed_ports": []any{}, "snapshot_fingerprint": nil, "snapshot_fingerprint_version": nil, "workspace_root_ready": false,
		})
		if state["type"] == "unix_local" {
			fill(state, map[string]any{"workspace_root_owned": false})
		}
		fillManifest(state["manifest"].(map[string]any))
	}
	if manifest, ok := v["manifest"].(map[string]any); ok {
		fillManifest(manifest)
	}
	if options, ok := v["client_options"].(map[string]any); ok {
		fill(options, map[string]any{"exposed_ports": []any{}})
	}
	switch model {
	case "ExecArgs":
		fill(v, map[string]any{"timeout": nil, "shell": true, "user": nil})
	case "PtyExecStartArgs":
		fill(v, map[string]any{"timeout": nil, "shell": true, "user": nil, "tty": false, "yield_time_s": nil, "max_output_tokens": nil})
	case "PtyWriteStdinArgs":
		fill(v, map[string]any{"yield_time_s": nil, "max_output_tokens": nil})
	case "CreateSessionArgs":
		fill(v, map[string]any{"snapshot_spec": nil, "manifest": nil, "client_options": nil})
	}
	return v
}

func fill(m, defaults map[string]any) {
	for key, value := range defaults {
		if _, ok := m[key]; !ok {
			m[key] = value
		}
	}
}

func fillManifest(m map[string]any) map[string]any {
	fill(m, map[string]any{
		"version": 1.0, "root": "/workspace", "entries": map[string]any{}, "environment": map[string]any{},
		"users": []any{}, "groups": []any{}, "extra_path_grants": []any{},
		"remote_mount_command_allowlist": []any{
			"ls", "find", "stat", "cat", "less", "head", "tail", "du", "grep", "rg", "wc", "sort", "cut", "cp", "tee", "echo", "mkdir", "rm",
		},
	})
	env := m["environment"].(map[string]any)
	fill(env, map[string]any{"value": map[string]any{}})
	for _, v := range env["value"].(map[string]any) {
		entry, ok := v.(map[string]any)
		if _, nested := entry["value"].(map[string]any); ok && nested {
			fill(entry, map[string]any{"description": nil, "ephemeral": false})
		}
	}
	for _, g := range m["extra_path_grants"].([]any) {
		fill(g.(map[string]any), map[string]any{"read_only": false, "description": nil})
	}
	fillEntries(m["entries"])
	return m
}

func fillEntries(v any) {
	for _, v := range v.(map[string]any) {
		entry := v.(map[string]any)
		typ, _ := entry["type"].(string)
		isDir := typ != "file" && typ != "local_file"
		own := map[string]map[string]any{
			"dir":              {"children": map[string]any{}},
			"local_dir":        {"src": nil},
			"git_repo":         {"host": "github.com", "subpath": nil},
			"s3_mount":         {"access_key_id": nil, "secret_access_key": nil, "session_token": nil, "prefix": nil, "region": nil, "endpoint_url": nil, "s3_provider": "AWS"},
			"r2_mount":         {"access_key_id": nil, "secret_access_key": nil, "custom_domain": nil},
			"gcs_mount":        {"access_id": nil, "secret_access_key": nil, "prefix": nil, "region": nil, "endpoint_url": nil, "service_account_file": nil, "service_account_credentials": nil, "access_token": nil},
			"azure_blob_mount": {"endpoint": nil, "identity_client_id": nil, "account_key": nil},
			"box_mount":        {"path": nil, "client_id": nil, "client_secret": nil, "access_token": nil, "token": nil, "box_config_file": nil, "config_credentials": nil, "box_sub_type": "user", "root_folder_id": nil, "impersonate": nil, "owned_by": nil},
		}[typ]
		fill(entry, maps.Clone(own))
		fill(entry, map[string]any{"description": nil, "group": nil, "is_dir": isDir, "permissions": map[string]any{"owner": 7.0, "group": 5.0, "other": 5.0}})
		fill(entry["permissions"].(map[string]any), map[string]any{"owner": 7.0, "group": 0.0, "other": 0.0, "directory": isDir})
		if children, ok := entry["children"]; ok {
			fillEntries(children)
		}
		strategy, ok := entry["mount_strategy"].(map[string]any)
		fill(entry, map[string]any{"ephemeral": ok})
		if !ok {
			continue
		}
		fill(entry, map[string]any{"mount_path": nil, "read_only": true})
		if strategy["type"] == "docker_volume" {
			fill(strategy, map[string]any{"driver_options": map[string]any{}})
		}
		if pattern, ok := strategy["pattern"].(map[string]any); ok && pattern["type"] == "rclone" {
			fill(pattern, map[string]any{
				"mode": "fuse", "remote_name": nil, "extra_args": []any{}, "nfs_addr": nil, "nfs_mount_options": nil, "config_file_path": nil,
			})
		}
	}
}
