package sandbox_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

type faultCase struct {
	name string
	in   any
	want []string // "path rule"
	why  string
}

func entry(e any) any { return m{"entries": m{"k": e}} }

func env(v any) any { return m{"environment": m{"value": m{"K": v}}} }

var manifestFaults = []faultCase{
	{"not an object", []any{}, []string{" wrong-type"}, "a manifest is an object"},
	{"syntax", json.RawMessage(`{"root":`), []string{"/root syntax"}, "the path is where it breaks off"},
	{"trailing", json.RawMessage(`{} {}`), []string{" syntax"}, "one value"},
	{"duplicate", json.RawMessage(`{"root":"/a","root":"/b"}`), []string{"/root duplicate-key"}, "readers differ in which one counts"},
	{"duplicate by escape", json.RawMessage(`{"root":"/a","\u0072oot":"/b"}`), []string{"/root duplicate-key"}, "compared after unescaping"},
	{"duplicate in a map", map[any]any{"root": "/a", namedString("root"): "/b"}, []string{" duplicate-key"}, "two Go keys of one text"},
	{"key type", map[any]any{1: "/a"}, []string{" wrong-type"}, ""},
	{"lone surrogate", json.RawMessage(`{"root":"/\ud83d"}`), []string{" invalid-text"}, "it would be replaced in silence"},
	{"invalid UTF-8", json.RawMessage("{\"root\":\"/\xff\"}"), []string{" invalid-text"}, ""},
	{"invalid UTF-8 in a map", m{"root": "/\xff"}, []string{"/root invalid-text"}, ""},
	{"unknown keys", m{"roots": 1, "Root": "/x", "envs": m{}}, []string{"/Root unknown-key", "/envs unknown-key", "/roots unknown-key"}, "keys are case-sensitive"},
	{"wrong types", m{
		"version": "1", "root": nil, "entries": []any{}, "environment": nil, "users": nil, "groups": m{}, "remote_mount_command_allowlist": []any{1},
	}, []string{
		"/entries wrong-type", "/environment wrong-type", "/groups wrong-type", "/remote_mount_command_allowlist/0 wrong-type",
		"/root wrong-type", "/users wrong-type", "/version wrong-type",
	}, "all faults at once"},
	{"version", m{"version": 2}, []string{"/version invalid-value"}, ""},
	{"root empty", m{"root": ""}, []string{"/root root-relative"}, ""},
	{"root relative", m{"root": "work"}, []string{"/root root-relative"}, ""},
	{"root up", m{"root": "/box/../.."}, []string{"/root root-relative"}, ""},
	{"group without users", m{"groups": []any{m{"name": "g"}}}, []string{"/groups/0/users required"}, ""},
	{"user without name", m{"users": []any{m{}, m{"name": ""}, "bob"}}, []string{"/users/0/name required", "/users/1/name required", "/users/2 wrong-type"}, ""},

	{"env wrapper", m{"environment": m{"A": "x"}}, []string{"/environment env-wrapper-missing"}, "it would be an empty environment"},
	{"env name", m{"environment": m{"value": m{"": "x", "A=B": "x", "C\x00": "x"}}}, []string{"/environment/value/0 env-name", "/environment/value/1 env-name", "/environment/value/2 env-name"}, ""},
	{"env null", env(nil), []string{"/environment/value/K wrong-type"}, ""},
	{"env number", env(5), []string{"/environment/value/K wrong-type"}, ""},
	{"env untagged", env(m{"value": "x", "description": "d"}), []string{"/environment/value/K env-ambiguous"}, ""},
	{"env both", env(sandbox.EnvValue{Literal: "x", Secret: secrets.Env("A")}), []string{"/environment/value/K env-ambiguous"}, ""},
	{"env unknown tag", env(m{"type": "vault", "name": "x"}), []string{"/environment/value/K/type unknown-type"}, ""},
	{"env tag type", env(m{"type": 1}), []string{"/environment/value/K/type wrong-type"}, ""},
	{"env tag extra", env(m{"type": "str", "value": "x", "zzz": 1}), []string{"/environment/value/K/zzz unknown-key"}, ""},
	{"env ref extra", env(m{"type": "temporal.worker_env_value", "name": "X", "value": "y"}), []string{"/environment/value/K/value unknown-key"}, ""},
	{"env ref name", env(m{"type": "temporal.worker_env_value"}), []string{"/environment/value/K secret-ref", "/environment/value/K/name required"}, ""},
	{"env ref form", env(m{"type": "temporal.worker_env_value", "name": "not a name"}), []string{"/environment/value/K secret-ref"}, ""},
	{"env secret_ref form", env(m{"type": "sandboxguard.secret_ref", "ref": "nothing"}), []string{"/environment/value/K secret-ref"}, ""},
	{"env zero secret", env(secrets.Value{}), []string{"/environment/value/K required"}, ""},
	{"env malformed Ref", env(secrets.Ref{Provider: "env", Name: "a b"}), []string{"/environment/value/K secret-ref"}, ""},
	{"env entry bare", env(m{"value": nil}), []string{"/environment/value/K/value wrong-type"}, ""},
	{"env entry without value", env(m{"description": "d"}), []string{"/environment/value/K/value required"}, ""},
	{"env entry extra", env(m{"value": m{"value": "x"}, "ephemeral": "yes", "zzz": 1}), []string{"/environment/value/K/ephemeral wrong-type", "/environment/value/K/zzz unknown-key"}, ""},

	{"entry absolute", m{"entries": m{"/etc/x": file(), `C:\x`: file(), "C:x": file(), `\\srv\x`: file()}}, []string{
		"/entries/0 entry-path-absolute", "/entries/1 entry-path-absolute", "/entries/2 entry-path-absolute", "/entries/3 entry-path-absolute",
	}, "on any host"},
	{"entry escapes", m{"entries": m{"a/../../b": file(), `a\..\b`: file(), "..": file()}}, []string{
		"/entries/.. entry-path-escape", "/entries/1 entry-path-escape", "/entries/2 entry-path-escape",
	}, "with either separator"},
	{"entry empty", m{"entries": m{"": file(), ".": file(), "./": file()}}, []string{
		"/entries/. entry-path-empty", "/entries/0 entry-path-empty", "/entries/2 entry-path-empty",
	}, ""},
	{"entry NUL", m{"entries": m{"a\x00b": file()}}, []string{"/entries/0 invalid-text"}, ""},
	{"child escapes", entry(m{"type": "dir", "children": m{"x": m{"type": "dir", "children": m{"..": file()}}}}), []string{"/entries/k/children/x/children/.. entry-path-escape"}, "at any depth"},
	{"entry null", entry(nil), []string{"/entries/k wrong-type"}, ""},
	{"entry without type", entry(m{}), []string{"/entries/k/type required"}, ""},
	{"entry unknown type", entry(m{"type": "socket"}), []string{"/entries/k/type unknown-type"}, ""},
	{"entry of two types", entry(m{"type": "file", "content": "x", "src": "y"}), []string{"/entries/k/src unknown-key"}, ""},
	{"typed entry of two types", entry(sandbox.Entry{Type: "dir", Content: "x"}), []string{"/entries/k/content unknown-key"}, "nothing is dropped in silence"},
	{"file without content", entry(m{"type": "file"}), []string{"/entries/k/content required"}, ""},
	{"file is_dir", entry(m{"type": "file", "content": "", "is_dir": true}), []string{"/entries/k/is_dir invalid-value"}, ""},
	{"permissions", entry(m{"type": "dir", "permissions": m{"owner": 8, "group": -1, "other": "7", "mode": 1}}), []string{
		"/entries/k/permissions/group invalid-value", "/entries/k/permissions/mode unknown-key",
		"/entries/k/permissions/other wrong-type", "/entries/k/permissions/owner invalid-value",
	}, ""},
	{"permissions null", entry(m{"type": "dir", "permissions": nil}), []string{"/entries/k/permissions wrong-type"}, ""},
	{"local_file", entry(m{"type": "local_file", "src": ""}), []string{"/entries/k/src required"}, ""},
	{"git", entry(m{"type": "git_repo", "host": "", "repo": ""}), []string{"/entries/k/host required", "/entries/k/ref required", "/entries/k/repo required"}, ""},

	{"mount without strategy", entry(m{"type": "s3_mount", "bucket": "b"}), []string{"/entries/k/mount_strategy required"}, ""},
	{"mount keys", entry(m{"type": "s3_mount", "account_id": "x", "mount_strategy": m{"type": "in_container", "pattern": m{"type": "rclone", "secret": "x"}, "x": 1}}), []string{
		"/entries/k/account_id unknown-key", "/entries/k/bucket required", "/entries/k/mount_strategy/pattern/secret unknown-key", "/entries/k/mount_strategy/x unknown-key",
	}, "at any level"},
	{"mount option keys", entry(m{"type": "s3_mount", "bucket": "b", "mount_strategy": m{"type": "in_container", "pattern": m{"type": "mountpoint", "options": m{"key": "x"}}}}), []string{
		"/entries/k/mount_strategy/pattern/options/key unknown-key",
	}, ""},
	{"mount pair", entry(m{"type": "r2_mount", "bucket": "b", "account_id": "a", "mount_strategy": m{"type": "in_container", "pattern": m{"type": "mountpoint"}}}), []string{
		"/entries/k/mount_strategy/pattern/type mount-config",
	}, ""},
	{"mount driver", entry(m{"type": "s3_files_mount", "file_system_id": "f", "mount_strategy": m{"type": "docker_volume", "driver": "rclone"}}), []string{
		"/entries/k/mount_strategy/driver mount-config",
	}, ""},
	{"mount tags", entry(m{"type": "box_mount", "mount_strategy": m{"type": "in_container", "pattern": m{"type": "nfs"}}}), []string{
		"/entries/k/mount_strategy/pattern/type unknown-type",
	}, ""},
	{"mount strategy tag", entry(m{"type": "box_mount", "mount_strategy": m{"type": "magic"}}), []string{"/entries/k/mount_strategy/type unknown-type"}, ""},
	{"mount values", entry(m{"type": "azure_blob_mount", "account": 1, "container": "c", "endpoint": 1, "read_only": "no", "mount_path": "../x", "mount_strategy": m{"type": "in_container", "pattern": m{
		"type": "fuse", "cache_type": "none", "cache_path": "../x", "allow_other": "yes", "cache_size_mb": "1", "block_cache_block_size_mb": nil,
	}}}), []string{
		"/entries/k/account wrong-type", "/entries/k/endpoint wrong-type", "/entries/k/mount_path entry-path-escape",
		"/entries/k/mount_strategy/pattern/allow_other wrong-type", "/entries/k/mount_strategy/pattern/block_cache_block_size_mb wrong-type",
		"/entries/k/mount_strategy/pattern/cache_path entry-path-escape", "/entries/k/mount_strategy/pattern/cache_size_mb wrong-type",
		"/entries/k/mount_strategy/pattern/cache_type invalid-value", "/entries/k/read_only wrong-type",
	}, ""},
	{"mount raw not JSON", entry(sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`{`)}), []string{"/entries/k syntax", "/entries/k/bucket required", "/entries/k/mount_strategy required"}, ""},
	{"mount raw of another type", entry(sandbox.Entry{Type: "x_mount", Raw: json.RawMessage(`{"type":"y_mount","mount_strategy":{}}`)}), []string{"/entries/k/type invalid-value"}, ""},
	{"secret in a mount", entry(m{"type": "x_mount", "mount_strategy": m{}, "token": secrets.Env("X")}), []string{"/entries/k/token secret-untyped-place"}, "it would become a plain map"},
	{"function in a mount", entry(m{"type": "x_mount", "mount_strategy": m{}, "x": func() {}}), []string{"/entries/k/x no-json-form"}, ""},

	{"grant relative", sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "data"}, {Path: "~/x"}, {}}}, []string{
		"/extra_path_grants/0/path path-grant-relative", "/extra_path_grants/1/path path-grant-relative", "/extra_path_grants/2/path path-grant-relative",
	}, ""},
	{"grant root", sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "///"}, {Path: "/a/.."}}}, []string{
		"/extra_path_grants/0/path path-grant-root", "/extra_path_grants/1/path path-grant-root",
	}, ""},
	{"grant host", sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{
		{Path: "/a", HostPath: ptr("x")}, {Path: "/a", HostPath: ptr("/x/../y")}, {Path: "/a", HostPath: ptr("/")}, {Path: "/a", HostPath: ptr("C:")}, {Path: "/a", HostPath: ptr("/x\x00")},
	}}, []string{
		"/extra_path_grants/0/host_path host-path-form", "/extra_path_grants/1/host_path host-path-form", "/extra_path_grants/2/host_path host-path-form",
		"/extra_path_grants/3/host_path host-path-form", "/extra_path_grants/4/host_path invalid-text",
	}, ""},
}

