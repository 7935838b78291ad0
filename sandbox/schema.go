package sandbox

import "strings"

// A kind says what a key of a raw object holds.
type kind int

const (
	kindAny kind = iota
	kindText
	kindTextOrNull
	kindBool
	kindInt
	kindIntOrNull
	kindMap
	kindList
	// kindNeeded is text that must be present.
	kindNeeded
)

// A schema lists the keys of a raw object.
type schema map[string]kind

// with adds keys of a kind to s, and returns s.
func (s schema) with(k kind, names string) schema {
	for name := range strings.FieldsSeq(names) {
		s[name] = k
	}
	return s
}

// ways are the patterns and the volume drivers that a mount can be made with.
type ways struct{ patterns, drivers []string }

// mountSchema returns the own keys of a kind of remote mount, and how it can be
// mounted.
func mountSchema(typ string) (keys schema, how ways, known bool) {
	one, two := []string{"rclone"}, []string{"rclone", "mountpoint"}
	rclone, either := ways{one, one}, ways{two, two}
	switch typ {
	case "s3_mount":
		return schema{}.
			with(kindNeeded, "bucket").
			with(kindTextOrNull, "access_key_id secret_access_key session_token prefix region endpoint_url").
			with(kindText, "s3_provider"), either, true
	case "r2_mount":
		return schema{}.
			with(kindNeeded, "bucket account_id").
			with(kindTextOrNull, "access_key_id secret_access_key custom_domain"), rclone, true
	case "gcs_mount":
		return schema{}.
			with(kindNeeded, "bucket").
			with(kindTextOrNull, "access_id secret_access_key prefix region endpoint_url service_account_file service_account_credentials access_token"), either, true
	case "azure_blob_mount":
		return schema{}.
			with(kindNeeded, "account container").
			with(kindTextOrNull, "endpoint identity_client_id account_key"), ways{[]string{"rclone", "fuse"}, one}, true
	case "box_mount":
		return schema{}.
			with(kindTextOrNull, "path client_id client_secret access_token token box_config_file config_credentials root_folder_id impersonate owned_by").
			with(kindText, "box_sub_type"), rclone, true
	case "s3_files_mount":
		return schema{}.
			with(kindNeeded, "file_system_id").
			with(kindTextOrNull, "subpath mount_target_ip access_point region").
			with(kindMap, "extra_options"), ways{patterns: []string{"s3files"}}, true
	case "blaxel_drive_mount":
		return schema{}.
			with(kindNeeded, "drive_name").
			with(kindText, "drive_mount_path drive_path").
			with(kindBool, "drive_read_only"), ways{}, true
	default:
		return nil, ways{}, false
	}
}

// patternSchema returns the keys of a mount pattern.
func patternSchema(typ string) (schema, bool) {
	switch typ {
	case "rclone":
		return schema{}.
			with(kindText, "mode").
			with(kindList, "extra_args").
			with(kindTextOrNull, "remote_name nfs_addr nfs_mount_options config_file_path"), true
	case "mountpoint", "s3files":
		return schema{}.with(kindMap, "options"), true
	case "fuse":
		return schema{}.
			with(kindBool, "allow_other").
			with(kindText, "log_type log_level cache_type").
			with(kindTextOrNull, "cache_path").
			with(kindInt, "block_cache_block_size_mb block_cache_disk_timeout_sec file_cache_timeout_sec").
			with(kindIntOrNull, "cache_size_mb file_cache_max_size_mb attr_cache_timeout_sec entry_cache_timeout_sec "+
				"negative_entry_cache_timeout_sec"), true
	default:
		return nil, false
	}
}

// checked reads the keys of a raw object by a schema and returns those that
// are in it. What is not in it is a fault in strict mode and dropped otherwise.
func (d *decoder) checked(m map[string]any, at *place, keys schema) map[string]any {
	d.known(m, at, func(key string) bool { _, ok := keys[key]; return ok }, false)
	kept := make(map[string]any, len(m))
	for _, name := range sortedKeys(keys) {
		k := keys[name]
		if k == kindNeeded {
			d.requiredStr(m, name, at)
		}
		v, ok := m[name]
		if !ok {
			continue
		}
		kept[name] = v
		at := at.key(name)
		switch k {
		case kindText:
			d.str(v, at)
		case kindTextOrNull:
			d.nullStr(m, name, at.up)
		case kindBool:
			d.bool(v, at)
		case kindInt:
			d.integer(v, at, false)
		case kindIntOrNull:
			if !d.null(m, name) {
				d.integer(v, at, false)
			}
		case kindMap:
			d.fields(v, at)
		case kindList:
			d.strs(v, at)
		case kindAny, kindNeeded:
		}
	}
	return kept
}
