package seccomp

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// profile is what container runtimes read, as far as ours has it.
type profile struct {
	DefaultAction   string        `json:"defaultAction"`
	DefaultErrnoRet int           `json:"defaultErrnoRet"`
	Syscalls        []profileRule `json:"syscalls"`
}

type profileRule struct {
	Comment string        `json:"comment,omitempty"`
	Names   []string      `json:"names"`
	Action  string        `json:"action"`
	Args    []profileTest `json:"args,omitempty"`
}

type profileTest struct {
	Index uint   `json:"index"`
	Value uint64 `json:"value"`
	Op    string `json:"op"`
}

// building are the calls that make a sandbox, which the default profiles of container runtimes deny.
var building = []string{
	"clone", "mount", "mount_setattr", "move_mount", "open_tree", "pivot_root", "setdomainname", "sethostname", "umount2", "unshare",
}

// profiled is the profile for a container that workers run in: what sandboxes may call, what makes them, and sockets of
// the families that a worker needs. What has no name in it is answered as by an older kernel.
func profiled(t *testing.T) profile {
	t.Helper()
	every := map[string]bool{}
	for arch := range architectures {
		maps.Copy(every, present(numbers(t, arch)))
	}
	// These are names that the constants have and libraries of filters do not, and calls with arguments that matter.
	for _, name := range []string{"arch_specific_syscall", "fstatat", "clone", "clone3", "personality", "socket"} {
		delete(every, name)
	}
	for _, c := range denied {
		delete(every, c.name)
	}
	const allow = "SCMP_ACT_ALLOW"
	p := profile{DefaultAction: "SCMP_ACT_ERRNO", DefaultErrnoRet: int(unix.ENOSYS), Syscalls: []profileRule{
		{Comment: "what programs need", Names: slices.Sorted(maps.Keys(every)), Action: allow},
		{Comment: "what makes sandboxes", Names: building, Action: allow},
	}}
	for _, family := range []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		p.Syscalls = append(p.Syscalls, profileRule{Names: []string{"socket"}, Action: allow, Args: []profileTest{{Value: family, Op: "SCMP_CMP_EQ"}}})
	}
	for _, which := range []uint64{personalityLinux, uint64(personalityQuery)} {
		p.Syscalls = append(p.Syscalls, profileRule{Names: []string{"personality"}, Action: allow, Args: []profileTest{{Value: which, Op: "SCMP_CMP_EQ"}}})
	}
	return p
}

func present(known map[string]uint32) map[string]bool {
	names := map[string]bool{}
	for name := range known {
		names[name] = true
	}
	return names
}

// TestProfileOfContainers holds deploy/seccomp.json to the table: it permits what the table does not deny, and of that
// only what makes sandboxes. Package local shows that the latter is enough, and that nothing of it can be left out.
func TestProfileOfContainers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "seccomp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got profile
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := profiled(t)
	if diff := cmp.Diff(want, got); diff != "" {
		text, err := json.MarshalIndent(want, "", "  ")
		t.Errorf("deploy/seccomp.json (-want +got):\n%s\n%v; it must be:\n%s", diff, err, text)
	}
}
