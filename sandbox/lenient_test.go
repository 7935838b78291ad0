package sandbox_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestLaxScalars: lenient decoding reads the spellings that the Python models
// read, and strict decoding does not.
func TestLaxScalars(t *testing.T) {
	const form = `{"type":"dir","ephemeral":%E,"permissions":{"owner":%O}}`
	for _, tt := range []struct {
		ephemeral, owner string
		want             *sandbox.Entry
	}{
		{`"yes"`, `"5"`, dir(true, 5)},
		{`1`, `5.0`, dir(true, 5)},
		{`"TRUE"`, `" 5 "`, dir(true, 5)},
		{`"off"`, `"5.00"`, dir(false, 5)},
		{`0`, `9`, dir(false, 9)},
		{`"maybe"`, `5`, nil},
		{`2`, `5`, nil},
		{`true`, `5.5`, nil},
		{`true`, `"5.x"`, nil},
		{`true`, `""`, nil},
		{`true`, `true`, nil},
		{`true`, `99999999999999999999`, nil},
	} {
		data := []byte(strings.NewReplacer("%E", tt.ephemeral, "%O", tt.owner).Replace(form))
		got, err := sandbox.Decode[sandbox.Entry](data, sandbox.Lenient)
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%s: %v", data, err)
		}
		if tt.want != nil {
			if diff := cmp.Diff(*tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", data, diff)
			}
		}
		if _, err := sandbox.Decode[sandbox.Entry](data, sandbox.Strict); err == nil {
			t.Errorf("%s: strict decoding accepts it", data)
		}
	}
}

func dir(ephemeral bool, owner int) *sandbox.Entry {
	return &sandbox.Entry{Type: "dir", Ephemeral: ephemeral, Permissions: &sandbox.Permissions{Owner: owner, Directory: true}}
}

