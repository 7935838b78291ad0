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

func schemaOf(kinds map[kind]string) schema {
	s := schema{}
	for k, names := range kinds {
		for _, name := range strings.Fields(names) {
			s[name] = k
		}
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
		return schemaOf(map[kind]string{
			kindNeeded:     "bucket",
			kindTextOrNull: "access_key_id secret_access_key session_token prefix region endpoint_url",
			kindText:       "s3_provider",
		}), either, true
	case "r2_mount":
		return schemaOf(map[kind]string{
			kindNeeded:     "bucket account_id",
			kindTextOrNull: "access_key_id secret_access_key custom_domain",
		}), rclone, true
	case "gcs_mount":
		return schemaOf(map[kind]string{
			kindNeeded:     "bucket",
			kindTextOrNull: "access_id secret_access_key prefix region endpoint_url service_account_file service_account_credentials access_token",
		}), either, true
	case "azure_blob_mount":
		return schemaOf(map[kind]string{
			kindNeeded:     "account container",
			kindTextOrNull: "endpoint identity_client_id account_key",
		}), ways{[]string{"rclone", "fuse"}, one}, true
	case "box_mount":
		return schemaOf(map[kind]string{
			kindTextOrNull: "path client_id client_secret access_token token box_config_file config_credentials root_folder_id impersonate owned_by",
			kindText:       "box_sub_type",
		}), rclone, true
	case "s3_files_mount":
		return schemaOf(map[kind]string{
			kindNeeded:     "file_system_id",
			kindTextOrNull: "subpath mount_target_ip access_point region",
			kindMap:        "extra_options",
		}), ways{patterns: []string{"s3files"}}, true
	case "blaxel_drive_mount":
		return schemaOf(map[kind]string{
			kindNeeded: "drive_name",
			kindText:   "drive_mount_path drive_path",
			kindBool:   "drive_read_only",
		}), ways{}, true
	default:
		return nil, ways{}, false
	}
}

// patternSchema returns the keys of a mount pattern.
func patternSchema(typ string) (schema, bool) {
	switch typ {
	case "rclone":
		return schemaOf(map[kind]string{
			kindText:       "mode",
			kindList:       "extra_args",
			kindTextOrNull: "remote_name nfs_addr nfs_mount_options config_file_path",
		}), true
	case "mountpoint", "s3files":
		return schemaOf(map[kind]string{kindMap: "options"}), true
	case "fuse":
		return schemaOf(map[kind]string{
			kindBool:       "allow_other",
			kindText:       "log_type log_level cache_type",
			kindTextOrNull: "cache_path",
			kindInt:        "block_cache_block_size_mb block_cache_disk_timeout_sec file_cache_timeout_sec",
			kindIntOrNull: "cache_size_mb file_cache_max_size_mb attr_cache_timeout_sec entry_cache_timeout_sec " +
				"negative_entry_cache_timeout_sec",
		}), true
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
			if !d.null(m, name, at.up) {
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
