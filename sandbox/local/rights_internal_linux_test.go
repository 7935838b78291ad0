package local

import (
	"os"
	"regexp"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rightsLine = regexp.MustCompile(`(?m)^(Uid|Gid|Groups|CapEff|CapPrm):[ \t]*(.*?)[ \t]*$`)

// TestRights checks what the thread may do that acts as an account, and that no other gets its rights.
func TestRights(t *testing.T) {
	if os.Geteuid() != 0 {
		return // an ordinary worker's commands have its own account
	}
	rights := func() map[string]string {
		status, err := os.ReadFile("/proc/thread-self/status")
		if err != nil {
			t.Error(err)
		}
		out := map[string]string{}
		for _, m := range rightsLine.FindAllStringSubmatch(string(status), -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	groups, err := syscall.Getgroups()
	if err == nil {
		err = syscall.Setgroups([]int{4242})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setgroups(groups); err != nil {
			t.Error(err)
		}
	})
	before := rights()
	var got map[string]string
	if err := (account{uid: 1_900_000_007, gid: 1_900_000_008}).as(func() { got = rights() }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{
		"Uid": "0\t0\t0\t1900000007", "Gid": "0\t0\t0\t1900000008", "Groups": "", "CapEff": "0000000000000000", "CapPrm": "0000000000000000",
	}, got); diff != "" {
		t.Errorf("rights (-want +got)\n%s", diff)
	}
	for range 100 {
		done := make(chan map[string]string)
		go func() { done <- rights() }()
		if diff := cmp.Diff(before, <-done); diff != "" {
			t.Fatalf("afterwards (-want +got)\n%s", diff)
		}
	}
}