type namedString string

func file() any { return m{"type": "file", "content": ""} }

func state(more m) m {
	s := m{"type": "unix_local", "session_id": "5b8f7c1e-2222-4333-8444-555555555555", "snapshot": m{"type": "noop", "id": "x"}, "manifest": m{}}
	for k, v := range more {
		s[k] = v
	}
	return m{"sandbox": m{"session_state": s}}
}

func options(o any) any { return m{"sandbox": m{"options": o}} }

var runConfigFaults = []faultCase{
	{"not an object", 5, []string{" wrong-type"}, ""},
	{"function", func() {}, []string{" no-json-form"}, ""},
	{"unknown keys", m{"sandboxes": 1, "sandbox": m{"manifests": 1, "manifest": m{"mode": 1}}, "tool_execution": m{"x": 1}, "session_settings": m{"x": 1}}, []string{
		"/sandbox/manifest/mode unknown-key", "/sandbox/manifests unknown-key", "/sandboxes unknown-key", "/session_settings/x unknown-key", "/tool_execution/x unknown-key",
	}, ""},
	{"code", m{"model_provider": func() {}, "input_guardrails": []any{}}, []string{"/input_guardrails no-json-form", "/model_provider no-json-form"}, "code cannot be recorded"},
	{"scalars", m{"model": 1, "tracing_disabled": "no", "tracing": 1, "tool_name_collision_policy": "ignore", "reasoning_item_id_policy": 1}, []string{
		"/model wrong-type", "/reasoning_item_id_policy wrong-type", "/tool_name_collision_policy invalid-value", "/tracing wrong-type", "/tracing_disabled wrong-type",
	}, ""},
	{"tool execution", m{"tool_execution": m{"max_function_tool_concurrency": 0}}, []string{"/tool_execution/max_function_tool_concurrency invalid-value"}, ""},
	{"secret in settings", m{"model_settings": m{"headers": []any{secrets.Env("X")}}}, []string{"/model_settings/headers/0 secret-untyped-place"}, ""},
	{"raw settings", sandbox.RunConfig{ModelSettings: json.RawMessage(`[`)}, []string{"/model_settings syntax"}, ""},
	{"infinite number", m{"trace_metadata": m{"x": math.Inf(1)}}, []string{"/trace_metadata/x invalid-value"}, ""},
	{"client", m{"sandbox": m{"client": struct{}{}}}, []string{"/sandbox/client wrong-type"}, "the name of a provider"},
	{"everything at once", m{"sandbox": m{"session": 1, "client": 1, "manifest": m{"extra_path_grants": []any{1}, "entries": m{"..": file()}}}}, []string{
		"/sandbox/client wrong-type", "/sandbox/manifest/entries/.. entry-path-escape", "/sandbox/manifest/extra_path_grants map-path-grants", "/sandbox/session live-session",
	}, ""},
	{"limits", m{"sandbox": m{"concurrency_limits": nil, "archive_limits": m{"max_members": 0, "x": 1}}}, []string{
		"/sandbox/archive_limits/max_members invalid-value", "/sandbox/archive_limits/x unknown-key", "/sandbox/concurrency_limits wrong-type",
	}, ""},
	{"cwd", m{"sandbox": m{"cwd": "../x"}}, []string{"/sandbox/cwd entry-path-escape"}, ""},
	{"cwd absolute", m{"sandbox": m{"cwd": "/x"}}, []string{"/sandbox/cwd entry-path-absolute"}, ""},
	{"snapshot", m{"sandbox": m{"snapshot": m{"type": "local", "id": "../x"}}}, []string{"/sandbox/snapshot/base_path required", "/sandbox/snapshot/id invalid-value"}, ""},
	{"snapshot type", m{"sandbox": m{"snapshot": m{"type": "s3", "id": ""}}}, []string{"/sandbox/snapshot/type unknown-type"}, ""},
	{"snapshot keys", m{"sandbox": m{"snapshot": m{"type": "noop", "base_path": "/x", "id": ""}}}, []string{"/sandbox/snapshot/base_path unknown-key", "/sandbox/snapshot/id required"}, ""},
	{"options without type", options(m{}), []string{"/sandbox/options/type required"}, ""},
	{"options type", options(m{"type": "k8s"}), []string{"/sandbox/options/type unknown-type"}, ""},
	{"options of the client", m{"sandbox": m{"client": "docker", "options": m{"type": "unix_local"}}}, []string{"/sandbox/options/type invalid-value"}, ""},
	{"options keys", options(m{"type": "unix_local", "image": "x", "exposed_ports": nil}), []string{"/sandbox/options/exposed_ports wrong-type", "/sandbox/options/image unknown-key"}, ""},
	{"docker options", options(m{"type": "docker", "image": "", "exposed_ports": []any{0, "1"}, "network_mode": "host", "labels": m{"a": 1}}), []string{
		"/sandbox/options/exposed_ports invalid-value", "/sandbox/options/exposed_ports/0 invalid-value", "/sandbox/options/exposed_ports/1 wrong-type",
		"/sandbox/options/image required", "/sandbox/options/labels/a wrong-type", "/sandbox/options/network_mode invalid-value",
	}, ""},
	{"remote options", options(m{"type": "e2b", "secret": "x"}), []string{"/sandbox/options/sandbox_type required", "/sandbox/options/secret unknown-key"}, ""},
	{"blaxel options", options(m{"type": "blaxel"}), []string{"/sandbox/options/type unknown-type"}, "they have no form on the wire"},
	{"state", m{"sandbox": m{"session_state": m{"type": "unix_local"}}}, []string{
		"/sandbox/session_state/manifest required", "/sandbox/session_state/session_id required", "/sandbox/session_state/snapshot required",
	}, ""},
	{"state spec", state(m{"snapshot": m{"type": "noop"}}), []string{"/sandbox/session_state/snapshot/id required"}, ""},
	{"state values", state(m{"session_id": "s1", "exposed_ports": 80.5, "handle": "x", "workspace_root_ready": nil}), []string{
		"/sandbox/session_state/exposed_ports wrong-type", "/sandbox/session_state/handle unknown-key",
		"/sandbox/session_state/session_id invalid-value", "/sandbox/session_state/workspace_root_ready wrong-type",
	}, ""},
	{"state type", state(m{"type": "go_local"}), []string{"/sandbox/session_state/type unknown-type"}, ""},
	{"remote state", state(m{"type": "cloudflare", "worker_url": "https://x", "api_key": "x"}), []string{
		"/sandbox/session_state/api_key unknown-key", "/sandbox/session_state/sandbox_id required",
	}, ""},
}

