package sandbox

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// mount reads a remote mount, which is kept as its object. Of a known kind the
// keys are checked; of any other only that it says how it is mounted.
func (d *decoder) mount(typ string, m map[string]any, at *place) Entry {
	common := Entry{Type: typ}
	d.entryCommon(&common, m, at)
	d.boolean(m, "read_only", at)
	if p := d.nullStr(m, "mount_path", at); p != nil && d.strict() {
		d.mountPath(*p, at.key("mount_path"))
	}
	kept := m
	own, how, known := mountSchema(typ)
	if known {
		keys := schema{}.with(kindAny, "type description ephemeral group is_dir permissions mount_path read_only mount_strategy")
		maps.Copy(keys, own)
		kept = d.checked(m, at, keys)
	}
	if v, at, ok := d.required(m, "mount_strategy", at); ok {
		if strategy, ok := d.fields(v, at); ok && known {
			kept = replace(kept, "mount_strategy", d.strategy(strategy, at, how))
		}
	}
	kept = replace(kept, "type", typ)
	if common.Group != nil {
		kept = replace(kept, "group", *common.Group)
	}
	if common.Permissions != nil {
		kept = replace(kept, "permissions", *common.Permissions)
	}
	return Entry{Type: typ, Raw: d.raw(kept, at)}
}

// mountPath checks an explicit mount path. Relative to the root it may go up
// and down as long as it stays inside; whether an absolute one is allowed is
// for policy.
func (d *decoder) mountPath(s string, at *place) {
	d.noNUL(s, at)
	if clean := path.Clean(strings.ReplaceAll(s, `\`, "/")); clean == ".." || strings.HasPrefix(clean, "../") {
		d.report(at, RuleEntryPathEscape, `must stay inside the workspace`)
	}
}

// strategy reads how a mount is made.
func (d *decoder) strategy(m map[string]any, at *place, how ways) map[string]any {
	tag, typeAt, ok := d.required(m, "type", at)
	if !ok {
		return m
	}
	typ, ok := d.str(tag, typeAt)
	if !ok {
		return m
	}
	kept := m
	switch typ {
	case "in_container", "daytona_cloud_bucket", "e2b_cloud_bucket", "runloop_cloud_bucket":
		kept = d.checked(m, at, schema{"type": kindAny, "pattern": kindAny})
		if typ != "in_container" {
			how.patterns = []string{"rclone"}
			if _, ok := m["pattern"]; !ok {
				break
			}
		}
		if v, at, ok := d.required(m, "pattern", at); ok {
			if pattern, ok := d.fields(v, at); ok {
				kept = replace(kept, "pattern", d.pattern(pattern, at, how))
			}
		}
	case "docker_volume":
		kept = d.checked(m, at, schema{"type": kindAny, "driver": kindNeeded, "driver_options": kindMap})
		if driver, ok := d.shape(m["driver"], at).(string); ok && !slices.Contains(how.drivers, driver) {
			d.report(at.key("driver"), RuleMountConfig, "must be a volume driver that this kind of mount supports")
		}
	case "modal_cloud_bucket":
		kept = d.checked(m, at, schema{"type": kindAny, "secret_name": kindTextOrNull, "secret_environment_name": kindTextOrNull})
	case "blaxel_cloud_bucket", "blaxel_drive", "cloudflare_bucket_mount", "vercel_cloud_bucket":
		kept = d.checked(m, at, schema{"type": kindAny})
	default:
		d.report(typeAt, RuleUnknownType, "must be a type of mount strategy that the format has")
	}
	return kept
}

// pattern reads the tool that mounts inside the sandbox.
func (d *decoder) pattern(m map[string]any, at *place, how ways) map[string]any {
	tag, typeAt, ok := d.required(m, "type", at)
	if !ok {
		return m
	}
	typ, ok := d.str(tag, typeAt)
	if !ok {
		return m
	}
	keys, ok := patternSchema(typ)
	switch {
	case !ok:
		d.report(typeAt, RuleUnknownType, "must be a type of mount pattern that the format has")
		return m
	case !slices.Contains(how.patterns, typ):
		d.report(typeAt, RuleMountConfig, "must be a pattern that this kind of mount supports")
	}
	keys["type"] = kindAny
	kept := d.checked(m, at, keys)
	switch typ {
	case "rclone":
		d.oneOf(m, "mode", at, "fuse", "nfs")
	case "fuse":
		d.oneOf(m, "cache_type", at, "block_cache", "file_cache")
		if p := d.nullStr(m, "cache_path", at); p != nil && d.strict() {
			d.entryPath(*p, at.key("cache_path"))
		}
	}
	if v, ok := m["options"]; ok && kept["options"] != nil {
		options := schema{}.with(kindTextOrNull, "prefix region endpoint_url")
		if typ == "s3files" {
			options = schema{}.
				with(kindTextOrNull, "mount_target_ip access_point region").
				with(kindMap, "extra_options")
		}
		at := at.key("options")
		if fields, ok := d.fields(v, at); ok {
			kept = replace(kept, "options", d.checked(fields, at, options))
		}
	}
	return kept
}

// replace returns a copy of m with one member set.
func replace(m map[string]any, key string, v any) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, old := range m {
		out[k] = old
	}
	out[key] = v
	return out
}