// TestLenientKeepsMeaning: what strict decoding refuses and lenient decoding
// reads keeps its meaning when it is written again.
func TestLenientKeepsMeaning(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty root", `{"root":""}`, `{"root":"."}`},
		{"empty source", `{"entries":{"a":{"type":"local_dir","src":""},"b":{"type":"local_file","src":""},"c":{"type":"local_dir","src":null}}}`, `{"entries":{"a":{"type":"local_dir","src":"."},"b":{"type":"local_file","src":"."},"c":{"type":"local_dir"}}}`},
		{"empty allowlist", `{"remote_mount_command_allowlist":[]}`, `{"remote_mount_command_allowlist":[]}`},
		{
			"unknown keys in a mount", `{"entries":{"a":{"type":"s3_mount","zzz":1,"bucket":"b","group":{"name":"g","zzz":1},"permissions":{"owner":1,"zzz":1},"mount_strategy":{"zzz":1,"type":"in_container","pattern":{"type":"mountpoint","zzz":1,"options":{"region":"r","zzz":1}}}}}}`,
			`{"entries":{"a":{"type":"s3_mount","bucket":"b","group":{"name":"g","users":[]},"permissions":{"owner":1,"group":0,"other":0,"directory":true},"mount_strategy":{"type":"in_container","pattern":{"type":"mountpoint","options":{"region":"r"}}}}}}`,
		},
		{"last key counts", `{"root":"/a","root":"/b"}`, `{"root":"/b"}`},
		{"name that is none", `{"environment":{"value":{"A":{"type":"temporal.worker_env_value","name":"MY-VAR"}}}}`, `{"environment":{"value":{"A":{"type":"temporal.worker_env_value","name":"MY-VAR"}}}}`},
	} {
		got, err := sandbox.DecodeManifest([]byte(tt.in), sandbox.Lenient)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(plainTree(t, []byte(tt.want)), plainTree(t, mustJSON(t, got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if _, err := sandbox.DecodeManifest([]byte(tt.in), sandbox.Strict); err == nil && tt.name != "empty allowlist" {
			t.Errorf("%s: strict decoding accepts it", tt.name)
		}
	}
	pasted := "ghp_" + strings.Repeat("a1B2", 9)
	got, err := sandbox.DecodeManifest([]byte(`{"environment":{"value":{"A":{"type":"temporal.worker_env_value","name":"`+pasted+`"}}}}`), sandbox.Lenient)
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Environment.Values["A"].Secret; !v.Literal() || strings.Contains(string(mustJSON(t, got)), pasted) {
		t.Error("a credential pasted as a name was kept")
	}
}

// TestMountKinds: each kind of mount with each strategy that goes with it.
func TestMountKinds(t *testing.T) {
	kinds := map[string]string{
		"s3_mount": `"bucket":"b"`, "r2_mount": `"bucket":"b","account_id":"a"`, "gcs_mount": `"bucket":"b"`,
		"azure_blob_mount": `"account":"a","container":"c"`, "box_mount": `"box_sub_type":"user"`,
		"s3_files_mount": `"file_system_id":"f","extra_options":{"a":null}`, "blaxel_drive_mount": `"drive_name":"d"`,
	}
	strategies := map[string]string{
		"rclone":            `{"type":"in_container","pattern":{"type":"rclone","mode":"nfs","extra_args":["--x"]}}`,
		"mountpoint":        `{"type":"in_container","pattern":{"type":"mountpoint","options":{"prefix":null}}}`,
		"fuse":              `{"type":"in_container","pattern":{"type":"fuse","cache_size_mb":null,"cache_path":"cache","block_cache_block_size_mb":16}}`,
		"s3files":           `{"type":"in_container","pattern":{"type":"s3files","options":{"extra_options":{"a":"b"}}}}`,
		"rclone volume":     `{"type":"docker_volume","driver":"rclone","driver_options":{"a":"b"}}`,
		"mountpoint volume": `{"type":"docker_volume","driver":"mountpoint"}`,
		"cloudflare":        `{"type":"cloudflare_bucket_mount"}`,
		"modal":             `{"type":"modal_cloud_bucket","secret_name":"n"}`,
		"e2b":               `{"type":"e2b_cloud_bucket","pattern":{"type":"rclone"}}`,
		"daytona":           `{"type":"daytona_cloud_bucket"}`,
		"blaxel":            `{"type":"blaxel_drive"}`,
	}
	extensions := []string{"cloudflare", "modal", "e2b", "daytona", "blaxel"}
	allowed := map[string][]string{
		"s3_mount":         {"rclone", "mountpoint", "rclone volume", "mountpoint volume"},
		"gcs_mount":        {"rclone", "mountpoint", "rclone volume", "mountpoint volume"},
		"r2_mount":         {"rclone", "rclone volume"},
		"box_mount":        {"rclone", "rclone volume"},
		"azure_blob_mount": {"rclone", "fuse", "rclone volume"},
		"s3_files_mount":   {"s3files"},
	}
	for kind, own := range kinds {
		for name, strategy := range strategies {
			want := slices.Contains(allowed[kind], name) || slices.Contains(extensions, name)
			data := []byte(`{"type":"` + kind + `",` + own + `,"mount_strategy":` + strategy + `}`)
			for _, mode := range []sandbox.Mode{sandbox.Strict, sandbox.Lenient} {
				e, err := sandbox.Decode[sandbox.Entry](data, mode)
				if (err == nil) != want {
					t.Errorf("%s with %s, %s: %v", kind, name, mode, err)
				}
				if err == nil && !json.Valid(e.Raw) {
					t.Errorf("%s with %s: raw object %s", kind, name, e.Raw)
				}
			}
		}
	}
}

// TestRemoteProviders: each remote kind of options and states with what it
// requires.
func TestRemoteProviders(t *testing.T) {
	for _, tt := range []struct{ kind, options, state string }{
		{"daytona", `"image":"i"`, `"sandbox_id":"s"`},
		{"e2b", `"sandbox_type":"e2b"`, `"sandbox_id":"s","base_envs":{}`},
		{"modal", `"app_name":"a"`, `"app_name":"a"`},
		{"cloudflare", `"worker_url":"u"`, `"worker_url":"u","sandbox_id":"s"`},
		{"vercel", `"timeout_ms":1`, `"sandbox_id":"s","env":null`},
		{"runloop", `"managed_secrets":null`, `"devbox_id":"d"`},
		{"blaxel", ``, `"sandbox_name":"n"`},
	} {
		if tt.options != "" {
			checkModel(t, tt.kind+" options", `{"type":"`+tt.kind+`",`+tt.options+`}`, sandbox.ClientOptions{
				Type: tt.kind, Raw: json.RawMessage(canonicalObject(t, `{"type":"`+tt.kind+`",`+tt.options+`}`)),
			})
		}
		checkModel(t, tt.kind+" state", `{"type":"`+tt.kind+`","session_id":"5b8f7c1e-2222-4333-8444-555555555555","snapshot":{"type":"noop","id":"x"},"manifest":{},`+tt.state+`}`, sandbox.SessionState{
			Type: tt.kind, SessionID: "5b8f7c1e-2222-4333-8444-555555555555", Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"},
			Extra: json.RawMessage(canonicalObject(t, `{`+tt.state+`}`)),
		})
	}
}

func canonicalObject(t *testing.T, data string) string {
	t.Helper()
	return string(mustJSON(t, plainTree(t, []byte(data))))
}

func TestSmallThings(t *testing.T) {
	if sandbox.Strict.String() != "strict" || sandbox.Lenient.String() != "lenient" {
		t.Error("names of modes")
	}
	if !(sandbox.Snapshot{Type: "noop"}).IsSpec() || (sandbox.Snapshot{Type: "noop", ID: "x"}).IsSpec() {
		t.Error("a snapshot without an id is a specification")
	}
	if sandbox.EnvLiteral("x").IsSecret() || !sandbox.EnvSecret(secrets.Env("X")).IsSecret() {
		t.Error("IsSecret")
	}
	state := *fullRunConfig().Sandbox.SessionState
	again, err := sandbox.NormalizeRunConfig(m{"sandbox": m{"session_state": state.ToMap(), "options": fullRunConfig().Sandbox.Options.ToMap()}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&state, again.Sandbox.SessionState); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fullRunConfig().Sandbox.Options, again.Sandbox.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}