func TestFaults(t *testing.T) {
	for kind, cases := range map[string][]faultCase{"manifest": manifestFaults, "run config": runConfigFaults} {
		for _, tt := range cases {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				var err error
				if kind == "manifest" {
					_, err = sandbox.NormalizeManifest(tt.in)
				} else {
					_, err = sandbox.NormalizeRunConfig(tt.in)
				}
				wantFaults(t, tt.name+": "+tt.why, err, tt.want...)
				for _, f := range asError(t, err).Faults {
					if !strings.HasPrefix(f.Detail, "must ") {
						t.Errorf("%s: detail %q", tt.name, f.Detail)
					}
				}
			})
		}
	}
}

// TestEveryRule: each rule is tried by a case above or in TestBounds.
func TestEveryRule(t *testing.T) {
	tried := []string{
		sandbox.RuleTooDeep, sandbox.RuleTooLarge, sandbox.RuleTooManyFaults, sandbox.RuleMapPathGrants, // TestBounds, TestNormalizeGrants
		sandbox.RuleHostPathGrant, // for policy, see its comment
	}
	for _, tt := range slices.Concat(manifestFaults, runConfigFaults) {
		for _, want := range tt.want {
			tried = append(tried, want[strings.LastIndex(want, " ")+1:])
		}
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			rule, err := strconv.Unquote(lit.Value)
			if err != nil || !slices.Contains(tried, rule) {
				t.Errorf("no case for rule %s", lit.Value)
			}
			rules++
		}
		return true
	})
	if rules < 25 {
		t.Errorf("found %d rules in rule.go", rules)
	}
}

