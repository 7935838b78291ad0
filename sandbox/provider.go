package sandbox

// remote describes what a remote provider adds to client options and to session
// states. Its objects are kept raw; their keys are checked by name.
type remote struct{ options, state schema }

// remoteKind returns the remote provider with a tag.
func remoteKind(tag string) (remote, bool) {
	with := func(names, needed string) schema {
		return schema{}.
			with(kindAny, names).
			with(kindNeeded, needed)
	}
	switch tag {
	case "daytona":
		return remote{
			options: with("sandbox_snapshot_name image resources env_vars pause_on_exit create_timeout start_timeout name "+
				"auto_stop_interval timeouts exposed_ports exposed_port_url_ttl_s", ""),
			state: with("sandbox_snapshot_name image base_env_vars pause_on_exit create_timeout start_timeout name "+
				"resources auto_stop_interval timeouts exposed_port_url_ttl_s", "sandbox_id"),
		}, true
	case "e2b":
		return remote{
			options: with("template timeout metadata envs secure allow_internet_access timeouts pause_on_exit "+
				"exposed_ports workspace_persistence on_timeout auto_resume mcp", "sandbox_type"),
			state: with("sandbox_type template sandbox_timeout metadata base_envs secure allow_internet_access timeouts "+
				"pause_on_exit workspace_persistence on_timeout auto_resume mcp", "sandbox_id"),
		}, true
	case "modal":
		return remote{
			options: with("sandbox_create_timeout_s workspace_persistence snapshot_filesystem_timeout_s "+
				"snapshot_filesystem_restore_timeout_s exposed_ports gpu timeout use_sleep_cmd image_builder_version "+
				"idle_timeout cpu memory", "app_name"),
			state: with("image_id image_tag sandbox_id sandbox_create_timeout_s workspace_persistence "+
				"snapshot_filesystem_timeout_s snapshot_filesystem_restore_timeout_s gpu timeout use_sleep_cmd "+
				"image_builder_version idle_timeout cpu memory", "app_name"),
		}, true
	case "cloudflare":
		return remote{
			options: with("api_key exposed_ports", "worker_url"),
			state:   with("", "worker_url sandbox_id"),
		}, true
	case "vercel":
		return remote{
			options: with("project_id team_id timeout_ms runtime resources env exposed_ports interactive "+
				"workspace_persistence snapshot_expiration_ms network_policy allow_s3_credential_exposure", ""),
			state: with("project_id team_id timeout_ms runtime resources env interactive workspace_persistence "+
				"snapshot_expiration_ms network_policy s3_mounts_non_resumable", "sandbox_id"),
		}, true
	case "runloop":
		return remote{
			options: with("blueprint_id blueprint_name env_vars pause_on_exit name timeouts exposed_ports "+
				"user_parameters launch_parameters tunnel gateways mcp metadata managed_secrets", ""),
			state: with("blueprint_id blueprint_name base_env_vars pause_on_exit name timeouts user_parameters "+
				"launch_parameters tunnel gateways mcp metadata secret_refs", "devbox_id"),
		}, true
	case "blaxel":
		// The options of this provider have no form on the wire.
		return remote{
			state: with("image memory region base_env_vars labels ttl pause_on_exit timeouts sandbox_url "+
				"exposed_port_public exposed_port_url_ttl_s", "sandbox_name"),
		}, true
	default:
		return remote{}, false
	}
}

// stateKind reads what the kind of a state adds, and reports whether there is
// such a kind.
func (d *decoder) stateKind(out *SessionState, m map[string]any, at *place) bool {
	switch out.Type {
	case ClientUnixLocal:
		d.known(m, at, func(key string) bool { return isStateKey(key) || key == "workspace_root_owned" }, false)
		out.WorkspaceRootOwned = d.boolean(m, "workspace_root_owned", at)
		return true
	case ClientDocker:
		d.known(m, at, func(key string) bool { return isStateKey(key) || isDockerKey(key) || key == "container_id" }, false)
		out.Image = d.requiredStr(m, "image", at)
		out.ContainerID = d.requiredStr(m, "container_id", at)
		out.NetworkMode = d.networkMode(m, at)
		out.Labels = d.labels(m, at)
		return true
	}
	kind, ok := remoteKind(out.Type)
	if !ok {
		d.report(at.key("type"), RuleUnknownType, "must be a registered kind of session state")
		return false
	}
	d.known(m, at, func(key string) bool { _, own := kind.state[key]; return own || isStateKey(key) }, false)
	extra := map[string]any{}
	for key := range kind.state {
		if v, ok := m[key]; ok {
			extra[key] = v
		}
	}
	out.Extra = d.raw(d.checked(extra, at, kind.state), at)
	return true
}
