package validation_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/validation"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		section string
		want    sandbox.Limits
	}{
		{"", sandbox.Limits{}},
		{", limits: {}", sandbox.Limits{}},
		{
			", limits: {wall: 45m, memory: 2GiB, cpus: 2, processes: 256, disk: 5GiB, file_size: 1GiB, open_files: 1024, output: 8MiB}",
			sandbox.Limits{
				Wall: 45 * time.Minute, Memory: 2 << 30, CPUs: 2, Processes: 256, Disk: 5 << 30, FileSize: 1 << 30, OpenFiles: 1024, Output: 8 << 20,
			},
		},
		{
			`, limits: {wall: 720h, memory: 64TiB, cpus: 1024.00, processes: 4194304, disk: 1024TiB, file_size: 1125899906842624, open_files: 1048576, output: 1073741824B}`,
			sandbox.MaxLimits(),
		},
		{`, limits: {wall: "1h30m", cpus: 0.25, output: "1B"}`, sandbox.Limits{Wall: 90 * time.Minute, CPUs: 0.25, Output: 1}},
		{`, limits: {memory: 1, disk: 1, file_size: 1, output: 1}`, sandbox.Limits{Memory: 1, Disk: 1, FileSize: 1, Output: 1}},
	}
	for _, tt := range tests {
		got := mustPolicy(t, "version: 1\nqueues: {agents: {mode: enforce"+tt.section+"}}\n", "agents").Limits()
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.section, diff)
		}
		if err := got.Check(); err != nil {
			t.Errorf("%s: %v", tt.section, err)
		}
		if got == (sandbox.Limits{}) {
			continue
		}
		// What is shown of limits can be written into a policy file.
		again := mustPolicy(t, "version: 1\nqueues: {agents: {mode: enforce, limits: {"+got.String()+"}}}\n", "agents").Limits()
		if again != got {
			t.Errorf("%s is shown as %s and read as %s", tt.section, got, again)
		}
	}
	if got := (validation.Policy{}).Limits(); got != (sandbox.Limits{}) {
		t.Errorf("the zero Policy has the limits %s", got)
	}
}

// TestBackends: what keeps less apart, or nothing, runs nothing unless it is listed, and a list means what it says.
func TestBackends(t *testing.T) {
	t.Parallel()
	isolated := []string{validation.BackendNative, validation.BackendBwrap}
	tests := []struct {
		section string
		want    []string
	}{
		{"", isolated},
		{", sandbox: {}", isolated},
		{", sandbox: {entries: [file]}", isolated},
		{", sandbox: {backends: []}", []string{}},
		{", sandbox: {backends: [native]}", []string{validation.BackendNative}},
		{", sandbox: {backends: [bwrap, native]}", isolated},
		{", sandbox: {backends: [landlock]}", []string{validation.BackendLandlock}},
		{", sandbox: {backends: [unisolated, landlock, bwrap]}", []string{validation.BackendBwrap, validation.BackendLandlock, validation.BackendUnisolated}},
		{", sandbox: {backends: [unisolated]}", []string{validation.BackendUnisolated}},
		{", sandbox: {backends: [unisolated, native]}", []string{validation.BackendNative, validation.BackendUnisolated}},
	}
	for _, mode := range []string{"enforce", "report"} {
		for _, tt := range tests {
			policy := mustPolicy(t, "version: 1\nqueues: {agents: {mode: "+mode+tt.section+"}}\n", "agents")
			got := policy.Backends()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", mode, tt.section, diff)
			}
			for i := range got {
				got[i] = validation.BackendUnisolated
			}
			if diff := cmp.Diff(tt.want, policy.Backends()); diff != "" {
				t.Errorf("%s%s: the caller's slice is the policy's own: %s", mode, tt.section, diff)
			}
		}
	}
	if got := mustPolicy(t, "version: 1\ndefault: {mode: report}\n", "any").Backends(); !slices.Equal(got, isolated) {
		t.Errorf("the default section has %v", got)
	}
	if got := (validation.Policy{}).Backends(); got != nil {
		t.Errorf("the zero Policy has %v", got)
	}
}