// TestFaultsAreSorted: all faults, sorted, without duplicates.
func TestFaultsAreSorted(t *testing.T) {
	in := m{"b": 1, "a": 1, "version": 3, "entries": m{"z": nil, "a": nil}, "environment": m{"value": m{"K": 1}}}
	_, err := sandbox.NormalizeManifest(in)
	faults := asError(t, err).Faults
	if !slices.IsSortedFunc(faults, func(a, b sandbox.Fault) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("not sorted: %v", faults)
	}
	if len(slices.Compact(slices.Clone(faults))) != len(faults) || len(faults) != 6 {
		t.Errorf("duplicates or missing: %v", faults)
	}
	want := "sandbox: input refused\n  (whole)  live  must\n  /a  b  c"
	if got := (&sandbox.Error{Faults: []sandbox.Fault{{Rule: "live", Detail: "must"}, {Path: "/a", Rule: "b", Detail: "c"}}}).Error(); got != want {
		t.Errorf("got text %q, want %q", got, want)
	}
}

// TestNoEcho: no error shows a value, a host path, or a key that may be one.
func TestNoEcho(t *testing.T) {
	canary := secretstest.Canary(t)
	letters := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c - '0' + 'G'
		}
		return c
	}, canary)
	t.Run("any", func(t *testing.T) { testNoEcho(t, canary) })
	t.Run("letters", func(t *testing.T) { testNoEcho(t, letters) })
	t.Run("upper case", func(t *testing.T) { testNoEcho(t, strings.ToUpper(letters)) })
	t.Run("lower case", func(t *testing.T) { testNoEcho(t, strings.ToLower(letters)) })
	t.Run("digits", func(t *testing.T) { testNoEcho(t, "83019472650184739205618374650192837465") })
}

func testNoEcho(t *testing.T, canary string) {
	t.Helper()
	var inputs []any
	for _, tt := range slices.Concat(manifestFaults, runConfigFaults) {
		inputs = append(inputs, replaceText(tt.in, canary), m{"sandbox": m{"manifest": replaceText(tt.in, canary)}})
	}
	inputs = append(inputs,
		canary, m{canary: 1}, map[any]any{canary: map[any]any{canary: 1}}, m{"entries": m{canary: nil, canary + "/x": file()}},
		m{"sandbox": m{"session": canary}}, m{"environment": m{"value": m{"A": m{"type": canary}}}},
		m{"environment": m{"value": m{"A": m{"type": "sandboxguard.secret_ref", "ref": canary}}}},
		m{"environment": m{"value": m{"A": m{"type": "temporal.worker_env_value", "name": canary}}}},
		m{"environment": m{"value": m{canary: 1}}}, m{"root": canary}, m{"version": canary}, m{"version": json.Number(canary)},
		json.RawMessage(`{"a":`+canary), json.RawMessage(`{"`+canary+`":1,"`+canary+`":2}`), []byte(canary),
		sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: canary}, {Path: "/" + canary, HostPath: ptr(canary)}, {Path: "/x", HostPath: ptr("/" + canary + "/..")}}},
		sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": {Type: canary}, "b": {Type: "s3_mount", Raw: json.RawMessage(`{"` + canary + `":"` + canary)}}},
	)
	refused := 0
	for _, in := range inputs {
		_, err := sandbox.NormalizeManifest(in)
		_, err2 := sandbox.NormalizeRunConfig(in)
		for _, err := range []error{err, err2} {
			if err != nil {
				refused++
				secretstest.AssertAbsent(t, []string{canary}, []byte(err.Error()), []byte(fmt.Sprintf("%+v %#v", err, err)), mustJSON(t, err))
			}
		}
	}
	if refused < len(inputs) {
		t.Errorf("only %d refusals of %d inputs", refused, len(inputs))
	}
}

// replaceText replaces every text leaf of a tree that is not a tag.
func replaceText(v any, text string) any {
	switch v := v.(type) {
	case string:
		return text
	case m:
		out := m{}
		for k, e := range v {
			if k == "type" {
				out[k] = e
				continue
			}
			out[k] = replaceText(e, text)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = replaceText(e, text)
		}
		return out
	default:
		return v
	}
}

// TestSafeSegments: keys appear in a path only if they are names.
func TestSafeSegments(t *testing.T) {
	for key, want := range map[string]string{
		"notes.txt":                        "notes.txt",
		"REPORT_WEEK_2026_W31":             "REPORT_WEEK_2026_W31",
		"a-very-long-name-in-lower-case-1": "a-very-long-name-in-lower-case-1",
		"a/b":                              "0",
		"a~b":                              "0",
		"":                                 "0",
		"ключ":                             "0",
		strings.Repeat("x", 65):            "0",
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a": "0",
		"AKIAIOSFODNN7EXAMPLE":                     "0",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9":     "0",
		"sk-aB3-dE5_fG7-hI9_jK1-lM3_nO5-pQ7":       "0",
	} {
		_, err := sandbox.NormalizeManifest(m{"users": []any{m{"name": "u", key: 1}}})
		path := "/users/0/" + want
		if want == "0" && key > "name" {
			path = "/users/0/1"
		}
		wantFaults(t, key, err, path+" unknown-key")
	}
}