// TestLimitsChangeDigests: a queue's records must show under which limits and backends it ran.
func TestLimitsChangeDigests(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, section := range []string{
		"", ", limits: {memory: 1GiB}", ", limits: {memory: 2GiB}", ", limits: {disk: 1GiB}",
		", sandbox: {backends: [native]}", ", sandbox: {backends: [bwrap]}", ", sandbox: {backends: []}",
	} {
		digest := mustPolicy(t, "version: 1\nqueues: {agents: {mode: enforce"+section+"}}\n", "agents").Digest()
		if other, ok := seen[digest]; ok {
			t.Errorf("%q and %q have the same digest", other, section)
		}
		seen[digest] = section
	}
}

var (
	plainSize = regexp.MustCompile(`^[1-9][0-9]*$`)
	unitSize  = regexp.MustCompile(`^"([1-9][0-9]*)(B|KiB|MiB|GiB|TiB)"$`)
)

// FuzzLimits writes JSON values into limits. What loads is exactly what was written and within the maxima; a number that
// does not load is named by its place.
func FuzzLimits(f *testing.F) {
	for _, seed := range []string{
		`1`, `"2GiB"`, `"512MiB"`, `1073741824`, `70368744177664`, `70368744177665`, `"64TiB"`, `"65TiB"`, `"16777216TiB"`,
		`0`, `-1`, `01`, `1.5`, `1e9`, `"1024"`, `"0GiB"`, `"1.5GiB"`, `"2GB"`, `"2 GiB"`, `"-1MiB"`, `18446744073709551617`,
		`null`, `true`, `[]`, `{}`, `""`, `"\u0031GiB"`, `0.01`, `0.001`, `1024`, `1024.01`, `2.50`, `"45m"`, `"720h"`, `"721h"`, `"1h1h"`, `"999999999h"`, `"0s"`,
	} {
		f.Add(seed)
	}
	most := sandbox.MaxLimits()
	f.Fuzz(func(t *testing.T, written string) {
		var text any
		written = strings.TrimSpace(written)
		if json.Unmarshal([]byte(written), &text) != nil {
			return
		}
		load := func(key string) (sandbox.Limits, bool) {
			src := `{"version": 1, "queues": {"agents": {"mode": "enforce", "limits": {"` + key + `":` + "\n" + written + "}}}}"
			policies, err := validation.ParsePolicies("policy.json", []byte(src))
			if err != nil {
				_, isNumber := text.(float64) // text may also be no text at all, such as half a surrogate pair
				if isNumber && !strings.Contains(err.Error(), "\n  policy.json:2:1: queues.agents.limits."+key+": must be ") {
					t.Errorf("the error does not name the place of %s: %v", key, err)
				}
				return sandbox.Limits{}, false
			}
			policy, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
			limits := policy.Limits()
			if err := limits.Check(); err != nil {
				t.Errorf("%s: %s loads and is refused: %v", key, written, err)
			}
			if limits == (sandbox.Limits{}) {
				t.Errorf("%s: %s loads and asks for nothing", key, written)
			}
			return limits, true
		}
		limits, ok := load("memory")
		want := new(big.Int)
		compact, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if m := unitSize.FindStringSubmatch(string(compact)); m != nil {
			want.SetString(m[1], 10)
			want.Lsh(want, map[string]uint{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[m[2]])
		} else if plainSize.MatchString(written) {
			want.SetString(written, 10)
		}
		if valid := want.Sign() > 0 && want.Cmp(big.NewInt(most.Memory)) <= 0; ok != valid || valid && limits.Memory != want.Int64() {
			t.Errorf("memory: %s loads: %v, as %d, want %v", written, ok, limits.Memory, want)
		}
		if limits, ok := load("cpus"); ok {
			if number, isNumber := text.(float64); !isNumber || number != limits.CPUs {
				t.Errorf("cpus: %s is read as %v", written, limits.CPUs)
			}
		}
		if limits, ok := load("wall"); ok {
			if d, err := time.ParseDuration(text.(string)); err != nil || d != limits.Wall {
				t.Errorf("wall: %s is read as %s", written, limits.Wall)
			}
		}
	})
}
